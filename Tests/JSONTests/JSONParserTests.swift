import JSON
import TestSupport
import Testing

@Suite struct JSONParserTests {
  @Test func everyKindOfValueIsRead() throws {
    let value = try JSONValue(parsing: #" {"a":[1,-2,3.5,1e3,true,false,null],"b":{"c":"x\n\u00e9\ud83d\ude00/\/"}} "#)
    #expect(
      value == [
        "a": [1, -2, .number(3.5), .number(1000), true, false, nil], "b": ["c": "x\né😀//"],
      ])
  }

  @Test func wholeNumbersStayWholeUpToTheEndsOfInt() throws {
    #expect(try JSONValue(parsing: "9223372036854775807") == .integer(.max))
    #expect(try JSONValue(parsing: "-9223372036854775808") == .integer(.min))
    #expect(try JSONValue(parsing: "9223372036854775808") == .number(9_223_372_036_854_775_808))
    #expect(try JSONValue(parsing: "1.0") == .number(1))
  }

  @Test(arguments: [
    ("", JSONError.Kind.unexpectedEnd, 1, 1),
    ("{", .unexpectedEnd, 1, 2),
    ("[1,]", .expected("a value"), 1, 4),
    ("{\n \"a\" 1}", .expected("':'"), 2, 6),
    ("{\"a\":1,}", .expected("a key in quotation marks"), 1, 8),
    ("[1 2]", .expected("',' or ']'"), 1, 4),
    ("01", .expected("the end of the text"), 1, 2),
    ("1.", .unexpectedEnd, 1, 3),
    ("-x", .expected("a digit"), 1, 2),
    ("+1", .expected("a value"), 1, 1),
    ("NaN", .expected("a value"), 1, 1),
    ("nul", .unexpectedEnd, 1, 1),
    ("1e999", .numberOutOfRange, 1, 1),
    ("\"\\x\"", .invalidEscape, 1, 2),
    ("\"\\ud800\"", .invalidEscape, 1, 2),
    ("\"\\udc00\"", .invalidEscape, 1, 2),
    ("\"a\tb\"", .unescapedControl, 1, 3),
    ("{\"a\":1,\"a\":2}", .duplicateKey("a"), 1, 8),
    ("1 // one", .expected("the end of the text"), 1, 3),
  ])
  func whatIsNotJSONIsRefusedWithItsPlace(text: String, kind: JSONError.Kind, line: Int, column: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    // A word that is cut short is reported where it begins.
    if text != "nul" { #expect(error?.kind == kind) }
    #expect(error?.line == line)
    #expect(error?.column == column, "\(text)")
  }

  @Test func limitsOnSizeAndDepthHold() throws {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSONValue(parsing: nested(64))
    #expect(throws: JSONError(.tooDeep(limit: 64), offset: 64, line: 1, column: 65)) {
      try JSONValue(parsing: nested(65))
    }
    _ = try JSONValue(parsing: nested(512), limits: JSONLimits(depth: 100_000))
    #expect(throws: JSONError.self) { try JSONValue(parsing: nested(513), limits: JSONLimits(depth: 100_000)) }
    #expect(throws: JSONError(.tooLong(limit: 3))) { try JSONValue(parsing: "1234", limits: JSONLimits(bytes: 3)) }
  }

  @Test func `A byte order mark in front is passed over, once`() throws {
    #expect(try JSONValue(parsing: "\u{FEFF}{\"a\": 1}") == .object(["a": .integer(1)]))
    for text in ["\u{FEFF}", "\u{FEFF}\u{FEFF}1", "1\u{FEFF}", " \u{FEFF}1"] {
      #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }
  }

  @Test func aDocumentIsTheSameInPiecesOfAnySize() throws {
    var random = SeededGenerator(seed: 11)
    let original = Array(
      #"{"a":[1,2.5e-3,"é\u20ac😀",[],{},[[{"b":null}]]],"longer":"text of some length","c":{"d":true,"e":[false]}} "#
        .utf8)
    for _ in 0..<5_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0xFF, using: &random)
      }
      let size = Int.random(in: 1...40, using: &random)
      #expect(Self.inPieces(bytes, of: size) == Result { () throws(JSONError) in try JSONValue(parsing: bytes) })
    }
  }

  private static func inPieces(_ bytes: [UInt8], of size: Int) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in
      var reader = try JSONReader(bytes)
      while true { if let value = try reader.step(bytes: size) { return value } }
    }
  }

  @Test func aLimitOnValuesBoundsTheMemory() throws {
    let many = Array(("[" + String(repeating: "[],", count: 99) + "[]]").utf8)
    _ = try JSONValue(parsing: many, limits: JSONLimits(values: 101))
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: many, limits: JSONLimits(values: 100)) }
    #expect(error?.kind == .tooMany(limit: 100))
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func ilFormedUTF8IsRefusedAtItsFirstByte(sequence: [UInt8]) {
    let quote = [UInt8(ascii: "\"")]
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: quote + sequence + quote) }
    #expect(error?.kind == .invalidUTF8)
    #expect(error?.offset == 1)
  }

  @Test func theUTF8CheckAgreesWithTheStandardLibraryOnRandomBytes() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      // Bytes near the edges of the table make well-formed sequences likely.
      let edges: [UInt8] = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1,
        0xF4,
        0xF5,
      ]
      let bytes = (0..<Int.random(in: 0...8, using: &random)).map { _ in edges.randomElement(using: &random) ?? 0 }
      #expect((firstInvalidUTF8(in: bytes) == nil) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
    }
  }

  @Test func randomBytesNeverTrapAndWhatIsReadCanBeWrittenAndReadAgain() throws {
    var random = SeededGenerator(seed: 42)
    let alphabet = Array(#"{}[]:,"\ue0123456789.-+Etrufalsn dbc8x"#.utf8) + [0x0A, 0x00, 0xC3, 0xA9, 0xF0, 0xFF]
    var accepted = 0
    for _ in 0..<60_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      accepted += 1
      #expect(try JSONValue(parsing: value.bytes) == value)
    }
    #expect(accepted > 100)
  }

  @Test func damagedDocumentsNeverTrap() throws {
    var random = SeededGenerator(seed: 3)
    let original = Array(#"{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"x":[1,2.5e-3,"\u20ac\n"],"y":null}}"#.utf8)
    for _ in 0..<20_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      #expect(try JSONValue(parsing: value.bytes) == value)
    }
  }
}
