/// Text as it comes of a file or a server.
enum TextBytes {
  /// The same in UTF-8: what Windows calls Unicode is UTF-16, and begins with a mark that tells the order of its bytes.
  static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    let isBig = bytes.starts(with: [0xFE, 0xFF])
    guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
      UInt16(bytes[isBig ? place : place + 1]) << 8 | UInt16(bytes[isBig ? place + 1 : place])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
