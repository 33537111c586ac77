internal import Hardware
internal import JSON
internal import Media

/// Makes clips whole that a power cut or a crash has cut off, one at a time. Storage worker only.
///
/// A stall half-way is continued by calling again.
final class ClipRecovery {
  private let disk: Disk
  private let clock: any DeviceClock
  private let index: ClipIndex
  private let known: Index
  private let names: Names
  private let queue: RecoveryQueue
  private let log: RecoveryLog
  private let origin: Origin
  private let sounds: SoundRepair
  private let receipts: Receipts
  private let quarantine: Quarantine
  private let proofs: Proofs
  /// The finished clip that gets a new index.
  private var mending: String?
  /// The clip that is being completed.
  private var hand: (id: String, file: any StoredFile, repair: MediaRepair)?

  /// The key of receipts of clips that were saved out of the ring's copy.
  private static let fromRing = "fromRing"
  /// Of what its receipt says, so much of a clip has to be found before it is mended in place.
  private static let leastFound = 0.9
  /// No clip of which no more than the head was written is larger.
  private static let largestEmpty = 64 << 10

  init(
    disk: Disk, clock: any DeviceClock, index: ClipIndex, known: Index, names: Names, queue: RecoveryQueue,
    log: RecoveryLog, origin: Origin, sounds: SoundRepair, proofs: Proofs
  ) {
    self.origin = origin
    self.proofs = proofs
    self.disk = disk
    self.clock = clock
    self.index = index
    self.known = known
    self.names = names
    self.queue = queue
    self.log = log
    self.sounds = sounds
    receipts = Receipts(disk)
    quarantine = Quarantine(disk: disk)
  }

  /// Completes a clip that was being written, and lets it appear: a bounded piece of that.
  ///
  /// - Returns: whether it is done; else call again.
  func complete(_ id: String) throws(LibraryError) -> Bool {
    let path = ClipPath.part(id)
    guard !index.isOpen(id), let entry = try disk.entry(path), try origin.isOwnPart(id) else { return true }
    if try disk.cannotHold(entry.size) {
      try giveUp(id, entry)
      return true
    }
    if TakeName.isSealed(id) {
      try completeSealed(id)
      return true
    }
    guard let found = try look(id, path, mends: true) else { return false }
    guard found.condition == .finished else {
      try giveUp(id, entry)
      return true
    }
    let size = try disk.entry(path)?.size ?? entry.size
    let isFromRing = try noteRecovery(id, found, bytes: size)
    try proofs.completeCutOff(path, proof: ProofName.of(ClipPath.clip(id)), notes: [:])
    // A clip of this name cannot be there: names are given once.
    try disk.moveIfPresent(path, to: ClipPath.clip(id))
    index.enter(ClipRecord(id: id, bytes: size))
    log.count { $0.recoveredClips.append(id) }
    let length = RecoveryReport.spoken(seconds: found.seconds)
    log.note(
      isFromRing
        ? "\(id): \(length) that nobody had triggered yet, from before the power was cut."
        : "\(id) was cut off while it was being made; \(length) of it are saved.")
    return true
  }

  /// What is in it nobody here can say: it is listed as it is, and who has the key completes it.
  private func completeSealed(_ id: String) throws(LibraryError) {
    let size = try disk.completeSealed(ClipPath.part(id))
    let isFromRing = try noteRecovery(id, nil, bytes: size)
    try disk.moveIfPresent(ClipPath.part(id), to: ClipPath.clip(id))
    index.enter(ClipRecord(id: id, bytes: size))
    log.count { $0.recoveredClips.append(id) }
    log.note(
      isFromRing
        ? "\(id): sealed pictures that nobody had triggered yet, from before the power was cut."
        : "\(id) was cut off while it was being made, and is sealed: mynah decrypt completes it.")
  }

  /// A step of an inspection or a repair; nil while there is more. One that fails or stalls is begun again.
  private func look(_ id: String, _ path: String, mends: Bool) throws(LibraryError) -> MediaInspection? {
    if hand?.id != id {
      hand?.file.close()
      let file = try disk.open(path, writable: mends)
      file.usesReserve = mends
      hand = (id, file, mends ? MediaRepair(file, scratch: nil) : MediaRepair(inspecting: file))
    }
    do throws(StorageError) {
      guard var found = try hand?.repair.step() else { return nil }
      // One that was whole, and lacked its name only.
      if found.facts == nil, let file = hand?.file, let reader = try? ClipReader(file) {
        found.facts = try reader.facts(of: file)
      }
      hand?.file.close()
      hand = nil
      return found
    } catch {
      hand?.file.close()
      hand = nil
      throw .storage(error)
    }
  }

  /// A clip that has its name is whole, whatever its receipt still says: a bounded piece of looking what is in it.
  ///
  /// - Returns: whether it is done; else call again.
  func settleReceipt(_ id: String) throws(LibraryError) -> Bool {
    guard TakeName.isOurs(id), !TakeName.isSealed(id), try disk.entry(ClipPath.receipt(id)) != nil else { return true }
    let receipt: JSONValue
    do throws(LibraryError) { receipt = try receipts.read(id) } catch {
      if error.stalledUntil != nil { throw error }
      return true
    }
    guard receipt["inProgress"]?.boolValue == true, let entry = try disk.entry(ClipPath.clip(id)) else { return true }
    guard let found = try look(id, ClipPath.clip(id), mends: false) else { return false }
    try noteRecovery(id, found, bytes: entry.size)
    index.note(nil, of: id)
    return true
  }

  /// Gives a clip of the device's that was finished, and whose index is damaged, a new one: a bounded piece of that.
  /// All that was in it is in it still; where much of it cannot be found, it is left as it is.
  ///
  /// - Returns: whether it is done; else call again.
  func mend(_ id: String) throws(LibraryError) -> Bool {
    let path = ClipPath.clip(id)
    guard !TakeName.isSealed(id), let entry = try disk.entry(path), entry.isRegular, try origin.isOwnClip(id) else {
      return true
    }
    guard mending == id else {
      guard let found = try look(id, path, mends: false) else { return false }
      switch found.condition {
      case .unfinished(let reason):
        let noted = try receipts.readOrBegin(id)["durationSeconds"]?.numberValue ?? 0
        if found.seconds > noted * Self.leastFound {
          mending = id
          return false
        }
        log.note("\(id) stays as it is: \(reason) Much of what was in it could not be found.")
      case .damaged(let reason): log.note("\(id) cannot be read and stays as it is: \(reason)")
      case .finished, .foreign: break
      }
      return true
    }
    guard let found = try look(id, path, mends: true) else { return false }
    guard found.condition == .finished else {
      mending = nil
      return true
    }
    let size = try disk.entry(path)?.size ?? entry.size
    var receipt = try receipts.readOrBegin(id)
    receipt["fileBytes"] = .integer(size)
    receipt.note(gapsOf: found)
    if let facts = found.facts { receipt.state(facts) }
    try receipts.write(id, receipt)
    index.enter(ClipRecord(id: id, bytes: size))
    mending = nil
    log.note(
      "\(id) had a damaged index and has got a new one: \(RecoveryReport.spoken(seconds: found.seconds)) of it play.")
    return true
  }

  /// Looks into a film that the device has not made, or that has no receipt, and leaves it as it is: a step of that.
  ///
  /// - Returns: whether it is done; else call again.
  func look(at id: String) throws(LibraryError) -> Bool {
    guard let file = try disk.entry(ClipPath.clip(id)), file.isRegular else {
      index.forget(id)
      return true
    }
    // The device's own, without a receipt: nothing more can be known of it.
    guard !TakeName.isSealed(id) else { return true }
    guard let diagnosis = try sounds.look(at: ClipPath.clip(id)) else { return false }
    log.count { $0.inspected += 1 }
    let seen = TakeRecord(clip: file, diagnosis.shape)
    let clip = ClipRecord(seen)
    if clip.isListed { index.enter(clip) } else { index.forget(id) }
    if let reason = diagnosis.complaint, clip.isListed {
      log.note("\(id) cannot be read and stays as it is: \(reason)")
    }
    if diagnosis.isFinal { try known.pass(seen) }
    return true
  }

  /// Makes a piece of the ring's copy a clip that was cut off, and plans its completion.
  func adopt(_ piece: String) throws(LibraryError) {
    guard let entry = try disk.entry(ClipSpool.path(piece)) else { return }
    var receipt: JSONValue
    do throws(LibraryError) {
      receipt = try receipts.read(at: ClipSpool.receipt(piece))
    } catch {
      if error.stalledUntil != nil { throw error }
      receipt = [:]
    }
    let began = receipt["anchors"]?.arrayValue?.first?["wall"]?.integerValue
    let id = try names.give(
      createdAt: began.map { WallTime(nanosecondsSince1970: Int64($0)) } ?? entry.modified,
      fileExtension: ClipSpool.isSealed(piece) ? ClipPath.sealedExtension : ClipPath.fileExtension
    ) { name throws(LibraryError) -> String? in
      guard try ClipLibrary.isFree(name, on: disk) else { return nil }
      receipt["id"] = .string(name.file)
      receipt["inProgress"] = true
      receipt[Self.fromRing] = true
      try receipts.write(name.file, receipt)
      return name.file
    }
    try disk.moveIfPresent(ClipSpool.path(piece), to: ClipPath.part(id))
    try disk.removeIfPresent(ClipSpool.receipt(piece))
    queue.add(.clipPart(id))
  }

  /// A receipt alone is what a crash leaves of a delete (the clip goes first), or of a clip that was only begun.
  func removeReceipt(_ name: String) throws(LibraryError) { try disk.removeIfPresent("\(ClipPath.clips)/\(name)") }

  /// - Parameter found: what is in it; nil where nobody can tell.
  /// - Returns: whether it comes from the ring's copy.
  @discardableResult
  private func noteRecovery(_ id: String, _ found: MediaInspection?, bytes: Int) throws(LibraryError) -> Bool {
    var receipt = try receipts.readOrBegin(id)
    // One that was whole already, and only lacked its name, says so itself.
    guard receipt["stopReason"] == nil || receipt["inProgress"]?.boolValue == true else { return false }
    receipt["inProgress"] = nil
    receipt["id"] = .string(id)
    receipt["path"] = .string(ClipPath.clip(id))
    receipt["stopReason"] = .string(Library.recovered)
    receipt["fileBytes"] = .integer(bytes)
    if let found {
      receipt["durationSeconds"] = .number(found.seconds)
      receipt.note(gapsOf: found)
      if let facts = found.facts { receipt.state(facts) }
      if found.unreadableBytes > 0 { receipt["unreadableBytes"] = .integer(found.unreadableBytes) }
    }
    try receipts.write(id, receipt)
    return receipt[Self.fromRing]?.boolValue == true
  }

  /// Puts a clip that was being written aside, with what is known of it. That goes first: a receipt without its clip is
  /// taken for a leftover.
  func setAside(_ id: String, reason: String) throws(LibraryError) {
    let time = clock.wallNow
    for path in [ClipPath.receipt(id), ProofName.of(ClipPath.clip(id))] {
      try quarantine.take(path, reason: "Its clip could not be read.", advice: RescueAdvice.clip, at: time)
    }
    let target = try quarantine.take(ClipPath.part(id), reason: reason, advice: RescueAdvice.clip, at: time)
    guard let target else { return }
    log.note("\(id) was moved to \(target): \(reason)")
    log.count { $0.corrupted.append(target) }
  }

  /// Nothing can be shown of it: one that ends within its head goes, all else that somebody might still rescue is kept.
  private func giveUp(_ id: String, _ entry: StorageEntry) throws(LibraryError) {
    let isFromRing = try receipts.readOrBegin(id)[Self.fromRing]?.boolValue == true
    guard try isMereHead(id, entry) else {
      let reason = "No picture was found in what was written of "
      return try setAside(id, reason: reason + (isFromRing ? "it, which nobody had triggered yet." : "the clip."))
    }
    if !isFromRing, log.note("\(id) had been begun and had received no picture; it was removed.") {
      log.count { $0.emptyRemoved += 1 }
    }
    try names.keep()
    try disk.removeIfPresent(ClipPath.part(id))
    try disk.removeIfPresent(ProofName.of(ClipPath.clip(id)))
    try disk.removeIfPresent(ClipPath.receipt(id))
  }

  private func isMereHead(_ id: String, _ entry: StorageEntry) throws(LibraryError) -> Bool {
    guard entry.size <= Self.largestEmpty else { return false }
    let file = try disk.open(ClipPath.part(id), writable: false)
    defer { file.close() }
    do throws(StorageError) { return try MediaRepair.isMereHead(file) } catch { throw .storage(error) }
  }
}
