/// Base 64 as in RFC 4648 section 4, with padding: keys of WebSockets, passwords of HTTP, pictures in JSON, fonts.
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  public static func encode(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let group =
        UInt32(bytes[index]) << 16 | UInt32(left > 1 ? bytes[index + 1] : 0) << 8
        | UInt32(left > 2 ? bytes[index + 2] : 0)
      out.append(alphabet[Int(group >> 18 & 63)])
      out.append(alphabet[Int(group >> 12 & 63)])
      out.append(left > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
      out.append(left > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "="))
      index += 3
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The bytes of a text; what is not of the alphabet, such as ends of lines and padding, is passed over.
  public static func decode(_ text: String) -> [UInt8] {
    var values = [UInt32?](repeating: nil, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt32(value) }
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count / 4 * 3)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for case let value? in text.utf8.lazy.map({ values[Int($0)] }) {
      (bits, count) = (bits << 6 | value, count + 6)
      guard count >= 8 else { continue }
      count -= 8
      out.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return out
  }
}
