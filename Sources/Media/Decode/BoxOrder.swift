internal import Hardware

/// Whether the tracks, their heads and the fragments of an MP4 file are where they belong, and nowhere else.
///
/// At each run of a fragment libavformat looks for its track in a thousand million places, if any track that it has met
/// wherever has no number: in other boxes, in some that claim more bytes than there are, in compressed ones. So this goes
/// wherever libavformat goes, as it does.
struct BoxOrder {
  private let file: any StoredFile
  /// Boxes that were looked at, and heads of tracks among them.
  private var boxes = 0
  private var heads = 0

  private static let mostBoxes = 65_536
  private static let deepest = 10
  private static let containers: Set<String> = [
    "moov", "moof", "trak", "mdia", "minf", "stbl", "edts", "udta", "dinf", "mvex", "traf", "wave", "ilst", "sinf",
    "schi",
    "gmhd", "tapt", "mfra", "iprp", "ipco",
  ]

  init(_ file: any StoredFile) { self.file = file }

  /// Whether all is well with the boxes in some bytes.
  ///
  /// - Parameter parent: the box whose content they are; empty: none.
  mutating func holds(_ range: Range<Int>, in parent: String, depth: Int = 0) throws(StorageError) -> Bool {
    guard depth <= Self.deepest else { return false }
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      boxes += 1
      guard boxes <= Self.mostBoxes else { return false }
      var reader = ByteReader(try file.bytes(at: place, count: 16))
      guard let short = reader.big32(), let type = reader.fourCC() else { return true }
      let wide = short == 1 ? reader.big64() : nil
      let content = place + (wide == nil ? 8 : 16)
      // To the end of what is around it at most, whatever it claims.
      let end =
        short == 0
        ? range.upperBound
        : (ClaimedNumber(wide ?? UInt64(short)) + ClaimedNumber(place))
          .clamped(to: place...range.upperBound)
      guard content <= end else { return true }
      guard try isInPlace(type, content..<end, in: parent, depth) else { return false }
      place = end
    }
    return true
  }

  private mutating func isInPlace(
    _ type: String, _ content: Range<Int>, in parent: String, _ depth: Int
  ) throws(StorageError) -> Bool {
    switch type {
    case "moov", "moof": guard parent.isEmpty else { return false }
    case "trak": guard parent == "moov" else { return false }
    case "tkhd":
      heads += 1
      guard parent == "trak" else { return false }
      return try number(content) > 0
    case "cmov": return false
    case "stsd": return try !hides(content)
    case "meta":
      // Its boxes begin with its handler.
      let head = try file.bytes(at: content.lowerBound, count: min(64, content.count))
      let mark = Array("hdlr".utf8)
      let place = stride(from: 4, to: max(4, head.count - 3), by: 4).first { head[$0..<$0 + 4].elementsEqual(mark) }
      guard let place else { return try !hides(content) }
      return try holds(content.lowerBound + place - 4..<content.upperBound, in: type, depth: depth + 1)
    default: break
    }
    guard Self.containers.contains(type) else { return true }
    let before = heads
    guard try holds(content, in: type, depth: depth + 1) else { return false }
    return type != "trak" || heads > before
  }

  /// A track's number, of 32 bits with a sign; 0 if there is none.
  private func number(_ head: Range<Int>) throws(StorageError) -> Int32 {
    var reader = ByteReader(try file.bytes(at: head.lowerBound, count: min(24, head.count)))
    guard let version = reader.big8(), reader.skip(version == 1 ? 19 : 11), let number = reader.big32() else {
      return 0
    }
    return Int32(bitPattern: number)
  }

  /// Whether there may be a track or a fragment anywhere in some bytes that are read in their own way.
  private func hides(_ content: Range<Int>) throws(StorageError) -> Bool {
    guard content.count <= 1 << 20 else { return true }
    let bytes = try file.bytes(at: content.lowerBound, count: content.count)
    let marks = ["trak", "moof"].map { $0.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    var last: UInt32 = 0
    return bytes.contains { byte in
      last = last << 8 | UInt32(byte)
      return marks.contains(last)
    }
  }
}
