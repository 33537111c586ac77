// The only way to Unicode's form C that needs no Foundation; `==` of `String` goes by the same one.
@_spi(_Unicode) internal import Swift

/// A file's name as the kernel has it, bytes of any kind, and as text, one to one: texts that are equal to Swift are one
/// file, and others are not.
///
/// Text is composed (Unicode's form C). Bytes of a name that is no UTF-8, or is not composed, stand there as `\xE9`: beside
/// `Café.wav` there may be `Cafe\xCC\x81.wav`, as a Mac would write it. A file that is really called `a\x41` keeps its name;
/// one that is called as another's text would be stands there as `Cafe\x5CxCC\x5Cx81.wav`.
public enum KernelName {
  /// No file system has longer names, in bytes.
  private static let longest = 1024
  /// Bytes of the longest name of the card's file systems as text, where each of its bytes is escaped.
  public static let longestText = 4 * 255
  private static let backslash = UInt8(ascii: "\\")

  /// The name as text.
  public static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    isPlain(bytes) ? String(decoding: bytes, as: UTF8.self) : text(Array(bytes))
  }

  /// The text of a file that is known by what it is called elsewhere, byte by byte: by a person or in notes.
  public static func listed(_ name: String) -> String {
    isPlain(name) ? name : text(meant(Array(name.utf8)))
  }

  /// A name as text for people; two files may be called alike.
  public static func shown(_ name: String) -> String {
    guard !isPlain(name), name.utf8.contains(backslash) else { return name }
    return String(validating: meant(Array(name.utf8)), as: UTF8.self).map(composed) ?? name
  }

  /// The same text in the one form that names a file; of a path, too.
  public static func composed(_ text: String) -> String {
    guard !isPlain(text) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc { scalars.append(scalar) }
    return String(scalars)
  }

  /// A path for the kernel, each of whose parts is a name as text; with its final NUL. It is not composed: the data
  /// directory may be called as it likes.
  public static func path(_ text: String) -> [CChar] {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.map { kernel(Array($0)).dropLast() }.joined(separator: [CChar(UInt8(ascii: "/"))]) + [0]
  }

  /// The name for the kernel, with its final NUL.
  public static func bytes(_ text: String) -> [CChar] { kernel(Array(composed(text).utf8)) }

  private static func kernel(_ text: [UInt8]) -> [CChar] { meant(text).map { CChar(bitPattern: $0) } + [0] }

  // MARK: Escapes

  /// Whether these are letters that nothing is known of but what they are: of most names, of which lists have thousands.
  private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { $0 < 0x80 && $0 != backslash }
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { isPlain($0) } ?? isPlain(text.utf8)
  }

  private static func text(_ bytes: [UInt8]) -> String {
    if isPlain(bytes) { return String(decoding: bytes, as: UTF8.self) }
    let isLikeNoOther = meant(bytes).count == bytes.count
    if isLikeNoOther, let text = String(validating: bytes, as: UTF8.self), isComposed(text) { return text }
    var isOdd = bytes.map { _ in false }
    var decoder = UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var position = 0
    parsing: while true {
      switch decoder.parseScalar(from: &rest) {
      case .valid(let scalar): position += scalar.count
      case .error(let length):
        for place in position..<position + length { isOdd[place] = true }
        position += length
      case .emptyInput: break parsing
      }
    }
    let text = escaped(bytes) { isOdd[$0] }
    return isComposed(text) ? text : escaped(bytes) { bytes[$0] >= 0x80 }
  }

  private static func isComposed(_ text: String) -> Bool { text.utf8.elementsEqual(composed(text).utf8) }

  /// With these bytes escaped, and what would be read as an escape.
  private static func escaped(_ bytes: [UInt8], where isOdd: (Int) -> Bool) -> String {
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if isOdd(index) || escape(in: bytes, at: index) != nil {
        text += (#"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)).utf8
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of the file whose text this is; as it is where no file's text would have these escapes.
  private static func meant(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(backslash) else { return text }
    var raw: [UInt8] = []
    var index = 0
    while index < text.count {
      let byte = escape(in: text, at: index)
      raw.append(byte ?? text[index])
      index += byte == nil ? 1 : 4
    }
    guard raw.count < text.count, raw.count <= longest, Self.text(raw).utf8.elementsEqual(text) else { return text }
    return raw
  }

  private static func escape(in bytes: [UInt8], at index: Int) -> UInt8? {
    guard index + 3 < bytes.count, bytes[index] == backslash, bytes[index + 1] == UInt8(ascii: "x"),
      let high = digit(bytes[index + 2]), let low = digit(bytes[index + 3])
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
