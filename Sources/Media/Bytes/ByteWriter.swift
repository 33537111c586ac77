/// Appends integers of either byte order to an array: MP4 boxes are big-endian, RIFF chunks little-endian.
struct ByteWriter {
  var bytes: [UInt8] = []

  var count: Int { bytes.count }

  mutating func big8(_ value: UInt8) { bytes.append(value) }

  mutating func big16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func big32(_ value: UInt32) {
    big16(UInt16(truncatingIfNeeded: value >> 16))
    big16(UInt16(truncatingIfNeeded: value))
  }

  mutating func big64(_ value: UInt64) {
    big32(UInt32(truncatingIfNeeded: value >> 32))
    big32(UInt32(truncatingIfNeeded: value))
  }

  mutating func little16(_ value: UInt16) { big16(value.byteSwapped) }
  mutating func little32(_ value: UInt32) { big32(value.byteSwapped) }
  mutating func little64(_ value: UInt64) { big64(value.byteSwapped) }

  mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

  mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// `text` cut (between characters) and zero-padded to exactly `width` bytes.
  mutating func text(_ text: String, width: Int) {
    let cut = text.prefix(utf8: width)
    bytes.append(contentsOf: cut.utf8)
    zeros(width - cut.utf8.count)
  }

  /// Overwrites the four bytes at `offset`.
  mutating func patch32(_ value: UInt32, at offset: Int) {
    for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * byte)) }
  }

  /// One ISO 14496-12 box: 32-bit size, type, content.
  mutating func box(_ type: String, _ content: (inout ByteWriter) -> Void) {
    let start = openBox(type)
    content(&self)
    closeBox(start)
  }

  /// A box whose content begins with a version byte and 24 flags.
  mutating func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout ByteWriter) -> Void) {
    box(type) { writer in
      writer.big32(UInt32(version) << 24 | flags)
      content(&writer)
    }
  }

  /// Begins a box that is closed later.
  ///
  /// - Returns: where it starts.
  mutating func openBox(_ type: String) -> Int {
    let start = count
    big32(0)
    // Apple's metadata types begin with the single byte 0xA9 (©), so types are Latin-1, not UTF-8.
    for scalar in type.unicodeScalars { big8(UInt8(truncatingIfNeeded: scalar.value)) }
    return start
  }

  /// Ends a box; `extra` bytes of its content are written elsewhere, right behind these.
  mutating func closeBox(_ start: Int, extra: Int = 0) {
    patch32(UInt32(truncatingIfNeeded: count - start + extra), at: start)
  }

  /// One RIFF chunk with its pad byte.
  mutating func chunk(_ type: String, _ content: (inout ByteWriter) -> Void) {
    text(type)
    let sizePlace = count
    big32(0)
    content(&self)
    let size = count - sizePlace - 4
    patch32(UInt32(truncatingIfNeeded: size).byteSwapped, at: sizePlace)
    if size & 1 == 1 { big8(0) }
  }
}

extension String {
  /// The longest beginning, in whole characters, that takes at most `width` bytes of UTF-8.
  func prefix(utf8 width: Int) -> Substring {
    var used = 0
    var end = startIndex
    for index in indices {
      used += self[index].utf8.count
      guard used <= width else { break }
      end = self.index(after: index)
    }
    return self[..<end]
  }
}
