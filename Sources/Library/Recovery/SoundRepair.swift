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

/// Makes sound files whole, or puts them aside. Only ever used on files that the device has made. Storage worker only.
struct SoundRepair {
  private let disk: Disk
  private let clock: any DeviceClock
  private let repairer: any TakeRepairer
  private let quarantine: Quarantine
  private let log: RecoveryLog
  private let notices: Notices

  init(disk: Disk, clock: any DeviceClock, repairer: any TakeRepairer, log: RecoveryLog, notices: Notices) {
    self.disk = disk
    self.clock = clock
    self.repairer = repairer
    self.log = log
    self.notices = notices
    quarantine = Quarantine(disk: disk)
  }

  /// Looks into a sound without changing it; any file may be asked about.
  func inspect(_ id: String) throws(LibraryError) -> TakeDiagnosis {
    let file = try disk.open(TakePath.sound(id), writable: false)
    defer { file.close() }
    do { return try repairer.inspect(file) } catch { throw .storage(error) }
  }

  /// Repairs what is unfinished, salvages what is damaged, moves away what is beyond saving.
  func repair(_ id: String) throws(LibraryError) -> RepairOutcome {
    switch try inspect(id) {
    case .complete(let shape): return .kept(shape, isMended: false)
    case .unfinished:
      // Remembered, for a repair that stalls at its last write leaves a complete file.
      log.markMended(id)
      let file = try disk.open(TakePath.sound(id), writable: true)
      defer { file.close() }
      let outcome: TakeDiagnosis
      do { outcome = try repairer.repair(file) } catch { throw .storage(error) }
      switch outcome {
      case .complete(let shape), .unfinished(let shape): return .kept(shape, isMended: true)
      case .damaged(let reason): return try salvage(id, reason: reason)
      }
    case .damaged(let reason): return try salvage(id, reason: reason)
    }
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
      if error.stalledUntil == nil { do { try disk.removeIfPresent(path) } catch { notices.warn(error.description) } }
      throw error
    }
    guard let saved, saved.frames > 0 else {
      try disk.removeIfPresent(path)
      try setAside(id, reason: reason)
      return .quarantined
    }
    log.markSalvaged(id)
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
      let diagnosis = try repairer.salvage(from: source, into: target)
      if case .unfinished = diagnosis { return try repairer.repair(target).shape }
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
      log.markSalvaged(id)
    } else {
      try disk.removeIfPresent(path)
    }
  }

  /// Moves a sound and its metadata to `_Corrupted/`, the sound first: metadata without sound is recognised and
  /// follows at the next start.
  func setAside(_ id: String, reason: String) throws(LibraryError) {
    let time = clock.wallNow
    log.markQuarantined(id, reason: reason)
    log.note("\(id) could not be read and was moved to \(Quarantine.directory)/: \(reason)")
    let target = try quarantine.take(TakePath.sound(id), reason: reason, advice: RescueAdvice.sound, at: time)
    if let target { log.count { $0.corrupted.append(target) } }
    let metadata = try quarantine.take(
      TakePath.sidecar(id), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
    if metadata != nil {
      try disk.removeIfPresent(TakePath.backup(id))
    } else {
      try quarantine.take(
        TakePath.backup(id), reason: "Its sound could not be read.", advice: RescueAdvice.orphan, at: time)
    }
  }

  /// Moves a damaged metadata file away.
  func setAsideMetadata(of id: String, reason: String) throws(LibraryError) {
    log.note("The metadata of \(id) was damaged (\(reason)) and moved to \(Quarantine.directory)/.")
    let target = try quarantine.take(
      TakePath.sidecar(id), reason: reason, advice: RescueAdvice.metadata, at: clock.wallNow)
    if let target { log.count { $0.corrupted.append(target) } }
  }

  /// Metadata whose sound is gone.
  func setAsideOrphan(_ name: String) throws(LibraryError) {
    let target = try quarantine.take(
      "\(TakePath.recordings)/\(name)", reason: "The sound it describes is not in recordings/.",
      advice: RescueAdvice.orphan, at: clock.wallNow)
    guard let target else { return }
    log.count { $0.corrupted.append(target) }
    log.note("\(name) had no sound beside it and was moved to \(target).")
  }
}
