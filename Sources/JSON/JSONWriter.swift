extension JSONValue {
  /// The document on one line: no white space, keys in the order of their UTF-8 bytes, the shortest digits that
  /// read back as the same number, `null` for a number that is not finite. Equal values give equal bytes.
  public var bytes: [UInt8] {
    var result: [UInt8] = []
    write(to: &result)
    return result
  }

  /// `bytes` as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends `bytes` to what is being composed.
  public func write(to output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): output.append(contentsOf: value.description.utf8)
    case .number(let value): output.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    case .string(let value): Self.write(value, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      output.append(UInt8(ascii: "{"))
      for (index, member) in Self.sorted(members).enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &output)
        output.append(UInt8(ascii: ":"))
        member.value.write(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// The document on many lines, two spaces a level, for files that people read; ends without a line feed.
  public var indentedText: String {
    var result: [UInt8] = []
    writeIndented(to: &result, level: 0)
    return String(decoding: result, as: UTF8.self)
  }

  private func writeIndented(to output: inout [UInt8], level: Int) {
    func breakLine(_ level: Int) {
      output.append(0x0A)
      output.append(contentsOf: repeatElement(0x20, count: 2 * level))
    }
    switch self {
    case .array(let elements) where !elements.isEmpty:
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        breakLine(level + 1)
        element.writeIndented(to: &output, level: level + 1)
      }
      breakLine(level)
      output.append(UInt8(ascii: "]"))
    case .object(let members) where !members.isEmpty:
      output.append(UInt8(ascii: "{"))
      for (index, member) in Self.sorted(members).enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        breakLine(level + 1)
        Self.write(member.key, to: &output)
        output.append(contentsOf: ": ".utf8)
        member.value.writeIndented(to: &output, level: level + 1)
      }
      breakLine(level)
      output.append(UInt8(ascii: "}"))
    default: write(to: &output)
    }
  }

  private static func sorted(_ members: [String: JSONValue]) -> [(key: String, value: JSONValue)] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private static func write(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    // Many characters that people use begin with these bytes, and the few that steer terminals or are not seen
    // (`shown` in Hardware names the same).
    if text.utf8.contains(where: { $0 == 0xC2 || $0 == 0xCD || $0 == 0xD8 || $0 >= 0xE1 }) {
      for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x80..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B, 0x200E...0x200F,
          0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0xE0000...0xE00FF:
          for unit in UTF16.encode(scalar) ?? Unicode.UTF16.encodedReplacementCharacter {
            output.append(contentsOf: #"\u"#.utf8)
            for shift in [12, 8, 4, 0] { output.append(hexadecimal(UInt8(unit >> UInt16(shift) & 15))) }
          }
        default:
          for byte in UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter { write(byte, to: &output) }
        }
      }
    } else {
      for byte in text.utf8 { write(byte, to: &output) }
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func write(_ byte: UInt8, to output: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): output.append(contentsOf: #"\""#.utf8)
    case UInt8(ascii: "\\"): output.append(contentsOf: #"\\"#.utf8)
    case 0x08: output.append(contentsOf: #"\b"#.utf8)
    case 0x0C: output.append(contentsOf: #"\f"#.utf8)
    case 0x0A: output.append(contentsOf: #"\n"#.utf8)
    case 0x0D: output.append(contentsOf: #"\r"#.utf8)
    case 0x09: output.append(contentsOf: #"\t"#.utf8)
    case 0..<0x20, 0x7F:
      output.append(contentsOf: #"\u00"#.utf8)
      output.append(hexadecimal(byte >> 4))
      output.append(hexadecimal(byte & 15))
    default: output.append(byte)
    }
  }

  private static func hexadecimal(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

extension JSONValue: CustomStringConvertible {
  /// The same as `text`.
  public var description: String { text }
}
