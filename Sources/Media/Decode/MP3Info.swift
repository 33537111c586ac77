internal import CFFmpeg
internal import Hardware

/// The exact length of an MP3 file, from the Xing/Info frame with LAME's extension.
///
/// The demuxer cuts encoder delay and padding off by it, but does not tell the resulting length.
enum MP3Info {
  /// A decoder's own delay, which LAME's delay leaves out.
  private static let decoderDelay = 528 + 1

  /// Audible frames, or `nil` without an Info frame. Reads a few KiB.
  static func audibleFrames(path: String) -> Int? {
    var context: UnsafeMutablePointer<AVIOContext>?
    guard avio_open(&context, KernelName.path("file:" + path), AVIO_FLAG_READ) >= 0, let context else { return nil }
    defer {
      var context: UnsafeMutablePointer<AVIOContext>? = context
      avio_closep(&context)
    }
    var offset: Int64 = 0
    // There may be several tags.
    for _ in 0..<8 {
      guard let length = ID3Tag.length(bytes(context, at: offset, count: ID3Tag.headBytes)) else { break }
      offset += Int64(length)
    }
    return audibleFrames(firstFrame: bytes(context, at: offset, count: 256))
  }

  /// Whether a file's first MPEG frame tells of the others, and has no sound.
  static func isOne(_ frame: [UInt8]) -> Bool {
    var reader = ByteReader(frame)
    if found(&reader) != nil { return true }
    // Fraunhofer's stands behind the longest side information.
    reader = ByteReader(frame)
    return reader.skip(36) && reader.fourCC() == "VBRI"
  }

  /// Reads up to what stands behind the name of a Xing/Info frame.
  private static func found(_ reader: inout ByteReader) -> (isVersion1: Bool, flags: UInt32)? {
    guard let header = reader.big32(), header >> 21 == 0x7FF, header >> 17 & 3 == 1 else { return nil }
    let isVersion1 = header >> 19 & 3 == 3
    let isMono = header >> 6 & 3 == 3
    // The tag stands behind the side information.
    guard reader.skip(isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)), let name = reader.fourCC(),
      name == "Xing" || name == "Info", let flags = reader.big32()
    else { return nil }
    return (isVersion1, flags)
  }

  /// Audible frames, from the first MPEG frame of the file.
  static func audibleFrames(firstFrame bytes: [UInt8]) -> Int? {
    var reader = ByteReader(bytes)
    guard let (isVersion1, flags) = found(&reader), flags & 1 == 1, let frames = reader.big32() else { return nil }
    let total = Int(frames) * (isVersion1 ? 1152 : 576)  // bounded: 43 bits
    guard reader.skip((flags & 2 != 0 ? 4 : 0) + (flags & 4 != 0 ? 100 : 0) + (flags & 8 != 0 ? 4 : 0)),
      let encoder = reader.fourCC(), ["LAME", "Lavf", "Lavc"].contains(encoder), reader.skip(17),
      let high = reader.big8(), let low = reader.big16()
    else { return total }
    let packed = Int(high) << 16 | Int(low)
    let length = total - (packed >> 12) - decoderDelay - max(0, packed & 0xFFF - decoderDelay)
    return length > 0 ? length : nil
  }

  private static func bytes(_ context: UnsafeMutablePointer<AVIOContext>, at offset: Int64, count: Int) -> [UInt8] {
    guard avio_seek(context, offset, SEEK_SET) >= 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, Int(avio_read(context, buffer.baseAddress, Int32(count))))
    }
  }
}
