internal import CSodium
public import Hardware

/// A file that is sealed while it is written: whoever writes sees the text, the storage gets an age file (X25519, STREAM). What
/// was synced can be read by the owner of the key, and by nobody else, whenever the power goes; finished by `seal`, it is an
/// ordinary age file of the text.
///
/// Chunks of 64 KiB have their places. The first of them changes until the end, and the last is not whole: both stay in memory,
/// and what was written of them is in a log behind the chunks (`SealLog`). A chunk gets its place when it is settled, once and
/// for all, and the log is written anew elsewhere; nothing that is needed is overwritten before what takes its place is
/// durable. Storage lane only.
public final class SealedFile: StoredFile, @unchecked Sendable {
  private let file: any StoredFile
  private let keys: SealKeys
  /// Age's head and nonce; empty once it is written.
  private var head: [UInt8]
  /// Where the first chunk is.
  private let start: Int
  /// Text of the first chunk, and that from `tailStart` on.
  private var first: [UInt8] = []
  private var tail: [UInt8] = []
  /// Chunks that have their places, of the first a draft.
  private var done = 0
  private var settled = 0
  /// What is in no record of the log yet, and what has changed in the first chunk since its draft.
  private var pending = Stretches()
  private var changed = Stretches()
  private var draftOfFirst: [UInt8]?
  /// Text before it is sealed, whether or not the storage has taken it: it must not change, but for the first chunk.
  private var frozen = SealKeys.chunkBytes
  /// The log's run, and that of before the last sync.
  private var log: Range<Int>?
  private var durableLog: Range<Int>?
  /// Length of the text, and its chunks that have their places, at the last sync.
  private var durableSize = 0
  private var durableChunks = 0
  private var mostLogEnd = Int.max
  private var base: UInt64 = 0
  private var number: UInt64 = 0
  private var ending = Ending.no

  private enum Ending: Hashable { case no, begun, chunks, copy, first, cut, done }

  private static let chunk = SealKeys.chunkBytes
  private static let slot = SealKeys.slotBytes
  /// Text that is not settled while the end is written: more than any of its pieces is made again.
  private static let endLag = 256 << 10
  /// And what is in memory of it, at most, besides.
  private static let endBuffer = 512 << 10
  /// Room for a run of the log besides its base; more, and it is begun anew.
  private static let logRoom = 192 << 10
  /// Chunks that a run keeps away from what comes, at most.
  private static let mostAhead = 16

  /// - Parameters:
  ///   - file: new and empty.
  ///   - recipients: at least one.
  public init(_ file: any StoredFile, for recipients: [AgeRecipient]) {
    let fileKey = Secret.random(AgeHead.fileKeyBytes)
    let nonce = Self.nonce()
    self.file = file
    keys = SealKeys(fileKey, nonce: nonce)
    head = AgeHead.bytes(fileKey, for: recipients) + nonce
    start = head.count
  }

  public var path: String { file.path }
  /// Bytes of the text.
  public var size: Int { tail.isEmpty ? (done <= 1 ? first.count : tailStart) : tailStart + tail.count }
  public var usesReserve: Bool {
    get { file.usesReserve }
    set { file.usesReserve = newValue }
  }
  /// Bytes on the storage; of a finished one for good.
  public var storedBytes: Int { ending == .done ? finalBytes : file.size }

  /// Whether all of the text was synced.
  public var isSynced: Bool { pending.isEmpty && durableSize == size }

  /// Where a write that begins in the first chunk may end.
  private var mostHead: Int { frozen == Self.chunk ? .max : Self.chunk }
  private var tailStart: Int { max(1, done) * Self.chunk }
  private var finalBytes: Int { start + size + (lastChunk + 1) * SealKeys.tagBytes }
  private var lastChunk: Int { max(0, size - 1) / Self.chunk }
  private func place(_ chunk: Int) -> Int { start + chunk * Self.slot }

  // MARK: What the writer of the text calls

  /// Text before `end` stays as it is, but for the first 64 KiB.
  public func settle(to end: Int) { settled = max(settled, min(end, size)) }

  /// The end is written now: what is behind is what was written last.
  public func beginEnd() { if ending == .no { ending = .begun } }

  /// Keeps it in memory; what throws has taken nothing.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    let isOpen = ending == .no || ending == .begun
    guard isOpen, offset >= 0, offset >= frozen || offset < Self.chunk && offset + bytes.count <= mostHead else {
      throw refusal("write what is sealed already")
    }
    if offset >= Self.chunk { try makeRoom() }
    guard !bytes.isEmpty else { return }
    let end = offset + bytes.count
    if offset < Self.chunk {
      let count = min(bytes.count, Self.chunk - offset)
      Self.put(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), into: &first, at: offset)
      if done > 0 || draftOfFirst != nil { changed.add(offset..<offset + count) }
    }
    if end > Self.chunk {
      if first.count < Self.chunk { first += [UInt8](repeating: 0, count: Self.chunk - first.count) }
      let skipped = max(0, Self.chunk - offset)
      Self.put(
        UnsafeRawBufferPointer(rebasing: bytes.dropFirst(skipped)), into: &tail, at: offset + skipped - tailStart)
    }
    pending.add(offset..<end)
    if ending == .begun { settle(to: size - Self.endLag) }
  }

  /// Only of what is in memory.
  public func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    guard offset >= 0, offset < size else { return 0 }
    let count = min(target.count, size - offset)
    let end = offset + count
    guard offset >= tailStart || end <= Self.chunk || tailStart == Self.chunk else {
      throw refusal("read what is sealed")
    }
    for place in offset..<end { target[place - offset] = place < Self.chunk ? first[place] : tail[place - tailStart] }
    return count
  }

  public func truncate(to size: Int) throws(StorageError) {
    guard size < self.size else { return }
    let isOpen = ending == .no || ending == .begun
    // The last chunk is sealed as such: something of it has to be there still.
    guard isOpen, size > frozen || done == 0 && draftOfFirst == nil && frozen == Self.chunk else {
      throw refusal("cut what is sealed")
    }
    first.removeLast(max(0, first.count - size))
    tail.removeLast(max(0, min(tail.count, tailStart + tail.count - size)))
    settled = min(settled, size)
    pending.cut(to: size)
    // That it is shorter is to be on the storage as well.
    pending.add(max(0, size - 1)..<size)
  }

  public func sync() throws(StorageError) {
    if ending == .no || ending == .begun { try pump() }
    try syncAll()
  }

  private func syncAll() throws(StorageError) {
    try file.sync()
    durableLog = log
    durableSize = log == nil ? 0 : size
    durableChunks = done
  }

  public func forgetCached() { file.forgetCached() }
  public func close() { file.close() }

  private func makeRoom() throws(StorageError) {
    if ending == .begun, tail.count > Self.endBuffer { try sync() }
  }

  private func refusal(_ operation: String) -> StorageError { StorageError(.failed, operation: operation, path: path) }

  private static func put(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8], at offset: Int) {
    if offset == text.count { return text.append(contentsOf: bytes) }
    let end = offset + bytes.count
    if end > text.count { text += [UInt8](repeating: 0, count: end - text.count) }
    text.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyMemory(from: bytes) }
  }

  // MARK: Chunks and log

  /// Gives chunks that are settled their places, and writes what else is new to the log.
  private func pump() throws(StorageError) {
    if !head.isEmpty {
      try file.write(head, at: 0)
      head = []
    }
    // One that ends with the text may be the last, which is sealed differently.
    let whole = max(done, (settled - 1) / Self.chunk)
    guard whole > done else { return try writeLog() }
    let ahead = whole - done > 1 ? min(Self.mostAhead, 2 * (whole - done)) : 0
    // What is needed until the next sync is not written over.
    let free = (done..<whole).first { index in
      durableLog.map { $0.overlaps(place(index)..<place(index + 1)) } ?? false
    }
    for index in done..<(free ?? whole) { try write(chunk: index) }
    let first = free.map { $0 * Self.chunk < durableSize ? $0 : whole } ?? whole
    try beginLog(from: first, behind: whole + 2 + ahead)
    if let free {
      try syncAll()
      for index in free..<whole { try write(chunk: index) }
    }
    tail.removeFirst((whole - max(1, done)) * Self.chunk)
    done = whole
    draftOfFirst = nil
  }

  private func write(chunk index: Int) throws(StorageError) {
    if index == 0 {
      // Its text may change before this is tried again; its nonce is used once.
      let sealed = draftOfFirst ?? first.withUnsafeBytes { keys.seal($0, .draftOfFirst) }
      if draftOfFirst == nil { changed.removeAll() }
      draftOfFirst = sealed
      return try file.write(sealed, at: place(0))
    }
    frozen = max(frozen, (index + 1) * Self.chunk)
    try file.write(sealed(index, isLast: false), at: place(index))
  }

  /// A chunk that is in memory.
  private func sealed(_ index: Int, isLast: Bool) -> [UInt8] {
    let text = index == 0 ? first[...] : tail[(index * Self.chunk - tailStart)...].prefix(Self.chunk)
    return text.withUnsafeBytes { keys.seal($0, .chunk(index, isLast: isLast)) }
  }

  private func writeLog() throws(StorageError) {
    guard !pending.isEmpty else { return }
    guard let log, log.upperBound < mostLogEnd, log.count < Self.logRoom + (2 * Self.chunk) else {
      return try beginLog(from: done, behind: done + 2)
    }
    let bytes = record(pending.ranges)
    guard log.upperBound + bytes.count <= mostLogEnd else { return try beginLog(from: done, behind: done + 2) }
    try write(record: bytes, at: log.upperBound, before: mostLogEnd)
    self.log = log.lowerBound..<log.upperBound + bytes.count
  }

  /// A number is given once: behind a record that the storage refuses its run has a hole, and another one is begun.
  private func write(record: [UInt8], at place: Int, before end: Int) throws(StorageError) {
    mostLogEnd = 0
    try file.write(record, at: place)
    mostLogEnd = end
    pending.removeAll()
  }

  /// Begins a run of the log behind the place of a chunk, and clear of the runs that are there.
  ///
  /// - Parameter chunk: text from there on goes into its base.
  private func beginLog(from chunk: Int, behind: Int) throws(StorageError) {
    var ranges = chunk == 0 ? [] : changed.ranges
    let from = chunk * Self.chunk
    if size > from { ranges.append(from..<size) }
    base = number + 1
    let bytes = record(ranges)
    // Nor is it where chunks go of which it has the text.
    var place = place(max(behind, size / Self.chunk + 2))
    var end = Int.max
    let others = [log, durableLog].compactMap { $0 }
    let room = place..<place + bytes.count + Self.logRoom
    if let next = others.filter({ $0.upperBound > place }).map(\.lowerBound).min() {
      if room.upperBound <= next { end = next } else { place = others.map(\.upperBound).reduce(place, max) }
    }
    try write(record: bytes, at: place, before: end)
    log = place..<place + bytes.count
  }

  private func record(_ ranges: [Range<Int>]) -> [UInt8] {
    number += 1
    let text = SealLog.text(
      SealLog.Record(size: size, pieces: ranges.flatMap { pieces(of: $0) }, durable: durableChunks * Self.chunk))
    let head = SealLog.Head(base: base, number: number, count: text.count).bytes
    return head + text.withUnsafeBytes { keys.seal($0, .record(number), head: head) }
  }

  private func pieces(of range: Range<Int>) -> [SealLog.Piece] {
    var pieces: [SealLog.Piece] = []
    let head = range.clamped(to: 0..<first.count)
    if !head.isEmpty { pieces.append(SealLog.Piece(offset: head.lowerBound, bytes: Array(first[head]))) }
    let rest = range.clamped(to: tailStart..<tailStart + tail.count)
    if !rest.isEmpty {
      pieces.append(
        SealLog.Piece(
          offset: rest.lowerBound, bytes: Array(tail[rest.lowerBound - tailStart..<rest.upperBound - tailStart])))
    }
    return pieces
  }

  /// A small text as an age file.
  public static func sealed(_ text: [UInt8], for recipients: [AgeRecipient]) -> [UInt8] {
    let fileKey = Secret.random(AgeHead.fileKeyBytes)
    let nonce = Self.nonce()
    let keys = SealKeys(fileKey, nonce: nonce)
    var bytes = AgeHead.bytes(fileKey, for: recipients) + nonce
    let last = max(0, text.count - 1) / chunk
    for index in 0...last {
      let part = text[(index * chunk)..<min(text.count, (index + 1) * chunk)]
      bytes += part.withUnsafeBytes { keys.seal($0, .chunk(index, isLast: index == last)) }
    }
    return bytes
  }

  private static func nonce() -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: AgeHead.nonceBytes)
    randombytes_buf(&nonce, nonce.count)
    return nonce
  }

  // MARK: The end

  /// Makes it an ordinary age file of the text, durable on return. What throws goes on when it is called again; then, or if
  /// it never is, what was synced can be read all the same.
  public func seal() throws(StorageError) {
    beginEnd()
    if ending == .begun {
      settle(to: size)
      try sync()
      ending = .chunks
    }
    if ending == .chunks {
      if lastChunk > 0 {
        try file.write(sealed(lastChunk, isLast: true), at: place(lastChunk))
        // What stands at the end says that all the rest is there.
        try file.sync()
      }
      ending = .copy
    }
    let head = sealed(0, isLast: lastChunk == 0)
    if ending == .copy {
      // Behind everything, for the log is needed until this is there.
      let place = max(log?.upperBound ?? 0, finalBytes)
      let copy = head + SealedEnding(size: finalBytes, start: start, head: head).bytes
      try file.write(copy, at: place)
      try file.truncate(to: place + copy.count)
      try file.sync()
      ending = .first
    }
    if ending == .first {
      try file.write(head, at: place(0))
      try file.sync()
      ending = .cut
    }
    if ending == .cut {
      try file.truncate(to: finalBytes)
      try file.sync()
      ending = .done
    }
  }
}
