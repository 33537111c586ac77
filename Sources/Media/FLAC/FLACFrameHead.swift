internal import Hardware

/// The head of one frame of FLAC (RFC 9639, 9.1), as the encoder writes it.
struct FLACFrameHead {
  /// Its number in the stream.
  var number: Int
  var frames: Int
  /// Of its sound, where it is one that the device records.
  var format: PCMFormat?
  /// Frames of the stream up to its end.
  var end: Int { number * SoundCodec.flac.packetFrames + frames }

  /// The frame head that begins at `start`, if every bit of it is as it must be.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    guard start + 6 < bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xF8, bytes[start + 3] & 1 == 0 else {
      return nil
    }
    var place = start + 4
    // The number is coded as UTF-8 codes characters.
    let first = bytes[place]
    let length = first < 0x80 ? 1 : (~first).leadingZeroBitCount
    guard length != 0, first < 0x80 || (2...7).contains(length), place + length + 3 < bytes.count else { return nil }
    number = first < 0x80 ? Int(first) : length >= 7 ? 0 : Int(first & (0x7F >> UInt8(length)))
    for index in 1..<max(1, length) {
      guard bytes[place + index] & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int(bytes[place + index] & 0x3F)
    }
    // The head of a file has 36 bits for what lies before it.
    guard number < Self.mostFrames else { return nil }
    place += length
    switch bytes[start + 2] >> 4 {
    case 6:
      frames = Int(bytes[place]) + 1
      place += 1
    case 7:
      frames = (Int(bytes[place]) << 8 | Int(bytes[place + 1])) + 1
      place += 2
    case let code where code >= 8: frames = 256 << Int(code - 8)
    case 1: frames = 192
    case let code where (2...5).contains(code): frames = 576 << Int(code - 2)
    default: return nil
    }
    let rate = bytes[start + 2] & 15
    place += rate == 12 ? 1 : rate == 13 || rate == 14 ? 2 : 0
    guard rate != 15, place < bytes.count else { return nil }
    var sum: UInt8 = 0
    for index in start..<place {
      sum ^= bytes[index]
      for _ in 0..<8 { sum = sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
    guard sum == bytes[place] else { return nil }
    guard let hertz = Self.rates[rate], let count = Self.channels[bytes[start + 3] >> 4] else { return }
    switch bytes[start + 3] >> 1 & 7 {
    case 4: format = PCMFormat(sampleRate: hertz, channels: count, bits: 16)
    case 6: format = PCMFormat(sampleRate: hertz, channels: count, bits: 24)
    default: break
    }
  }

  private static let mostFrames = (1 << 36) / SoundCodec.flac.packetFrames
  /// What codes of a frame's head say, of what the device records.
  private static let rates: [UInt8: Int] = [
    1: 88_200, 2: 176_400, 3: 192_000, 4: 8000, 5: 16_000, 6: 22_050, 7: 24_000, 8: 32_000, 9: 44_100, 10: 48_000,
    11: 96_000,
  ]
  private static let channels: [UInt8: Int] = [0: 1, 1: 2, 8: 2, 9: 2, 10: 2]

  private static let table: [UInt16] = (0..<256).map { index in
    (0..<8).reduce(UInt16(index) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x8005 : sum << 1 }
  }

  /// Whether these bytes are whole frames: the checksum at the end of a frame makes that of all of it zero.
  static func isWhole(_ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool { checksum(of: bytes, after: 0) == 0 }

  /// - Parameter before: the one of what stands before these bytes.
  static func checksum(of bytes: UnsafeBufferPointer<UInt8>.SubSequence, after before: UInt16) -> UInt16 {
    let table = table
    return bytes.reduce(before) { sum, byte in sum << 8 ^ table[Int(UInt8(sum >> 8) ^ byte)] }
  }
}
