/// Reads integers from a stretch of bytes that nobody vouches for: every read is checked, none traps.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  /// Index into the original array of the next byte.
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Bytes that are left.
  var remaining: Int { bytes.endIndex - position }

  mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= remaining else { return false }
    position += count
    return true
  }

  /// The next `count` bytes.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    let start = position
    return skip(count) ? bytes[start..<position] : nil
  }

  private mutating func number(_ width: Int) -> UInt64? {
    guard let taken = take(width) else { return nil }
    return taken.reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func big8() -> UInt8? { number(1).map { UInt8(truncatingIfNeeded: $0) } }
  mutating func big16() -> UInt16? { number(2).map { UInt16(truncatingIfNeeded: $0) } }
  mutating func big32() -> UInt32? { number(4).map { UInt32(truncatingIfNeeded: $0) } }
  mutating func big64() -> UInt64? { number(8) }
  mutating func little16() -> UInt16? { big16()?.byteSwapped }
  mutating func little32() -> UInt32? { big32()?.byteSwapped }
  mutating func little64() -> UInt64? { big64()?.byteSwapped }

  /// Four bytes as text, with anything but printable ASCII shown as `?`.
  mutating func fourCC() -> String? {
    take(4).map { code in
      String(decoding: code.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
  }

  /// The next ISO 14496-12 box with a 32-bit size, wholly inside these bytes: its type and content.
  mutating func box() -> (type: String, content: ArraySlice<UInt8>)? {
    guard let size = big32(), let type = fourCC(), size >= 8, let content = take(Int(size) - 8) else { return nil }
    return (type, content)
  }

  /// The same, of a type that may have bytes beyond ASCII: Apple's begin with 0xA9 (©).
  mutating func latinBox() -> (type: String, content: ArraySlice<UInt8>)? {
    guard let size = big32(), let code = take(4), size >= 8, let content = take(Int(size) - 8) else { return nil }
    return (String(String.UnicodeScalarView(code.map { Unicode.Scalar($0) })), content)
  }

  /// The content of the first box `type` among the boxes of `bytes`.
  static func find(_ type: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var reader = ByteReader(bytes)
    while let box = reader.box() {
      if box.type == type { return box.content }
    }
    return nil
  }

  /// The content of the box at `path`, one level of nesting a name.
  static func find(path: [String], in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var content = bytes
    for type in path {
      guard let inner = find(type, in: content) else { return nil }
      content = inner
    }
    return content
  }
}
