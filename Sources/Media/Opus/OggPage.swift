internal import Hardware

/// The head of one page of an Ogg stream (RFC 3533, 6).
struct OggPage {
  static let headBytes = 27
  /// Segments of a page; a packet of n bytes takes n / 255 + 1.
  static let mostSegments = 255
  static let mostBytes = headBytes + mostSegments + mostSegments * 255
  static let firstFlag: UInt8 = 2
  static let lastFlag: UInt8 = 4

  var flags: UInt8 = 0
  /// Frames of 48 kHz up to the end of the last packet that ends in it.
  var granule = 0
  var serial: UInt32 = 0
  var number: UInt32 = 0
  var isLast: Bool { flags & Self.lastFlag != 0 }

  /// Appends a page of whole packets, which lie one behind the other in `body`.
  func write(packets sizes: some Sequence<Int>, body: some Sequence<UInt8>, into writer: inout ByteWriter) {
    let start = writer.count
    writer.text("OggS")
    writer.big8(0)
    writer.big8(flags)
    writer.little64(UInt64(granule))
    writer.little32(serial)
    writer.little32(number)
    writer.little32(0)
    var segments: [UInt8] = []
    for size in sizes {
      segments.append(contentsOf: repeatElement(255, count: size / 255))
      segments.append(UInt8(size % 255))
    }
    writer.big8(UInt8(truncatingIfNeeded: segments.count))
    writer.bytes.append(contentsOf: segments)
    writer.bytes.append(contentsOf: body)
    Self.seal(&writer.bytes, from: start)
  }

  /// The page that begins at `start`, if all of it is there and its checksum is right; with the place behind it. Its granule
  /// is -1 where it says what cannot be.
  static func whole(_ bytes: [UInt8], at start: Int) -> (page: OggPage, end: Int)? {
    var left = Int.max
    return whole(bytes, at: start, summing: &left)
  }

  /// The same, where many places are looked at.
  ///
  /// - Parameter left: bytes that may still be summed; below 0 from then on where they did not suffice.
  static func whole(_ bytes: [UInt8], at start: Int, summing left: inout Int) -> (page: OggPage, end: Int)? {
    guard start + headBytes <= bytes.count else { return nil }
    var reader = ByteReader(bytes[start...])
    guard reader.fourCC() == "OggS", reader.big8() == 0, let flags = reader.big8(),
      let claimed = reader.little64(), let serial = reader.little32(), let number = reader.little32(),
      let sum = reader.little32(),
      let count = reader.big8(), let segments = reader.take(Int(count)),
      reader.skip(segments.reduce(0) { $0 + Int($1) })
    else { return nil }
    guard left >= 0 else { return nil }
    left -= reader.position - start
    guard left >= 0, checksum(bytes, start..<reader.position) == sum else { return nil }
    let granule = ClaimedNumber(claimed).within(0...1 << 52) ?? -1
    let page = OggPage(flags: flags, granule: granule, serial: serial, number: number)
    return (page, reader.position)
  }

  /// Whether these bytes begin like a page of a stream of ours, whatever is torn in it.
  static func isOurs(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    return reader.fourCC() == "OggS" && reader.skip(10) && reader.little32().map(OpusHead.isOurs) == true
  }

  /// Makes a whole page the last of its stream.
  ///
  /// - Parameter granule: of the place where the sound ends in it.
  static func end(_ bytes: inout [UInt8], granule: Int) {
    bytes[5] |= lastFlag
    for index in 0..<8 { bytes[6 + index] = UInt8(truncatingIfNeeded: granule >> (8 * index)) }
    seal(&bytes, from: 0)
  }

  private static let sumPlace = 22

  private static func seal(_ bytes: inout [UInt8], from start: Int) {
    let sum = checksum(bytes, start..<bytes.count)
    for index in 0..<4 { bytes[start + sumPlace + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
  }

  /// The checksum of a page, with zeros in its own place.
  private static func checksum(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    let sumPlaces = (range.lowerBound + sumPlace)..<(range.lowerBound + sumPlace + 4)
    return bytes.withUnsafeBufferPointer { bytes in
      var sum: UInt32 = 0
      for place in range {
        let byte = sumPlaces.contains(place) ? 0 : bytes[place]
        sum = sum << 8 ^ table[Int(UInt8(sum >> 24) ^ byte)]
      }
      return sum
    }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
  }
}
