extension JSONValue {
  /// Reads one JSON document: strict RFC 8259, UTF-8, no key twice in an object, no number beyond `Double`, nothing after
  /// the value but white space. The byte order mark that some editors write in front is passed over.
  ///
  /// In one go; `JSONReader` does the same a piece at a time.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    var reader = try JSONReader(bytes, limits: limits)
    while true {
      if let value = try reader.step(bytes: .max) {
        self = value
        return
      }
    }
  }

  /// Reads one JSON document from a string; see `init(parsing:limits:)` for bytes.
  public init(parsing text: some StringProtocol, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

/// Reads one document a piece at a time, for lanes whose steps are bounded in time.
///
/// Nested values are kept on a stack of its own: depth costs memory, not the thread's stack.
public struct JSONReader: Sendable {
  /// An array or object that is still open.
  private struct Level {
    let isObject: Bool
    var elements: [JSONValue] = []
    var members: [String: JSONValue] = [:]
    /// Of the member whose value comes next, and where it stands.
    var key = ""
    var keyPlace = 0

    var value: JSONValue { isObject ? .object(members) : .array(elements) }
  }

  /// What the next step reads.
  private enum Stage {
    case encoding, value, end
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var index = 0
  private var stage = Stage.encoding
  private var levels: [Level] = []
  private var values = 0
  private var result = JSONValue.null

  /// - Throws: `tooLong`.
  public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw JSONError(.tooLong(limit: limits.bytes)) }
    self.bytes = bytes
    self.limits = limits
  }

  /// Reads on for about so many bytes; a longer string is read to its end.
  ///
  /// - Returns: the document, when it has been read to its end; not to be called again then, nor after an error.
  public mutating func step(bytes count: Int) throws(JSONError) -> JSONValue? {
    let end = count < bytes.count - index ? index + max(1, count) : bytes.count
    switch stage {
    case .encoding: try checkEncoding(to: end)
    case .value:
      repeat {
        if try element() { stage = .end }
      } while index < end && stage == .value
    case .end:
      skipWhiteSpace()
      guard index == bytes.count else { throw error(.expected("the end of the text"), at: index) }
      return result
    }
    return nil
  }

  private mutating func checkEncoding(to end: Int) throws(JSONError) {
    var end = end
    // Not within a character, which has four bytes at most.
    for _ in 0..<3 where end < bytes.count && bytes[end] & 0xC0 == 0x80 { end += 1 }
    let piece = index == 0 && end == bytes.count ? bytes : Array(bytes[index..<end])
    if let offset = firstInvalidUTF8(in: piece) { throw error(.invalidUTF8, at: index + offset) }
    index = end
    if index >= bytes.count { (index, stage) = (bytes.starts(with: Self.byteOrderMark) ? 3 : 0, .value) }
  }

  /// Reads a scalar, or the beginning of an array or object, and the ends of those that end with it.
  ///
  /// - Returns: whether the document's value is whole.
  private mutating func element() throws(JSONError) -> Bool {
    skipWhiteSpace()
    guard let byte = peek else { throw error(.unexpectedEnd, at: index) }
    values += 1
    guard values <= limits.values else { throw error(.tooMany(limit: limits.values), at: index) }
    switch byte {
    case UInt8(ascii: "{"):
      try open(isObject: true)
      if take("}") { return try close() }
      try key()
      return false
    case UInt8(ascii: "["):
      try open(isObject: false)
      return take("]") ? try close() : false
    case UInt8(ascii: "\""): return try put(.string(try string()))
    case UInt8(ascii: "t"): return try put(try word("true", .bool(true)))
    case UInt8(ascii: "f"): return try put(try word("false", .bool(false)))
    case UInt8(ascii: "n"): return try put(try word("null", .null))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try put(try number())
    default: throw error(.expected("a value"), at: index)
    }
  }

  private mutating func open(isObject: Bool) throws(JSONError) {
    guard levels.count < limits.depth else { throw error(.tooDeep(limit: limits.depth), at: index) }
    index += 1
    levels.append(Level(isObject: isObject))
    skipWhiteSpace()
  }

  private mutating func key() throws(JSONError) {
    skipWhiteSpace()
    let start = index
    guard peek == UInt8(ascii: "\"") else { throw error(.expected("a key in quotation marks"), at: index) }
    let key = try string()
    skipWhiteSpace()
    guard take(":") else { throw error(.expected("':'"), at: index) }
    levels[levels.count - 1].key = key
    levels[levels.count - 1].keyPlace = start
  }

  /// The innermost array or object is whole.
  private mutating func close() throws(JSONError) -> Bool {
    try put(levels.removeLast().value)
  }

  /// Puts a whole value where it belongs, and goes on to the next one.
  private mutating func put(_ whole: JSONValue) throws(JSONError) -> Bool {
    var value = whole
    while let last = levels.indices.last {
      let isObject = levels[last].isObject
      if isObject {
        let key = levels[last].key
        guard levels[last].members.updateValue(value, forKey: key) == nil else {
          throw error(.duplicateKey(key), at: levels[last].keyPlace)
        }
      } else {
        levels[last].elements.append(value)
      }
      skipWhiteSpace()
      if take(",") {
        if isObject { try key() }
        return false
      }
      guard take(isObject ? "}" : "]") else {
        throw error(.expected(isObject ? "',' or '}'" : "',' or ']'"), at: index)
      }
      value = levels.removeLast().value
    }
    result = value
    return true
  }

  private mutating func word(_ text: StaticString, _ result: JSONValue) throws(JSONError) -> JSONValue {
    let start = index
    for offset in 0..<text.utf8CodeUnitCount {
      guard peek == text.utf8Start[offset] else { throw error(.expected("a value"), at: start) }
      index += 1
    }
    return result
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = index
    var isWhole = true
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") {
      isWhole = false
      try digits()
    }
    if take("e") || take("E") {
      isWhole = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole, let whole = Int(text) { return .integer(whole) }
    guard let value = Double(text), value.isFinite else { throw error(.numberOutOfRange, at: start) }
    return .number(value)
  }

  private mutating func digits() throws(JSONError) {
    let start = index
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    if index == start { throw error(.expected("a digit"), at: index) }
  }

  private mutating func string() throws(JSONError) -> String {
    index += 1
    var result: [UInt8] = []
    var start = index
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        result.append(contentsOf: bytes[start..<index])
        index += 1
        return String(decoding: result, as: UTF8.self)
      case UInt8(ascii: "\\"):
        result.append(contentsOf: bytes[start..<index])
        try escape(into: &result)
        start = index
      case 0..<0x20: throw error(.unescapedControl, at: index)
      default: index += 1
      }
    }
    throw error(.unexpectedEnd, at: index)
  }

  /// Reads an escape, `index` being at its backslash, and appends what it stands for.
  private mutating func escape(into result: inout [UInt8]) throws(JSONError) {
    let start = index
    index += 1
    guard let letter = peek else { throw error(.unexpectedEnd, at: index) }
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(letter)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      var code = try codeUnit(start)
      if (0xD800..<0xDC00).contains(code) {
        guard take("\\"), take("u") else { throw error(.invalidEscape, at: start) }
        let low = try codeUnit(start)
        guard (0xDC00..<0xE000).contains(low) else { throw error(.invalidEscape, at: start) }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error(.invalidEscape, at: start) }
      result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw error(.invalidEscape, at: start)
    }
  }

  private mutating func codeUnit(_ start: Int) throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek else { throw error(.unexpectedEnd, at: index) }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): code = code << 4 + UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): code = code << 4 + UInt32(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): code = code << 4 + UInt32(byte - UInt8(ascii: "A") + 10)
      default: throw error(.invalidEscape, at: start)
      }
      index += 1
    }
    return code
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = peek, UInt32(byte) == character.value else { return false }
    index += 1
    return true
  }

  private mutating func skipWhiteSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private func error(_ kind: JSONError.Kind, at offset: Int) -> JSONError {
    var kind = kind
    if offset == bytes.count, case .expected = kind { kind = .unexpectedEnd }
    let before = bytes.prefix(offset)
    let line = before.count(where: { $0 == 0x0A }) + 1
    let column = offset - (before.lastIndex(of: 0x0A) ?? -1)
    return JSONError(kind, offset: offset, line: line, column: column)
  }
}
