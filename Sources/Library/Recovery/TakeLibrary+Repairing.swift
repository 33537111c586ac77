internal import Hardware

/// What became of a sound file under repair.
enum RepairOutcome {
  /// It is complete; `isMended` if it was not before.
  case kept(TakeShape, isMended: Bool)
  /// It is in `_Corrupted/`.
  case quarantined
}

extension TakeDiagnosis {
  /// What the file holds, unless it is damaged.
  var shape: TakeShape? {
    switch self {
    case .complete(let shape), .unfinished(let shape): shape
    case .damaged: nil
    }
  }
}

extension TakeLibrary {
  func inspect(_ id: String) throws(LibraryError) -> TakeDiagnosis {
    let file = try disk.open(TakePath.sound(id), writable: false)
    defer { file.close() }
    do { return try doctor.inspect(file) } catch { throw .storage(error) }
  }

  /// Repairs what is unfinished, salvages what is damaged, moves away what is beyond saving.
  func repairSound(_ id: String) throws(LibraryError) -> RepairOutcome {
    switch try inspect(id) {
    case .complete(let shape): return .kept(shape, isMended: false)
    case .unfinished:
      // Remembered, for a repair that stalls at its last write leaves a complete file.
      work.markMended(id)
      let file = try disk.open(TakePath.sound(id), writable: true)
      defer { file.close() }
      switch try repair(file) {
      case .complete(let shape): return .kept(shape, isMended: true)
      case .unfinished(let shape): return .kept(shape, isMended: true)
      case .damaged(let reason): return try salvage(id, reason: reason)
      }
    case .damaged(let reason): return try salvage(id, reason: reason)
    }
  }

  private func repair(_ file: any StoredFile) throws(LibraryError) -> TakeDiagnosis {
    do { return try doctor.repair(file) } catch { throw .storage(error) }
  }

  /// Saves what can be saved into a copy beside the original, moves the original away, puts the copy in its place. The
  /// copy's own suffix lets the next start finish the exchange, or begin it again, after a crash at any point.
  private func salvage(_ id: String, reason: String) throws(LibraryError) -> RepairOutcome {
    let path = TakePath.salvage(id)
    try disk.removeIfPresent(path)
    let target = try disk.create(path)
    var saved: TakeShape?
    do {
      defer { target.close() }
      let source = try disk.open(TakePath.sound(id), writable: false)
      defer { source.close() }
      saved = try copySound(from: source, into: target)
    } catch {
      if error.stalledUntil == nil { do { try disk.removeIfPresent(path) } catch { warn(error.description) } }
      throw error
    }
    guard let saved, saved.frames > 0 else {
      try disk.removeIfPresent(path)
      try setAside(id, reason: reason)
      return .quarantined
    }
    work.markSalvaged(id)
    try quarantine.take(
      TakePath.sound(id), reason: "\(reason) A copy of what could be saved has taken its place.",
      advice: RescueAdvice.sound, at: clock.wallNow)
    try disk.moveIfPresent(path, to: TakePath.sound(id))
    return .kept(saved, isMended: true)
  }

  private func copySound(
    from source: any StoredFile, into target: any StoredFile
  ) throws(LibraryError) -> TakeShape? {
    do {
      let diagnosis = try doctor.salvage(from: source, into: target)
      if case .unfinished = diagnosis { return try doctor.repair(target).shape }
      return diagnosis.shape
    } catch {
      throw .storage(error)
    }
  }

  /// Puts a salvaged copy in the place of its original, if that is in `_Corrupted/` already; else the copy may be
  /// incomplete and is made again.
  func finishSalvage(_ id: String) throws(LibraryError) {
    let path = TakePath.salvage(id)
    guard try disk.entry(path) != nil else { return }
    if try disk.entry(TakePath.sound(id)) == nil {
      try disk.moveIfPresent(path, to: TakePath.sound(id))
      work.markSalvaged(id)
    } else {
      try disk.removeIfPresent(path)
    }
  }

  /// Moves a sound and its metadata to `_Corrupted/`, the sound first: metadata without sound is recognised and
  /// follows at the next start.
  func setAside(_ id: String, reason: String) throws(LibraryError) {
    let time = clock.wallNow
    work.markQuarantined(id, reason: reason)
    note("\(id) could not be read and was moved to \(Quarantine.directory)/: \(reason)")
    let target = try quarantine.take(
      TakePath.sound(id), reason: reason, advice: RescueAdvice.sound, at: time)
    if let target { report.corrupted.append(target) }
    let metadata = try quarantine.take(
      TakePath.sidecar(id), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
    if metadata != nil {
      try disk.removeIfPresent(TakePath.backup(id))
    } else {
      try quarantine.take(
        TakePath.backup(id), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
    }
    try forget(id)
    work.markQuarantined(id, reason: nil)
  }

  /// Metadata whose sound is gone.
  func setAsideOrphan(_ name: String) throws(LibraryError) {
    let target = try quarantine.take(
      "\(TakePath.recordings)/\(name)", reason: "The sound it describes is not in recordings/.",
      advice: RescueAdvice.orphan, at: clock.wallNow)
    guard let target else { return }
    report.corrupted.append(target)
    note("\(name) had no sound beside it and was moved to \(target).")
  }

  /// Gives all but one of the sounds that would share a metadata file numbers of their own. The one that the metadata
  /// names keeps it.
  func renumber(_ ids: [String], sharing sidecar: String) throws(LibraryError) {
    let owner = try readMetadata("\(TakePath.recordings)/\(sidecar)").meta?.id
    let keeper = ids.first { $0 == owner } ?? ids.first
    for id in ids where id != keeper { try renumber(id) }
    for id in ids where id == keeper { work.add(.take(id)) }
  }

  private func renumber(_ id: String) throws(LibraryError) {
    guard var new = TakeName(id) else { return }
    while highestNumber < TakeName.highestNumber {
      new.number = highestNumber + 1
      let metadata = try disk.entry(TakePath.sidecar(new.file))
      let sound = try disk.entry(TakePath.sound(new.file))
      let isFree = metadata == nil && sound == nil
      // Absent: it has been done before a stall.
      if isFree, try !disk.moveIfPresent(TakePath.sound(id), to: TakePath.sound(new.file)) { return }
      highestNumber += 1
      guard isFree else { continue }
      note("\(id) shared its number with another take and is \(new.file) now.")
      work.add(.take(new.file))
      return
    }
  }
}
