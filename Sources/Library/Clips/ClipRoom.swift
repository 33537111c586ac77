internal import Hardware

/// How much room clips may take. The oldest go first, protected ones never.
public struct ClipRetention: Hashable, Sendable {
  /// Most bytes of finished clips that the device has made; `nil`: no limit.
  public var quotaBytes: Int?
  /// Bytes that stay free on the medium when a new clip begins.
  public var reserveBytes = 64 << 20
  /// False: nothing is ever removed; a full medium then ends clips.
  public var removesOldest = true
}

/// Keeps the clips within their retention. What others have made is not the device's to remove, and takes no room of it.
///
/// Storage worker only. After a stall call again.
final class ClipRoom {
  var retention = ClipRetention()
  private let disk: Disk
  private let index: ClipIndex
  private let reader: ClipFactsReader
  private let names: Names
  private let notices: Notices
  private let trash: Trash
  /// Bytes that have gone for the clips that are being made.
  private var freed = 0

  /// Bytes of receipts that nobody has read yet which are read to make room once: those of thousands of ours.
  private static let mostReceiptBytes = 4 << 20
  /// Receipts that are read once to know what can go.
  private static let mostReceipts = 256

  init(disk: Disk, index: ClipIndex, reader: ClipFactsReader, names: Names, notices: Notices, trash: Trash) {
    (self.disk, self.index, self.reader) = (disk, index, reader)
    (self.names, self.notices, self.trash) = (names, notices, trash)
  }

  /// Removes the oldest clips that are not protected until quota and reserve are kept, as far as that goes. What is in
  /// the trash goes first.
  func make() throws(LibraryError) {
    if retention.removesOldest, try isShortOfSpace() { try trash.empty() }
    var budget = Self.mostReceiptBytes
    try readReceipts(&budget)
    let wanted = try roomWanted()
    var gain = RoomGain()
    try removeOldest(&budget) { () throws(LibraryError) in
      if isOverQuota { return true }
      let free = try disk.space().free
      return free < wanted && gain.isWorth(free: free, clips: index.totalBytes)
    }
  }

  /// Removes what is beyond the quota now that a clip is there; that one, and what it is made of, stay, however large they
  /// are.
  func keepQuota(sparing ids: Set<String>) throws(LibraryError) {
    guard retention.quotaBytes != nil else { return }
    do throws(LibraryError) {
      var budget = Self.mostReceiptBytes
      try readReceipts(&budget)
      try removeOldest(sparing: ids, &budget) { () throws(LibraryError) in isOverQuota }
    } catch {
      if error.stalledUntil != nil { throw error }
      notices.warn("clips take more room than they may: \(error)")
    }
  }

  /// Removes the oldest while clips are being made, which may become larger than the reserve: as many bytes as those
  /// have taken, and the ring's copy beside them. What is in the trash goes first.
  ///
  /// - Parameter free: bytes that are free now.
  func keep(free: Int) throws(LibraryError) {
    guard index.hasOpen else {
      freed = 0
      return
    }
    guard free < retention.reserveBytes else { return }
    if retention.removesOldest {
      try trash.doom()
      // One after the other: the next look tells what it was worth.
      if try trash.emptyNext() { return }
    }
    var taken = 0
    for id in index.open { taken += try disk.entry(ClipPath.part(id))?.size ?? 0 }
    for file in try disk.files(ClipSpool.directory) where ClipSpool.number(of: file.name) != nil { taken += file.size }
    freed = min(freed, taken)
    let most = freed + index.totalBytes
    defer { freed = most - index.totalBytes }
    var gain = RoomGain()
    var budget = Self.mostReceiptBytes
    try removeOldest(&budget) { () throws(LibraryError) in
      if most - index.totalBytes >= taken { return false }
      let free = try disk.space().free
      return free < retention.reserveBytes && gain.isWorth(free: free, clips: index.totalBytes)
    }
  }

  /// What is to be free for a new clip: the reserve. Where other files have filled the card, and all clips together do not
  /// make as much, none is to go for nothing: it is room for two as large as the largest then.
  private func roomWanted() throws(LibraryError) -> Int {
    let removable = index.finished.filter { $0.mayBeOwn && $0.facts?.isProtected == false }
    let most = removable.reduce(try disk.space().free) { $0 &+ $1.bytes }
    guard most < retention.reserveBytes else { return retention.reserveBytes }
    return 2 * (removable.map(\.bytes).max() ?? 0)
  }

  private func removeOldest(
    sparing spared: Set<String> = [], _ budget: inout Int, while isShort: () throws(LibraryError) -> Bool
  ) throws(LibraryError) {
    guard retention.removesOldest else { return }
    // What others have made is not the device's to remove.
    let own = index.finished.filter { !spared.contains($0.id) && $0.mayBeOwn }
    for record in own {
      guard budget > 0, try isShort() else { return }
      if try isKept(record, &budget) { continue }
      // The clip first: a receipt without a clip is a leftover, a clip without a receipt would be a puzzle.
      try names.keep()
      try disk.removeIfPresent(ClipPath.clip(record.id))
      try disk.removeIfPresent(ClipPath.receipt(record.id))
      try disk.removeIfPresent(ProofName.of(ClipPath.clip(record.id)))
      index.forget(record.id)
      notices.warn("\(record.id) was the oldest clip and made room for a new one")
    }
  }

  /// What others have made takes no room of the device's clips: all of them together would not make up for a long film. What
  /// nobody has read yet may be theirs.
  private var isOverQuota: Bool {
    guard let quota = retention.quotaBytes else { return false }
    return index.finished.reduce(0) { $1.mayBeOwn && $1.facts != nil ? $0 &+ $1.bytes : $0 } > quota
  }

  private func isShortOfSpace() throws(LibraryError) -> Bool { try disk.space().free < retention.reserveBytes }

  // MARK: Receipts

  /// Where something may have to go, reads receipts that nobody has read yet, the largest clips' first: after a start no more
  /// than names is known, and what is protected, or others', makes no room.
  private func readReceipts(_ budget: inout Int) throws(LibraryError) {
    let possible = index.finished.filter(\.mayBeOwn)
    let bytes = possible.reduce(0) { $0 &+ $1.bytes }
    let isOver = retention.quotaBytes.map { bytes > $0 } ?? false
    guard retention.removesOldest, try isOver ? true : isShortOfSpace() else { return }
    let unread = possible.filter { $0.facts == nil }.sorted { $0.bytes > $1.bytes }
    for record in unread.prefix(Self.mostReceipts) where budget > 0 { _ = try isKept(record, &budget) }
  }

  /// Whether retention has to leave a clip alone.
  ///
  /// - Parameter budget: bytes of receipts that may still be read.
  private func isKept(_ record: ClipRecord, _ budget: inout Int) throws(LibraryError) -> Bool {
    let facts = try facts(of: record, &budget)
    // Without a receipt that says why it ended it is not the device's to remove.
    return facts.isProtected || facts.stopReason == nil
  }

  private func facts(of record: ClipRecord, _ budget: inout Int) throws(LibraryError) -> ClipFacts {
    if let known = record.facts { return known }
    do throws(LibraryError) {
      budget -= try disk.entry(ClipPath.receipt(record.id))?.size ?? 0
      return try reader.read(record)
    } catch {
      if error.stalledUntil != nil { throw error }
      return reader.note(error, of: record)
    }
  }

  /// What clips that went one after the other are worth. Where nothing is free for one, since others take it at once,
  /// somebody plays it, or the medium gives it back later, no other is to go now.
  private struct RoomGain {
    private var last: (free: Int, clips: Int)?

    /// Whether another may go, as far as the last one tells.
    mutating func isWorth(free: Int, clips: Int) -> Bool {
      if let last, last.clips != clips, free <= last.free { return false }
      last = (free, clips)
      return true
    }
  }
}
