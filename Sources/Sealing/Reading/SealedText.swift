public import Hardware

/// Why a sealed file cannot be read.
public enum SealedFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is no age file of version 1.
  case notSealed
  /// None of the keys is one that it was sealed to.
  case otherKey
  /// Its head has been changed.
  case changedHead
  /// What is sealed from this place of the text on has been changed, or is not where it was.
  case changed(at: Int)
  case storage(StorageError)

  public var description: String {
    switch self {
    case .notSealed: "it is no age file"
    case .otherKey: "it is sealed to another key"
    case .changedHead: "its head has been changed"
    case .changed(let place): "it has been changed, or is damaged, at byte \(place) of what is in it"
    case .storage(let error): "\(error)"
    }
  }
}

/// The text of a sealed file, one piece after the other: of a finished one, of any age file, and of one that was being written
/// when the power went. In the place of chunks that do not open are zeros, if there is anything behind them; that something
/// has been changed is thrown at the end. One thread.
public struct SealedText {
  /// What the file is, as far as has been read.
  public enum Condition: Hashable, Sendable {
    case whole
    /// It was being written: the text is what was durable then.
    case unfinished
    /// It was finished, and its end is missing.
    case cutOff
  }

  public private(set) var condition: Condition
  private let file: any StoredFile
  private let keys: SealKeys
  private let mends: Bool
  private let start: Int
  /// Where the file ends, as a finished one does.
  private let end: Int
  /// The first chunk; nil once it is handed out.
  private var first: [UInt8]?
  private var index = 1
  /// Of an unfinished one: how many chunks there are, and what comes behind them.
  private var draft: (chunks: Int, rest: [UInt8])?
  private var isOver = false
  /// Chunks before it do not open, and there are others behind them.
  private var gapEnd = 0
  /// Where the first gap is.
  private var firstGap: Int?

  private static let chunk = SealKeys.chunkBytes
  private static let slot = SealKeys.slotBytes

  /// - Parameters:
  ///   - identities: keys that may open it.
  ///   - mends: whether one wrong bit in the first chunk is looked for, which takes some seconds.
  public init(_ file: any StoredFile, _ identities: [AgeIdentity], mends: Bool = false) throws(SealedFailure) {
    self.mends = mends
    let head = try Self.read(file, 0, AgeHead.mostBytes)
    guard let reading = AgeHead.read(head) else { throw .notSealed }
    guard let fileKey = AgeHead.fileKey(of: reading, identities) else { throw .otherKey }
    guard AgeHead.isGenuine(reading, fileKey) else { throw .changedHead }
    let nonce = try Self.read(file, reading.count, AgeHead.nonceBytes)
    self.file = file
    keys = SealKeys(fileKey, nonce: nonce)
    start = reading.count + AgeHead.nonceBytes
    let ending: (ending: SealedEnding, head: [UInt8])?
    do throws(StorageError) { ending = try SealedEnding.find(in: file) } catch { throw .storage(error) }
    let sealed: [UInt8]
    if let ending, ending.ending.start == start {
      (end, sealed) = (ending.ending.size, ending.head)
    } else {
      (end, sealed) = (file.size, try Self.read(file, start, Self.slot))
    }
    let isLast = start + Self.slot >= end
    condition = .whole
    if let text = keys.open(sealed[...], .chunk(0, isLast: isLast)) {
      first = text
      isOver = isLast
    } else if keys.open(sealed[...], .chunk(0, isLast: !isLast)) != nil {
      // Whole, and not the last, at the end: or the last, and something behind it.
      guard isLast else { throw .changed(at: Self.chunk) }
      condition = .cutOff
      first = keys.open(sealed[...], .chunk(0, isLast: false))
      isOver = true
    } else {
      condition = .unfinished
      try findDraft(sealed)
    }
  }

  /// The next piece; nil behind the last. What it throws comes in its place.
  public mutating func next() throws(SealedFailure) -> [UInt8]? {
    if let text = first {
      first = nil
      return text
    }
    if !isOver {
      let text = draft == nil ? try finishedPiece() : try draftPiece()
      if text != nil { return text }
      isOver = true
    }
    if let place = firstGap {
      firstGap = nil
      throw .changed(at: place)
    }
    return nil
  }

  private mutating func finishedPiece() throws(SealedFailure) -> [UInt8]? {
    guard index >= gapEnd else { return gap() }
    let place = start + index * Self.slot
    let isLast = place + Self.slot >= end
    // Behind a whole chunk there is another one, or it is the last.
    if place < end, let text = try chunk(index, isLast: isLast), !text.isEmpty {
      isOver = isLast
      index += 1
      return text
    }
    if let next = try nextChunk(behind: index) {
      gapEnd = next
      return gap()
    }
    guard isLast else {
      noteGap()
      return nil
    }
    condition = .cutOff
    guard place + Self.slot == end else { return nil }
    guard let text = try chunk(index, isLast: false) else {
      noteGap()
      return nil
    }
    isOver = true
    return text
  }

  private mutating func draftPiece() throws(SealedFailure) -> [UInt8]? {
    guard let draft, index < draft.chunks else {
      isOver = true
      return draft.flatMap { $0.rest.isEmpty ? nil : $0.rest }
    }
    guard let text = try chunk(index, isLast: false) else { return gap() }
    index += 1
    return text
  }

  /// In the place of a chunk that does not open.
  private mutating func gap() -> [UInt8] {
    noteGap()
    index += 1
    return [UInt8](repeating: 0, count: Self.chunk)
  }

  private mutating func noteGap() { firstGap = min(firstGap ?? .max, index * Self.chunk) }

  /// The next chunk of a finished one that opens.
  private func nextChunk(behind index: Int) throws(SealedFailure) -> Int? {
    var next = index + 1
    while start + next * Self.slot < end {
      let isLast = start + (next + 1) * Self.slot >= end
      if let text = try chunk(next, isLast: isLast), !text.isEmpty { return next }
      // The end may be cut off behind it.
      if isLast, try chunk(next, isLast: false) != nil { return next }
      next += 1
    }
    return nil
  }

  private func chunk(_ index: Int, isLast: Bool) throws(SealedFailure) -> [UInt8]? {
    let place = start + index * Self.slot
    return keys.open(try Self.read(file, place, min(Self.slot, end - place))[...], .chunk(index, isLast: isLast))
  }

  private static func read(_ file: any StoredFile, _ place: Int, _ count: Int) throws(SealedFailure) -> [UInt8] {
    do throws(StorageError) { return try file.bytes(at: place, count: count) } catch { throw .storage(error) }
  }

  // MARK: Of an unfinished one

  /// - Parameter sealed: what is in the first chunk's place.
  private mutating func findDraft(_ sealed: [UInt8]) throws(SealedFailure) {
    var beginning = keys.open(sealed[...], .draftOfFirst)
    var chunks = try chunks(from: 1)
    let runs = try SealedRuns(
      file, keys, from: start + (beginning == nil ? 1 : chunks) * Self.slot
    )
    let durable = min(runs.durable / Self.chunk, (end - start) / Self.slot)
    if durable > 0, beginning == nil {
      beginning = mended(sealed, .draftOfFirst) ?? [UInt8](repeating: 0, count: Self.chunk)
      firstGap = 0
    }
    if durable > chunks { chunks = try self.chunks(from: durable) }
    // What reaches furthest is what was durable; of equal ones the newest knows the head best.
    var best: SealedRuns.Run.Text?
    for run in runs.oldestFirst {
      let text = run.text(beginning: beginning, chunks: chunks, older: best)
      let isBetter = best.map { text.first.count + text.rest.count >= $0.first.count + $0.rest.count } ?? true
      if isBetter { best = text }
    }
    if best == nil, let beginning { best = (beginning, [], nil) }
    guard let best else { return try findFinished(sealed) }
    firstGap = firstGap ?? best.gap
    first = best.first
    draft = (best.first.count == Self.chunk ? chunks : 1, best.first.count == Self.chunk ? best.rest : [])
  }

  /// The first of the chunks from one on that does not open.
  private func chunks(from index: Int) throws(SealedFailure) -> Int {
    var index = index
    while try chunk(index, isLast: false) != nil { index += 1 }
    return index
  }

  /// There is neither a first chunk nor a log: it was finished, and its first chunk has been changed; or nothing was written.
  private mutating func findFinished(_ sealed: [UInt8]) throws(SealedFailure) {
    guard file.size > start else {
      isOver = true
      return
    }
    let isLast = start + Self.slot >= end
    if let text = mended(sealed, .chunk(0, isLast: isLast)) {
      (condition, first, firstGap, isOver) = (.whole, text, 0, isLast)
      return
    }
    guard let next = try nextChunk(behind: 0) else { throw .changed(at: 0) }
    (condition, index, gapEnd) = (.whole, 0, next)
  }

  /// The first chunk without its wrong bit, if that is all: without it nothing of a recording can be played.
  private func mended(_ sealed: [UInt8], _ place: SealKeys.Place) -> [UInt8]? {
    guard mends else { return nil }
    var bytes = sealed
    for index in bytes.indices {
      for bit in 0..<8 {
        bytes[index] ^= 1 << UInt8(bit)
        if let text = keys.open(bytes[...], place) { return text }
        bytes[index] ^= 1 << UInt8(bit)
      }
    }
    return nil
  }
}
