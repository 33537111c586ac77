internal import Hardware

extension TakeLibrary {
  /// A file of at most this size that holds no sound is the mere head of a take that never began.
  private static let largestEmpty = 4096

  /// Looks at one take and makes it whole: metadata, sound, catalogue. May be called again at any time and comes to
  /// the same result; a stall half-way is continued by calling again.
  ///
  /// - Parameter thoroughly: look at the sound's structure even if size and metadata agree.
  func examine(_ id: String, thoroughly: Bool) throws(LibraryError) {
    guard active[id] == nil else { return }
    if let meta = unsaved[id] {
      // Complete in memory; what is on the storage is only the provisional metadata.
      let sidecar = try write(meta, id: id, withBackup: true)
      try enter(TakeRecord(meta, id: id, sound: disk.entry(TakePath.sound(id)), sidecar: sidecar, verified: true))
      unsaved[id] = nil
      return
    }
    if try disk.entry(TakePath.sound(id)) == nil { try finishSalvage(id) }
    guard let sound = try disk.entry(TakePath.sound(id)) else {
      if let reason = work.quarantined[id] { return try setAside(id, reason: reason) }
      return try forget(id)
    }
    var (meta, isDoubtful) = try readableMetadata(of: id)
    if meta?.id != id, meta != nil {
      // Renamed by hand, on a computer: the file's name is the take's identity.
      meta?.id = id
      meta?.session = TakeName.number(in: id)
      isDoubtful = true
    }
    if sound.size == 0 { return try dropEmpty(id, meta) }
    let isKnown = work.trusted.contains(id)
    if let meta, !thoroughly, !meta.inProgress, meta.audio.fileSizeBytes == sound.size {
      try settle(meta, id: id, sound: sound, mustWrite: isDoubtful, verified: isKnown)
      report.indexed += 1
      if !isKnown { work.add(.inspect(id)) }
      return
    }
    let outcome = try repairSound(id)
    report.inspected += 1
    guard case .kept(let shape, let isMended) = outcome else { return }
    let wasCutOff = meta?.inProgress ?? (TakeName.number(in: id) != nil)
    if shape.frames == 0, wasCutOff { return try dropSoundless(id) }
    try complete(
      id, meta: meta, shape: shape, isMended: isMended || work.mended.contains(id) || work.salvaged.contains(id),
      mustWrite: isDoubtful)
  }

  /// Puts a take's true length and attributes into its metadata and lists it.
  private func complete(
    _ id: String, meta: FileMeta?, shape: TakeShape, isMended: Bool, mustWrite: Bool
  ) throws(LibraryError) {
    guard let sound = try disk.entry(TakePath.sound(id)) else { return }
    var final = meta ?? Self.rebuilt(id, from: shape, sound: sound)
    let wasCutOff = final.inProgress
    let before = final.frames
    // A crash between repair and metadata: the sound is complete, and shorter than was known.
    let hasLostItsEnd = final.audio.fileSizeBytes != sound.size && shape.frames < before
    let isMended = isMended || hasLostItsEnd
    // Nobody knows any more why a numbered take without metadata ended.
    let isOrphaned = meta == nil && final.session != nil
    if isMended || wasCutOff || isOrphaned { final.stopReason = Self.recovered }
    final.inProgress = false
    final.audio.sampleRate = shape.sampleRate
    final.audio.channels = shape.channels
    if !shape.format.isEmpty { final.audio.format = shape.format }
    if isMended || final.audio.bitrateKbps == nil { final.audio.bitrateKbps = shape.bitrateKbps }
    final.setLength(frames: shape.frames, fileSizeBytes: sound.size)
    // Told before it is written: a stall in between comes back to metadata that is already in order.
    if work.tell(of: id) {
      tell(
        of: id, final, wasCutOff: isMended || wasCutOff, isNew: meta == nil,
        lost: meta?.inProgress == false ? before - shape.frames : 0)
    }
    try settle(final, id: id, sound: sound, mustWrite: mustWrite || final != meta, verified: true)
    work.clear(id)
  }

  /// Puts into the report what was done to a take.
  ///
  /// - Parameter lost: frames that were known and are gone.
  private func tell(of id: String, _ meta: FileMeta, wasCutOff: Bool, isNew: Bool, lost: Int) {
    let length = Self.spoken(seconds: meta.audio.duration)
    if work.salvaged.contains(id) {
      report.salvaged.append(id)
      note("\(id) was damaged; \(length) of it could be saved. The original is in \(Quarantine.directory)/.")
    } else if wasCutOff {
      report.recovered.append(id)
      let seconds = Double(lost) / Double(max(1, meta.audio.sampleRate))
      let loss = lost > 0 ? "; \(Self.spoken(seconds: seconds)) are lost" : ""
      note("\(id) had been cut off and was completed: \(length) of sound\(loss).")
    }
    if isNew {
      report.metadataRebuilt.append(id)
      note("\(id) had no metadata; it was made anew from the sound.")
    }
  }

  /// Writes metadata where it has to be, and lists the take.
  private func settle(
    _ meta: FileMeta, id: String, sound: StorageEntry, mustWrite: Bool, verified: Bool
  ) throws(LibraryError) {
    let sidecar =
      mustWrite ? try write(meta, id: id, withBackup: true) : try disk.entry(TakePath.sidecar(id))
    try enter(TakeRecord(meta, id: id, sound: sound, sidecar: sidecar, verified: verified))
  }

  /// The metadata, from its backup if need be; a damaged file goes to `_Corrupted/`.
  ///
  /// - Returns: the metadata and whether it has to be written.
  private func readableMetadata(of id: String) throws(LibraryError) -> (FileMeta?, Bool) {
    let path = TakePath.sidecar(id)
    let first = try readMetadata(path)
    if let meta = first.meta {
      // A crash between the two writes, or another computer: the backup is missing.
      if meta.inProgress { return (meta, false) }
      return (meta, try disk.entry(TakePath.backup(id)) == nil)
    }
    if case .damaged(let reason) = first {
      note("The metadata of \(id) was damaged (\(reason)) and moved to \(Quarantine.directory)/.")
      let target = try quarantine.take(path, reason: reason, advice: RescueAdvice.metadata, at: clock.wallNow)
      if let target { report.corrupted.append(target) }
    }
    guard let meta = try readMetadata(TakePath.backup(id)).meta else { return (nil, true) }
    note("The metadata of \(id) was taken from its backup.")
    if !report.metadataRebuilt.contains(id) { report.metadataRebuilt.append(id) }
    return (meta, true)
  }

  /// A file without a byte in it.
  private func dropEmpty(_ id: String, _ meta: FileMeta?) throws(LibraryError) {
    if let meta, !meta.inProgress, meta.audio.fileSizeBytes > 0 {
      return try setAside(id, reason: "The file is empty; it used to have \(meta.audio.fileSizeBytes) bytes.")
    }
    if note("\(id) had been begun and had received nothing; it was removed.") { report.emptyRemoved += 1 }
    try remove(id)
  }

  /// A file in which the doctor finds structure and no sound.
  private func dropSoundless(_ id: String) throws(LibraryError) {
    let size = try disk.entry(TakePath.sound(id))?.size ?? 0
    guard size <= Self.largestEmpty else { return try setAside(id, reason: "No sound could be found in it.") }
    if note("\(id) had been begun and had received no sound; it was removed.") { report.emptyRemoved += 1 }
    try remove(id)
  }

  private func remove(_ id: String) throws(LibraryError) {
    try keepCounter()
    try disk.removeIfPresent(TakePath.backup(id))
    try disk.removeIfPresent(TakePath.sidecar(id))
    try disk.removeIfPresent(TakePath.sound(id))
    try forget(id)
  }

  func forget(_ id: String) throws(LibraryError) {
    guard index.remove(id) != nil else { return }
    try attempt("The catalogue will be made anew") { () throws(LibraryError) in
      try catalogue.append(.remove(id))
    }
  }

  /// Metadata for a sound that has none.
  static func rebuilt(_ id: String, from shape: TakeShape, sound: StorageEntry) -> FileMeta {
    var meta = FileMeta(
      id: id, displayName: TakeName.split(id).stem, createdAt: TakeName(id)?.createdAt ?? sound.modified,
      audio: AudioAttributes(
        duration: 0, bitrateKbps: shape.bitrateKbps, sampleRate: shape.sampleRate, channels: shape.channels,
        format: shape.format, fileSizeBytes: sound.size))
    meta.session = TakeName.number(in: id)
    meta.setLength(frames: shape.frames, fileSizeBytes: sound.size)
    return meta
  }

  /// `1 h 02 min 03.4 s`, without the parts that are nought.
  static func spoken(seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "an unknown length" }
    let tenths = Int((seconds * 10).rounded())
    let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60)
    let rest = "\(tenths / 10 % 60).\(tenths % 10) s"
    if hours > 0 { return "\(hours) h \(minutes) min \(rest)" }
    return minutes > 0 ? "\(minutes) min \(rest)" : rest
  }
}
