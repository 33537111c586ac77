/// What is wrong with a JSON document, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The document has more bytes than the limit.
    case tooLong(limit: Int)
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// The document has more values than the limit.
    case tooMany(limit: Int)
    /// The bytes are not UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
    case invalidUTF8
    /// Something else was expected here.
    case expected(String)
    /// The document ends in the middle.
    case unexpectedEnd
    /// A backslash is followed by something that JSON does not know, or a surrogate stands alone.
    case invalidEscape
    /// A control character stands in a string as itself.
    case unescapedControl
    /// A number that no `Double` can hold.
    case numberOutOfRange
    /// An object has a key twice.
    case duplicateKey(String)
  }

  public var kind: Kind
  /// Bytes before the place; 0 where there is no text.
  public var offset: Int
  /// Line of the place, from 1.
  public var line: Int
  /// Byte within the line, from 1.
  public var column: Int

  public init(_ kind: Kind, offset: Int = 0, line: Int = 1, column: Int = 1) {
    self.kind = kind
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// One sentence, with line and column where there is a text.
  public var description: String {
    switch kind {
    case .tooLong(let limit): "the JSON text is longer than \(limit) bytes"
    case .tooDeep(let limit): "\(place): nested deeper than \(limit) levels"
    case .tooMany(let limit): "\(place): more than \(limit) values"
    case .invalidUTF8: "\(place): not UTF-8"
    case .expected(let what): "\(place): expected \(what)"
    case .unexpectedEnd: "\(place): the text ends too early"
    case .invalidEscape: "\(place): not an escape that JSON knows"
    case .unescapedControl: "\(place): a control character in a string has to be escaped"
    case .numberOutOfRange: "\(place): the number is too large"
    case .duplicateKey(let key): "\(place): the key \(JSONValue.string(key).text) is given twice"
    }
  }

  private var place: String { "line \(line), column \(column)" }
}

/// What a JSON document may cost.
public struct JSONLimits: Hashable, Sendable {
  /// The longest document in bytes.
  public var bytes: Int
  /// The deepest nesting of arrays and objects, at most 512: what reads and writes values recurses.
  public var depth: Int
  /// The most values, of any kind and at any depth: a value takes many times the memory of the bytes that it is written in.
  public var values: Int

  public init(bytes: Int = 1 << 20, depth: Int = 64, values: Int = .max) {
    self.bytes = bytes
    self.values = values
    self.depth = min(max(depth, 0), 512)
  }
}
