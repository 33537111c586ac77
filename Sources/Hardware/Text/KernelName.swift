/// A file's name as the kernel has it, bytes of any kind, and as text: bytes that are no UTF-8 stand there as `\xE9`.
///
/// Text of that form stands for such bytes only where they are no UTF-8: a file that is really called `a\x41` keeps its
/// name.
public enum KernelName {
  /// The name as text.
  public static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var decoder = UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var position = 0
    while true {
      switch decoder.parseScalar(from: &rest) {
      case .valid(let scalar):
        text.unicodeScalars.append(UTF8.decode(scalar))
        position += scalar.count
      case .error(let length):
        for byte in bytes[position..<position + length] {
          text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        position += length
      case .emptyInput: return text
      }
    }
  }

  /// A path for the kernel, each of whose parts is a name as text; with its final NUL.
  public static func path(_ text: String) -> [CChar] {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.map { bytes(String(Substring($0))).dropLast() }.joined(separator: [CChar(UInt8(ascii: "/"))]) + [0]
  }

  /// The name for the kernel, with its final NUL.
  public static func bytes(_ text: String) -> [CChar] {
    let plain = Array(text.utf8)
    let raw = unescaped(plain)
    let isEscaped = raw.count != plain.count && String(validating: raw, as: UTF8.self) == nil
    return (isEscaped ? raw : plain).map { CChar(bitPattern: $0) } + [0]
  }

  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var raw: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if index + 3 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "x"),
        let high = digit(bytes[index + 2]), let low = digit(bytes[index + 3])
      {
        raw.append(high << 4 | low)
        index += 4
      } else {
        raw.append(bytes[index])
        index += 1
      }
    }
    return raw
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
