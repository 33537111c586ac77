/// Where the first whole packet or frame is in bytes that begin in the midst of one, or with what is none of it. Pure.
struct FrameSync {
  /// So far is looked.
  static let mostBytes = 64 << 10
  /// Packets, and frames, that have to follow each other.
  private static let packets = 5
  private static let frames = 3

  private let bytes: ArraySlice<UInt8>

  /// The demuxer and the place in `bytes`; `nil` if nothing is found.
  static func find(_ bytes: ArraySlice<UInt8>) -> (demuxer: String, place: Int)? {
    // A text has neither of them, in whatever order its letters are.
    guard bytes.prefix(mostBytes).contains(where: { $0 == 0 || $0 == 0xFF }) else { return nil }
    let sync = FrameSync(bytes: bytes)
    // Frames of sound are in packets as well.
    if let place = sync.first(where: { sync.isPackets($0) }) { return ("mpegts", place) }
    if let place = sync.first(where: { sync.isFrames($0, sync.adts) }) { return ("aac", place) }
    if let place = sync.first(where: { sync.isFrames($0, sync.mpeg) }) { return ("mp3", place) }
    return nil
  }

  /// Where the packets of a transport stream begin that was cut within one; `nil` if none begin so near.
  static func packets(in bytes: ArraySlice<UInt8>) -> Int? {
    let sync = FrameSync(bytes: bytes)
    return (bytes.startIndex..<min(bytes.endIndex, bytes.startIndex + 204)).first { sync.isPackets($0) }
  }

  private func first(where isPlace: (Int) -> Bool) -> Int? {
    (bytes.startIndex..<min(bytes.endIndex, bytes.startIndex + Self.mostBytes)).first(where: isPlace)
  }

  private func isPackets(_ place: Int) -> Bool {
    guard bytes[place] == 0x47 else { return false }
    return [188, 192, 204].contains { size in
      let end = place + Self.packets * size
      return end <= bytes.endIndex && stride(from: place, to: end, by: size).allSatisfy { bytes[$0] == 0x47 }
    }
  }

  /// - Parameter head: how long a frame is, and what is the same in all of them; `nil` if none begins there.
  private func isFrames(_ place: Int, _ head: (Int) -> (length: Int, kind: Int)?) -> Bool {
    guard let first = head(place) else { return false }
    var next = place + first.length
    for _ in 1..<Self.frames {
      guard let frame = head(next), frame.kind == first.kind else { return false }
      next += frame.length
    }
    return true
  }

  /// Four bytes that begin with eleven bits that are set.
  private func word(_ place: Int) -> Int? {
    guard bytes.indices.contains(place), bytes[place] == 0xFF, place + 6 <= bytes.endIndex,
      bytes[place + 1] & 0xE0 == 0xE0
    else { return nil }
    return bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A head of ADTS (ISO/IEC 13818-7, 6.2): version, profile, rate and channels stay.
  private func adts(_ place: Int) -> (length: Int, kind: Int)? {
    guard let word = word(place), word >> 16 & 0xF6 == 0xF0, word >> 10 & 15 < 13 else { return nil }
    let tail = Int(bytes[place + 4]) << 8 | Int(bytes[place + 5])
    let length = (word & 3) << 11 | tail >> 5
    guard length > 7 else { return nil }
    return (length, word & 0xFFFF_FDC0)
  }

  /// A head of MPEG audio (ISO/IEC 11172-3, 2.4.2.3; 13818-3 for half the rates): version, layer and rate stay.
  private func mpeg(_ place: Int) -> (length: Int, kind: Int)? {
    guard let word = word(place) else { return nil }
    let version = word >> 19 & 3
    let layer = 4 - (word >> 17 & 3)
    let index = word >> 12 & 15
    let rate = word >> 10 & 3
    guard version != 1, layer < 4, rate < 3, (1...14).contains(index) else { return nil }
    let isFull = version == 3
    let halves = isFull ? 0 : version == 2 ? 1 : 2
    let hertz = [44_100, 48_000, 32_000][rate] >> halves
    let bits = 1000 * Self.kilobits(index, layer: layer, isFull: isFull)
    // In slots: of four bytes in layer I, else of one.
    let slots = layer == 1 ? 12 : layer == 3 && !isFull ? 72 : 144
    let length = (slots * bits / hertz + (word >> 9 & 1)) * (layer == 1 ? 4 : 1)
    return (length, word & 0xFFFE_0C00)
  }

  private static func kilobits(_ index: Int, layer: Int, isFull: Bool) -> Int {
    let rates: [Int] =
      switch (layer, isFull) {
      case (1, true): [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
      case (2, true): [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
      case (_, true): [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      case (1, false): [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
      case (_, false): [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
      }
    return rates[index - 1]
  }
}
