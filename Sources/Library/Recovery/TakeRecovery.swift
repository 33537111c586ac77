internal import Hardware

/// Makes takes whole, one at a time: metadata, sound, catalogue. Storage worker only.
///
/// Any of it may be called again at any time and comes to the same result; a stall half-way is continued by calling again.
final class TakeRecovery {
  private let disk: Disk
  private let index: Index
  private let metadata: Metadata
  private let names: Names
  private let queue: RecoveryQueue
  private let log: RecoveryLog
  private let origin: Origin
  private let sounds: SoundRepair
  private let proofs: Proofs
  /// What is being removed: the storage may stall in the midst of it.
  private var removed: String?

  /// The take whose sound is being looked at.
  private var hand: String?
  /// What its notes said, if they call it finished.
  private var noted: NotedSound?
  /// A take that had ended, and whose file could not be completed then. Why it ended is known.
  private var ended: String?

  /// What is known of a sound of which nothing can be made.
  private static let nothing = TakeShape(frames: 0, sampleRate: 0, channels: 0, format: "")
  /// A file of at most this size that holds no sound is the mere head of a take that never began.
  static func largestEmpty(_ id: String) -> Int {
    switch TakeName.split(id).suffix {
    case ".flac": 32 << 10
    case ".opus": 17 << 10
    default: 4096
    }
  }

  init(
    disk: Disk, index: Index, metadata: Metadata, names: Names, queue: RecoveryQueue, log: RecoveryLog,
    origin: Origin, sounds: SoundRepair, proofs: Proofs
  ) {
    self.origin = origin
    self.proofs = proofs
    self.disk = disk
    self.index = index
    self.metadata = metadata
    self.names = names
    self.queue = queue
    self.log = log
    self.sounds = sounds
  }

  /// Looks at one take and makes it whole, a bounded piece at a time.
  ///
  /// - Parameter thoroughly: look at the sound's structure even if size and metadata agree.
  /// - Returns: whether it is done; else call again with the same values.
  func examine(_ id: String, thoroughly: Bool) throws(LibraryError) -> Bool {
    do {
      return try attend(to: id, thoroughly: thoroughly)
    } catch {
      hand = nil
      throw error
    }
  }

  /// Completes the file of a take that ended when the storage did not let it be completed, a bounded piece at a time.
  func finish(_ id: String) throws(LibraryError) {
    // What is not found while all of it is away has not been removed, and notes that cannot be read now are not damaged.
    if let absence = disk.absence { throw .storage(absence) }
    for path in [TakePath.sidecar(id), TakePath.backup(id)] where try disk.entry(path) != nil {
      _ = try disk.read(path, limit: Metadata.largest)
    }
    guard try examine(id, thoroughly: true) else { return }
    metadata.setFinished(id)
    log.publishNotes()
  }

  private func attend(to id: String, thoroughly: Bool) throws(LibraryError) -> Bool {
    if removed == id {
      try remove(id)
      return true
    }
    if hand == id { return try goOn(id) }
    guard !metadata.isOpen(id) else { return true }
    guard TakeName.isOurs(id) else { return try look(at: id) }
    if try writeWaiting(id) { return true }
    if try disk.entry(TakePath.sound(id)) == nil, try origin.isOwnSalvage(id) { try sounds.finishSalvage(id) }
    guard let sound = try ordinary(id) else {
      if let reason = log.quarantineReason(id) { try setAside(id, reason: reason) } else { try index.forget(id) }
      return true
    }
    let notes = try metadata.file(TakePath.sidecar(id))
    guard try origin.isOwn(id, notes: notes) else { return try look(at: id) }
    let (meta, isDoubtful) = try readableMetadata(of: id, notes)
    if sound.size == 0 {
      try dropEmpty(id, meta)
      return true
    }
    if try disk.cannotHold(sound.size) {
      try setAside(id, reason: "It claims \(sound.size) bytes, more than the storage has.")
      return true
    }
    if let meta, meta.inProgress, meta.stopReason != nil { ended = id }
    if TakeName.isSealed(id) {
      try settleSealed(id, meta, mustWrite: isDoubtful)
      return true
    }
    let isKnown = log.isTrusted(id)
    if let meta, !thoroughly, !meta.inProgress, meta.audio.fileSizeBytes == sound.size {
      try settle(meta, id: id, sound: sound, mustWrite: isDoubtful, verified: isKnown)
      log.count { $0.indexed += 1 }
      if !isKnown { queue.add(.inspect(id)) }
      return true
    }
    hand = id
    noted = nil
    if let meta, !meta.inProgress { noted = NotedSound(frames: meta.frames, bytes: meta.audio.fileSizeBytes) }
    return try goOn(id)
  }

  /// A piece of work on a sound, and what follows from it.
  private func goOn(_ id: String) throws(LibraryError) -> Bool {
    guard let outcome = try sounds.repair(id, noted: noted) else { return false }
    hand = nil
    log.count { $0.inspected += 1 }
    guard case .kept(let shape, let isMended) = outcome else {
      try finishSettingAside(id)
      return true
    }
    // As it is now: somebody may have renamed the take meanwhile.
    let (meta, isDoubtful) = try readableMetadata(of: id, try metadata.file(TakePath.sidecar(id)))
    if shape.frames == 0, meta?.inProgress ?? true {
      try dropSoundless(id)
    } else {
      try complete(
        id, meta: meta, shape: shape, isMended: isMended || log.isChanged(id), mustWrite: isDoubtful)
    }
    return true
  }

  /// A file's size and time; an error if it is a link, a pipe or a directory.
  private func ordinary(_ id: String) throws(LibraryError) -> StorageEntry? {
    guard let sound = try disk.entry(TakePath.sound(id)) else { return nil }
    guard sound.isRegular else {
      throw .unreadable(path: TakePath.sound(id), reason: "it is not an ordinary file and is left alone")
    }
    return sound
  }

  // MARK: Files from elsewhere

  /// Lists a file that the device has not made, and leaves it as it is, whatever it is. What is no sound, and not
  /// called one, is not listed.
  private func look(at id: String) throws(LibraryError) -> Bool {
    guard let sound = try ordinary(id) else {
      try index.forget(id)
      return true
    }
    guard let diagnosis = try sounds.look(at: TakePath.sound(id))?.ofStranger else { return false }
    log.count { $0.inspected += 1 }
    let meta = try metadata.ofStranger(id)
    let shape = diagnosis.shape ?? Self.nothing
    var listed = meta ?? Self.rebuilt(id, from: shape, sound: sound)
    listed.inProgress = false
    listed.isForeign = TakeName.isOurs(id)
    listed.audio.sampleRate = shape.sampleRate
    listed.audio.channels = shape.channels
    listed.audio.format = shape.format
    listed.audio.bitrateKbps = shape.bitrateKbps
    listed.setLength(frames: shape.frames, fileSizeBytes: sound.size)
    let sidecar = meta == nil ? nil : try disk.entry(TakePath.sidecar(id))
    var record = TakeRecord(listed, id: id, sound: sound, sidecar: sidecar, verified: diagnosis.isFinal)
    if let reason = diagnosis.complaint {
      record.isUnreadable = true
      if TakePath.isSound(id) { log.note("\(id) cannot be read and stays as it is: \(reason)") }
    }
    // What is not certain is not kept: the next start looks again.
    switch (record.isNoTake, diagnosis.isFinal) {
    case (true, true): try index.pass(record)
    case (true, false): index.hide(id)
    case (false, true): try index.enter(record)
    case (false, false): index.show(record)
    }
    return true
  }

  // MARK: Takes of the device's

  /// Writes metadata that is complete in memory, while only the provisional is on the storage.
  ///
  /// - Returns: whether there was any.
  @discardableResult
  func writeWaiting(_ id: String) throws(LibraryError) -> Bool {
    guard var meta = metadata.ofWaiting(id) else { return false }
    let sound = try disk.entry(TakePath.sound(id))
    if let sound { meta.setLength(frames: meta.frames, fileSizeBytes: sound.size) }
    let sidecar = try metadata.write(meta, id: id, withBackup: true)
    try index.enter(TakeRecord(meta, id: id, sound: sound, sidecar: sidecar, verified: !meta.inProgress))
    metadata.stopWaiting(id)
    return true
  }

  /// Puts a take's true length and attributes into its metadata and lists it.
  private func complete(
    _ id: String, meta: FileMeta?, shape: TakeShape, isMended: Bool, mustWrite: Bool
  ) throws(LibraryError) {
    guard let sound = try disk.entry(TakePath.sound(id)) else { return }
    var final = meta ?? Self.rebuilt(id, from: shape, sound: sound)
    let wasCutOff = final.inProgress
    let hasEnded = ended == id
    let before = final.frames
    // A crash between repair and metadata: the sound is complete, and shorter than was known.
    let hasLostItsEnd = final.audio.fileSizeBytes != sound.size && shape.frames < before
    let isMended = isMended || hasLostItsEnd
    // Nobody knows any more why a take without metadata ended.
    if (isMended || wasCutOff) && !hasEnded || meta == nil { final.stopReason = Library.recovered }
    final.inProgress = false
    // As at its end: the marks of a safety take are those of its take.
    if wasCutOff, let main = TakeName.main(of: id), let notes = try metadata.file(TakePath.sidecar(main)).meta {
      final.bookmarks = notes.bookmarks.filter { $0.place(sampleRate: shape.sampleRate) < shape.frames }
    }
    // What was cut off has no chapters.
    if isMended || wasCutOff, !final.bookmarks.isEmpty { final.hasNewMarks = true }
    final.audio.sampleRate = shape.sampleRate
    final.audio.channels = shape.channels
    if !shape.format.isEmpty { final.audio.format = shape.format }
    if isMended || final.audio.bitrateKbps == nil { final.audio.bitrateKbps = shape.bitrateKbps }
    final.setLength(frames: shape.frames, fileSizeBytes: sound.size)
    if isMended || wasCutOff { final.clampPreRecord() }
    final.note(damaged: shape.gaps)
    // Told before it is written: a stall in between comes back to metadata that is already in order.
    if log.tell(of: id) {
      tell(
        of: id, final, wasCutOff: isMended || wasCutOff, hasEnded: hasEnded, isNew: meta == nil,
        lost: meta?.inProgress == false ? before - shape.frames : 0)
    }
    try settle(final, id: id, sound: sound, mustWrite: mustWrite || final != meta, verified: true)
    if isMended || wasCutOff || hasEnded {
      try proofs.completeCutOff(TakePath.sound(id), notes: final.signedAtRecovery)
    }
    log.clear(id)
    if hasEnded { ended = nil }
  }

  /// What is in it nobody here can say: of one that was cut off its length stays unknown, and who has the key completes it.
  private func settleSealed(_ id: String, _ meta: FileMeta?, mustWrite: Bool) throws(LibraryError) {
    let size = try disk.completeSealed(TakePath.sound(id))
    guard let sound = try disk.entry(TakePath.sound(id)) else { return }
    var final = meta ?? Self.rebuilt(id, from: Self.nothing, sound: sound)
    let wasCutOff = final.inProgress
    if wasCutOff && ended != id || meta == nil { final.stopReason = Library.recovered }
    final.inProgress = false
    final.hasNewMarks = false
    // That of a finished one is known, and stays: what is shorter has been cut off since.
    let noted = wasCutOff ? 0 : final.audio.fileSizeBytes
    final.audio.fileSizeBytes = max(size, noted)
    if wasCutOff { final.clampPreRecord() }
    if size < noted, log.tell(of: id) {
      log.note("\(id) is sealed, and has only \(size) of its \(noted) bytes: copy it anew; decrypt opens the rest.")
    } else if wasCutOff, log.tell(of: id) {
      log.count { $0.recovered.append(id) }
      let what = ended == id ? "could not be completed when it ended" : "had been cut off"
      log.note("\(id) \(what), and is sealed: mynah decrypt completes it.")
    } else if meta == nil, log.tell(of: id) {
      log.count { $0.metadataRebuilt.append(id) }
      log.note("\(id) had no metadata, and is sealed: its length is not known.")
    }
    try settle(final, id: id, sound: sound, mustWrite: mustWrite || final != meta, verified: true)
    log.clear(id)
    if ended == id { ended = nil }
  }

  /// Puts into the report what was done to a take.
  ///
  /// - Parameter lost: frames that were known and are gone.
  private func tell(of id: String, _ meta: FileMeta, wasCutOff: Bool, hasEnded: Bool, isNew: Bool, lost: Int) {
    let length = RecoveryReport.spoken(seconds: meta.audio.duration)
    if log.isSalvaged(id) {
      log.count { $0.salvaged.append(id) }
      log.note("\(id) was damaged; \(length) of it could be saved. The original is in \(Quarantine.directory)/.")
    } else if wasCutOff {
      log.count { $0.recovered.append(id) }
      let seconds = Double(lost) / Double(max(1, meta.audio.sampleRate))
      let loss = lost > 0 ? "; \(RecoveryReport.spoken(seconds: seconds)) are lost" : ""
      let what = hasEnded ? "could not be completed when it ended, and is now" : "had been cut off and was completed"
      log.note("\(id) \(what): \(length) of sound\(loss).")
    }
    if isNew {
      log.count { $0.metadataRebuilt.append(id) }
      log.note("\(id) had no metadata; it was made anew from the sound.")
    }
  }

  /// Writes metadata where it has to be, and lists the take.
  private func settle(
    _ meta: FileMeta, id: String, sound: StorageEntry, mustWrite: Bool, verified: Bool
  ) throws(LibraryError) {
    let sidecar =
      mustWrite ? try metadata.write(meta, id: id, withBackup: true) : try disk.entry(TakePath.sidecar(id))
    try index.enter(TakeRecord(meta, id: id, sound: sound, sidecar: sidecar, verified: verified))
  }

  /// The metadata, from its backup if need be; a damaged file goes to `_Corrupted/`.
  ///
  /// - Returns: the metadata and whether it has to be written.
  private func readableMetadata(of id: String, _ first: MetadataFile) throws(LibraryError) -> (FileMeta?, Bool) {
    var (meta, isDoubtful) = try writtenMetadata(of: id, first)
    if meta?.id != id, meta != nil {
      // Renamed by hand, on a computer: the file's name is the take's identity.
      meta?.id = id
      meta?.session = TakeName.number(in: id)
      isDoubtful = true
    }
    return (meta, isDoubtful)
  }

  private func writtenMetadata(of id: String, _ first: MetadataFile) throws(LibraryError) -> (FileMeta?, Bool) {
    if let meta = first.meta {
      // A crash between the two writes, or another computer: the backup is missing.
      if meta.inProgress { return (meta, false) }
      return (meta, try disk.entry(TakePath.backup(id)) == nil)
    }
    if case .damaged(let reason) = first { try sounds.setAsideMetadata(of: id, reason: reason) }
    guard let meta = try metadata.file(TakePath.backup(id)).meta else { return (nil, true) }
    log.note("The metadata of \(id) was taken from its backup.")
    log.count { report in if !report.metadataRebuilt.contains(id) { report.metadataRebuilt.append(id) } }
    return (meta, true)
  }

  // MARK: What goes

  /// A file without a byte in it.
  private func dropEmpty(_ id: String, _ meta: FileMeta?) throws(LibraryError) {
    if let meta, !meta.inProgress, meta.audio.fileSizeBytes > 0 {
      return try setAside(id, reason: "The file is empty; it used to have \(meta.audio.fileSizeBytes) bytes.")
    }
    let isNew = log.note("\(id) had been begun and had received nothing; it was removed.")
    if isNew { log.count { $0.emptyRemoved += 1 } }
    try remove(id)
  }

  /// A file in which there is structure and no sound.
  private func dropSoundless(_ id: String) throws(LibraryError) {
    let size = try disk.entry(TakePath.sound(id))?.size ?? 0
    guard size <= Self.largestEmpty(id) else { return try setAside(id, reason: "No sound could be found in it.") }
    let isNew = log.note("\(id) had been begun and had received no sound; it was removed.")
    if isNew { log.count { $0.emptyRemoved += 1 } }
    try remove(id)
  }

  private func remove(_ id: String) throws(LibraryError) {
    removed = id
    try names.keep()
    // The notes after it: an empty file of which nothing tells is a stranger's.
    try disk.removeIfPresent(TakePath.sound(id))
    try disk.removeIfPresent(TakePath.backup(id))
    try disk.removeIfPresent(TakePath.sidecar(id))
    try disk.removeIfPresent(ProofName.of(TakePath.sound(id)))
    try index.forget(id)
    removed = nil
  }

  func setAside(_ id: String, reason: String) throws(LibraryError) {
    try sounds.setAside(id, reason: reason)
    try finishSettingAside(id)
  }

  private func finishSettingAside(_ id: String) throws(LibraryError) {
    try index.forget(id)
    log.markQuarantined(id, reason: nil)
  }

  // MARK: Names

  /// Gives all but one of the sounds that would share a metadata file numbers of their own. The one that the metadata
  /// names keeps it.
  func renumber(_ ids: [String], sharing sidecar: String) throws(LibraryError) {
    let owner = try metadata.file("\(TakePath.recordings)/\(sidecar)").meta?.id
    var own: [String] = []
    for id in ids {
      let isOwn = id == owner ? true : try origin.isOwn(id)
      if isOwn { own.append(id) }
    }
    let keeper = own.first { $0 == owner } ?? own.first
    for id in own where id != keeper { try renumber(id) }
    for id in ids where id == keeper || !own.contains(id) { queue.add(.take(id)) }
  }

  private func renumber(_ id: String) throws(LibraryError) {
    guard let old = TakeName(id) else { return }
    // Absent: it has been done before a stall.
    guard try disk.entry(TakePath.sound(id)) != nil else { return }
    let new = try names.give(
      createdAt: old.createdAt ?? WallTime(nanosecondsSince1970: 0), fileExtension: old.fileExtension
    ) { name throws(LibraryError) -> TakeName? in
      var name = name
      name.stamp = old.stamp
      let target = TakePath.sound(name.file)
      guard try disk.entry(TakePath.sidecar(name.file)) == nil, try disk.entry(target) == nil else { return nil }
      // The sound last: nothing is left to be done once it is moved.
      try disk.moveIfPresent(ProofName.of(TakePath.sound(id)), to: ProofName.of(target))
      return try disk.moveIfPresent(TakePath.sound(id), to: target) ? name : nil
    }
    log.note("\(id) shared its number with another take and is \(new.file) now.")
    queue.add(.take(new.file))
  }

  // MARK: What cannot be dealt with

  /// Lists a take by its name, for it is not read by this start.
  func listUnread(_ id: String) throws(LibraryError) {
    guard let sound = try disk.entry(TakePath.sound(id)), sound.isRegular else { return }
    var record = TakeRecord(unseen: sound)
    (record.isPending, record.isUnreadable) = (false, true)
    if !record.isNoTake { index.show(record) }
  }

  /// Lists a take as far as it can be understood without writing.
  func listUnchecked(_ id: String) throws(LibraryError) {
    guard index[id]?.isPending != false,
      let sound = try tolerant({ () throws(LibraryError) in try disk.entry(TakePath.sound(id)) }), sound.isRegular
    else { return }
    let meta = try tolerant { () throws(LibraryError) in try metadata.read(id) }
    let isSealed = TakeName.isSealed(id)
    let shape = isSealed ? nil : try tolerant { () throws(LibraryError) in try sounds.inspect(id).shape }
    guard shape != nil || TakePath.isSound(id) else { return }
    var listed = meta ?? Self.rebuilt(id, from: shape ?? Self.nothing, sound: sound)
    let isOwn = try tolerant { () throws(LibraryError) in try origin.isOwn(id) }
    listed.isForeign = TakeName.isOurs(id) && isOwn == false
    if let shape { listed.setLength(frames: shape.frames, fileSizeBytes: sound.size) }
    var record = TakeRecord(listed, id: id, sound: sound, sidecar: nil, verified: false)
    record.isUnreadable = shape == nil && !isSealed
    index.show(record)
    // The storage may take its end later.
    if meta?.inProgress == true, isOwn == true { metadata.keepUnfinished(id) }
  }

  private func tolerant<Value>(_ body: () throws(LibraryError) -> Value?) throws(LibraryError) -> Value? {
    do {
      return try body()
    } catch {
      if error.stalledUntil != nil { throw error }
      return nil
    }
  }

  /// Metadata for a sound that has none.
  private static func rebuilt(_ id: String, from shape: TakeShape, sound: StorageEntry) -> FileMeta {
    var meta = FileMeta(
      id: id, displayName: TakeName.split(id).stem, createdAt: TakeName(id)?.createdAt ?? sound.modified,
      audio: AudioAttributes(
        duration: 0, bitrateKbps: shape.bitrateKbps, sampleRate: shape.sampleRate, channels: shape.channels,
        format: shape.format, fileSizeBytes: sound.size))
    meta.session = TakeName.number(in: id)
    meta.setLength(frames: shape.frames, fileSizeBytes: sound.size)
    return meta
  }
}
