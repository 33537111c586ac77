internal import Hardware

/// What can be told of a picture's bytes without decoding it.
enum CodedPicture {
  /// Whether the bytes can be what was written: NAL units whose lengths add up, or an image with both its ends.
  /// A block that a power cut left as zeros inside of a unit does not show here; it costs one picture's lower part.
  static func isWhole(_ bytes: [UInt8], _ codec: VideoCodec) -> Bool {
    guard bytes.count > 4 else { return false }
    if codec == .mjpeg {
      return bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes.suffix(2).contains { $0 != 0 }
    }
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      guard let size = reader.big32().map(Int.init), size > 0, let unit = reader.take(size), let first = unit.first,
        first & 0x80 == 0, first != 0, unit.last != 0
      else { return false }
    }
    return true
  }
}
