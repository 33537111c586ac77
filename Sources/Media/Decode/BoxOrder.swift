internal import Hardware

/// Whether the tracks, their heads and the fragments of an MP4 file are where they belong, and nowhere else, and claim
/// no more samples than there can be.
///
/// At each run of a fragment libavformat looks for its track in a thousand million places, if any track that it has met
/// wherever has no number: in other boxes, in some that claim more bytes than there are, in compressed ones. So this goes
/// wherever libavformat goes, as it does (`mov_read_default`): what it counts of a size is not what the format says of it.
struct BoxOrder {
  private let file: any StoredFile
  /// The most samples that may be claimed without an entry for each, and how many are.
  private let most: Int
  private var claims = 0
  /// Those of them that stand in runs of fragments: in all but small files there are no more than bytes.
  private var runs = 0
  /// Boxes that were looked at, and heads of tracks among them.
  private var boxes = 0
  private var heads = 0

  private static let mostBoxes = 65_536
  private static let mostInSmallRuns = 4096
  private static let mostSiblings = 1000
  private static let mostTracks = 1000
  private static let deepest = 10
  private static let tracks = ["trak", "moof"]
  private static let containers: Set<String> = [
    "moov", "moof", "trak", "mdia", "minf", "stbl", "edts", "udta", "dinf", "mvex", "traf", "wave", "ilst", "sinf",
    "schi",
    "gmhd", "tapt", "mfra", "iprp", "ipco",
  ]

  init(_ file: any StoredFile, most: Int) { (self.file, self.most) = (file, most) }

  /// Whether all is well with the boxes in some bytes.
  ///
  /// - Parameter parent: the box whose content they are; empty: none.
  mutating func holds(_ range: Range<Int>, in parent: String, depth: Int = 0) throws(StorageError) -> Bool {
    guard depth <= Self.deepest else { return false }
    var place = range.lowerBound
    var siblings = 0
    while place + 8 <= range.upperBound {
      boxes += 1
      siblings += 1
      guard boxes <= Self.mostBoxes, parent.isEmpty || siblings <= Self.mostSiblings else { return false }
      guard let (type, content) = try next(place..<range.upperBound) else { return true }
      guard try isInPlace(type, content, in: parent, depth) else { return false }
      place = content.upperBound
    }
    return true
  }

  /// The box at the beginning of some bytes: to their end at most, whatever it claims; `nil` where libavformat gives up.
  private func next(_ range: Range<Int>) throws(StorageError) -> (type: String, content: Range<Int>)? {
    var reader = ByteReader(try file.bytes(at: range.lowerBound, count: 16))
    guard let short = reader.big32(), let type = reader.fourCC() else { return nil }
    var content = range.lowerBound + 8
    // Of the head and what is in it, less the eight bytes of a long size. It has a sign there.
    var size = Int64(short)
    if short == 1, content + 8 <= range.upperBound, let long = reader.big64() {
      size = Int64(bitPattern: long &- 8)
      content += 8
    }
    if size == 0 { return (type, content..<range.upperBound) }
    guard size >= 8 else { return nil }
    let end = ClaimedNumber(UInt64(size - 8)) + ClaimedNumber(content)
    return (type, content..<end.clamped(to: content...range.upperBound))
  }

  private mutating func isInPlace(
    _ type: String, _ content: Range<Int>, in parent: String, _ depth: Int
  ) throws(StorageError) -> Bool {
    switch type {
    case "moov", "moof": guard parent.isEmpty else { return false }
    case "trak": guard parent == "moov" else { return false }
    case "tkhd":
      heads += 1
      guard parent == "trak", heads <= Self.mostTracks else { return false }
      return try trackNumber(in: content) > 0
    case "stsz":
      // Only a common size lets a count stand alone.
      return try number(at: 4, of: content) == 0 ? true : claim(number(at: 8, of: content))
    case "trun":
      // What libavformat makes of samples that last nothing takes time by the square of their number.
      let count = try number(at: 4, of: content)
      runs += count  // bounded: as `claims`
      return runs <= Self.mostInSmallRuns + file.size && claim(count)
    // Compressed, or a head that libavformat looks for in what is free.
    case "cmov", "hoov": return false
    case "free":
      // libavformat looks at the kind of the first box there only: GStreamer keeps a second head whole in what is free.
      let first = min(content.upperBound, content.lowerBound + 4)
      return try !hides(first..<min(content.upperBound, first + 4), ["mvhd", "cmov"])
    case "stsd": return try !hides(content, Self.tracks)
    case "meta":
      // Its boxes begin with its handler.
      let head = try file.bytes(at: content.lowerBound, count: min(64, content.count))
      let mark = Array("hdlr".utf8)
      let place = stride(from: 4, to: max(4, head.count - 3), by: 4).first { head[$0..<$0 + 4].elementsEqual(mark) }
      guard let place else { return try !hides(content, Self.tracks) }
      return try holds(content.lowerBound + place - 4..<content.upperBound, in: type, depth: depth + 1)
    default: break
    }
    guard Self.containers.contains(type) else { return true }
    let before = heads
    guard try holds(content, in: type, depth: depth + 1) else { return false }
    return type != "trak" || heads > before
  }

  /// A track's number, of 32 bits with a sign; 0 if there is none.
  private func trackNumber(in head: Range<Int>) throws(StorageError) -> Int32 {
    var reader = ByteReader(try file.bytes(at: head.lowerBound, count: min(24, head.count)))
    guard let version = reader.big8(), reader.skip(version == 1 ? 19 : 11), let number = reader.big32() else {
      return 0
    }
    return Int32(bitPattern: number)
  }

  private func number(at place: Int, of content: Range<Int>) throws(StorageError) -> Int {
    var reader = ByteReader(try file.bytes(at: content.lowerBound + place, count: 4))
    return Int(reader.big32() ?? 0)
  }

  /// Takes samples into account; false if there are too many by now.
  private mutating func claim(_ samples: Int) -> Bool {
    claims += samples  // bounded: 32 bits each, and none behind too many
    return claims <= most
  }

  /// Whether there may be such boxes anywhere in some bytes that are read in their own way.
  private func hides(_ content: Range<Int>, _ types: [String]) throws(StorageError) -> Bool {
    guard content.count <= 1 << 20 else { return true }
    let bytes = try file.bytes(at: content.lowerBound, count: content.count)
    let marks = types.map { $0.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    var last: UInt32 = 0
    return bytes.contains { byte in
      last = last << 8 | UInt32(byte)
      return marks.contains(last)
    }
  }
}
