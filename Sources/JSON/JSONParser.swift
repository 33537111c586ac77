extension JSONValue {
  /// Reads one JSON document: strict RFC 8259, UTF-8 without a byte order mark, no key twice in an object,
  /// no number beyond `Double`, nothing after the value but white space.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw JSONError(.tooLong(limit: limits.bytes)) }
    var parser = JSONParser(bytes: bytes, maximumDepth: limits.depth)
    self = try parser.document()
  }

  /// Reads one JSON document from a string; see `init(parsing:limits:)` for bytes.
  public init(parsing text: some StringProtocol, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

/// Recursive descent over the bytes of one document.
private struct JSONParser {
  let bytes: [UInt8]
  let maximumDepth: Int
  var index = 0

  mutating func document() throws(JSONError) -> JSONValue {
    if let offset = firstInvalidUTF8(in: bytes) { throw error(.invalidUTF8, at: offset) }
    let result = try value(depth: 0)
    skipWhiteSpace()
    guard index == bytes.count else { throw error(.expected("the end of the text"), at: index) }
    return result
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    skipWhiteSpace()
    guard let byte = peek else { throw error(.unexpectedEnd, at: index) }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw error(.expected("a value"), at: index)
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= maximumDepth else { throw error(.tooDeep(limit: maximumDepth), at: index) }
    index += 1
    var members: [String: JSONValue] = [:]
    skipWhiteSpace()
    if take("}") { return .object(members) }
    while true {
      skipWhiteSpace()
      let start = index
      guard peek == UInt8(ascii: "\"") else { throw error(.expected("a key in quotation marks"), at: index) }
      let key = try string()
      skipWhiteSpace()
      guard take(":") else { throw error(.expected("':'"), at: index) }
      let member = try value(depth: depth)
      guard members.updateValue(member, forKey: key) == nil else { throw error(.duplicateKey(key), at: start) }
      skipWhiteSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw error(.expected("',' or '}'"), at: index) }
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= maximumDepth else { throw error(.tooDeep(limit: maximumDepth), at: index) }
    index += 1
    var elements: [JSONValue] = []
    skipWhiteSpace()
    if take("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth))
      skipWhiteSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw error(.expected("',' or ']'"), at: index) }
    }
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
