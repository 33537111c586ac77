/// The log behind the sealed chunks of a file that grows: what has been written and is in no whole chunk yet. Gone from the
/// finished file.
///
/// Records of a run follow each other without a hole: the first, its base, has all that no sealed chunk has, each other one
/// what was written after the one before it.
enum SealLog {
  static let mark = Array("mynahDR1".utf8)
  static let headBytes = mark.count + 8 + 8 + 4
  /// Most text that a reader takes in one record.
  static let mostText = 8 << 20

  /// What stands in the clear before a record.
  struct Head: Hashable {
    /// The number of the first record of its run, and its own.
    var base: UInt64
    var number: UInt64
    /// Sealed bytes behind the head, without the tag.
    var count: Int

    var bytes: [UInt8] {
      SealLog.mark + SealKeys.big64(base) + SealKeys.big64(number)
        + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
    }

    init(base: UInt64, number: UInt64, count: Int) {
      self.base = base
      self.number = number
      self.count = count
    }

    /// - Parameter bytes: from the mark on.
    init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count >= SealLog.headBytes, bytes.starts(with: SealLog.mark) else { return nil }
      base = SealLog.number(bytes, at: 8, 8)
      number = SealLog.number(bytes, at: 16, 8)
      count = Int(SealLog.number(bytes, at: 24, 4))
      guard base <= number, count <= SealLog.mostText else { return nil }
    }
  }

  /// A stretch of the file's text.
  struct Piece: Hashable {
    var offset: Int
    var bytes: [UInt8]
  }

  /// What a record says: how long the text is, and what some of it is.
  struct Record: Hashable {
    var size: Int
    var pieces: [Piece]
    /// Text before it was durable in its chunks when the record was written.
    var durable = 0
  }

  static func text(_ record: Record) -> [UInt8] {
    var text = SealKeys.big64(UInt64(record.size))
    text.reserveCapacity(8 + record.pieces.reduce(0) { $0 + 12 + $1.bytes.count })
    // A piece of no bytes changes nothing for readers that do not know it.
    let pieces = record.pieces + (record.durable > 0 ? [Piece(offset: record.durable, bytes: [])] : [])
    for piece in pieces {
      text += SealKeys.big64(UInt64(piece.offset)) + SealKeys.big64(UInt64(piece.bytes.count))[4...]
      text += piece.bytes
    }
    return text
  }

  /// - Returns: nil if it is no text of a record.
  static func record(_ text: [UInt8]) -> Record? {
    guard text.count >= 8, let size = Int(exactly: number(text[...], at: 0, 8)) else { return nil }
    var record = Record(size: size, pieces: [])
    var place = 8
    while place < text.count {
      guard text.count - place >= 12, let offset = Int(exactly: number(text[...], at: place, 8)) else { return nil }
      let count = Int(number(text[...], at: place + 8, 4))
      place += 12
      // Far beyond any file, and sums stay sums.
      guard count <= text.count - place, offset < 1 << 56 else { return nil }
      if count == 0 { record.durable = max(record.durable, offset) }
      record.pieces.append(Piece(offset: offset, bytes: Array(text[place..<place + count])))
      place += count
    }
    return record
  }

  /// A number of so many bytes, the highest first.
  static func number(_ bytes: ArraySlice<UInt8>, at place: Int, _ count: Int) -> UInt64 {
    bytes.dropFirst(place).prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Stretches of a file, ascending and apart from each other.
struct Stretches: Hashable {
  private(set) var ranges: [Range<Int>] = []
  var isEmpty: Bool { ranges.isEmpty }

  mutating func add(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    var joined = range
    ranges.removeAll { other in
      guard other.upperBound >= joined.lowerBound, other.lowerBound <= joined.upperBound else { return false }
      joined = min(other.lowerBound, joined.lowerBound)..<max(other.upperBound, joined.upperBound)
      return true
    }
    let place = ranges.firstIndex { $0.lowerBound > joined.lowerBound } ?? ranges.endIndex
    ranges.insert(joined, at: place)
  }

  mutating func cut(to end: Int) {
    ranges = ranges.compactMap { $0.clamped(to: 0..<max(0, end)) }.filter { !$0.isEmpty }
  }

  mutating func removeAll() { ranges.removeAll() }
}
