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
/// when the power went. One thread.
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
  private let start: Int
  /// Where the file ends, as a finished one does.
  private let end: Int
  /// The first chunk; nil once it is handed out.
  private var first: [UInt8]?
  private var index = 1
  /// Of an unfinished one: how many chunks there are, and what comes behind them.
  private var draft: (chunks: Int, rest: [UInt8])?
  private var isOver = false

  private static let chunk = SealKeys.chunkBytes
  private static let slot = SealKeys.slotBytes

  /// - Parameter identities: keys that may open it.
  public init(_ file: any StoredFile, _ identities: [AgeIdentity]) throws(SealedFailure) {
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

  /// The next piece; nil behind the last.
  public mutating func next() throws(SealedFailure) -> [UInt8]? {
    if let text = first {
      first = nil
      return text
    }
    if let draft {
      guard index < draft.chunks else {
        self.draft = nil
        isOver = true
        return draft.rest.isEmpty ? nil : draft.rest
      }
      guard let text = try chunk(index, isLast: false) else { throw .changed(at: index * Self.chunk) }
      index += 1
      return text
    }
    guard !isOver else { return nil }
    let place = start + index * Self.slot
    let isLast = place + Self.slot >= end
    isOver = isLast
    // Behind a whole chunk there is another one, or it is the last.
    if place < end, let text = try chunk(index, isLast: isLast), !text.isEmpty {
      index += 1
      return text
    }
    guard isLast else { throw .changed(at: index * Self.chunk) }
    condition = .cutOff
    guard place + Self.slot == end else { return nil }
    guard let text = try chunk(index, isLast: false) else { throw .changed(at: index * Self.chunk) }
    return text
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
    let beginning = keys.open(sealed[...], .draftOfFirst)
    var chunks = 1
    while try chunk(chunks, isLast: false) != nil { chunks += 1 }
    let runs = try SealedRuns(
      file, keys, from: start + (beginning == nil ? 1 : chunks) * Self.slot
    )
    // What reaches furthest is what was durable; of equal ones the newest knows the head best.
    var best: (first: [UInt8], rest: [UInt8])?
    for run in runs.newestFirst {
      let text = run.text(beginning: beginning, chunks: chunks)
      let isBetter = best.map { text.first.count + text.rest.count > $0.first.count + $0.rest.count } ?? true
      if isBetter { best = text }
    }
    if best == nil, let beginning { best = (beginning, []) }
    guard let best else {
      guard file.size == start else { throw .changed(at: 0) }
      isOver = true
      return
    }
    first = best.first
    draft = (best.first.count == Self.chunk ? chunks : 1, best.first.count == Self.chunk ? best.rest : [])
  }
}
