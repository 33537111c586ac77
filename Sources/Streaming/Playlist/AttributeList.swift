internal import Hardware

/// An attribute list (RFC 8216 section 4.2): `NAME=value,NAME="value"`. What cannot be read of it is passed over, and
/// remarked where a value was lost.
struct AttributeList {
  private var values: [String: String] = [:]
  private static let most = 64

  /// - Parameter variables: put in for `{$name}` in quoted values (draft-pantos-hls-rfc8216bis section 4.3).
  init(
    _ value: ArraySlice<UInt8>, in lines: PlaylistLines, variables: PlaylistVariables,
    remarks: inout PlaylistRemarks
  ) {
    guard !lines.isTooLong(value, &remarks) else { return }
    var rest = value
    while true {
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }
      guard !rest.isEmpty, values.count < Self.most else { return }
      let name = rest.prefix { $0 != 0x3D && $0 != 0x2C }
      rest = rest[name.endIndex...]
      // A word without a value says nothing that is asked for.
      guard rest.first == 0x3D else { continue }
      let key = Self.text(name)
      rest = rest.dropFirst().drop { $0 == 0x20 }
      if rest.first == 0x22 {
        let content = rest.dropFirst().prefix { $0 != 0x22 }
        if content.endIndex == rest.endIndex { remarks.add(lines.number, "the quotation mark of \(key) is not closed") }
        values[key] = variables.expand(Self.text(content), &remarks)
        rest = rest[content.endIndex...].drop { $0 != 0x2C }
      } else {
        let content = rest.prefix { $0 != 0x2C }
        values[key] = Self.text(content)
        rest = rest[content.endIndex...]
      }
    }
  }

  /// What can be read of some bytes, without blanks at the end.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var kept = bytes.filter { $0 >= 0x20 && $0 != 0x7F }
    while kept.last == 0x20 { kept.removeLast() }
    return String(decoding: kept, as: UTF8.self)
  }

  /// An empty value is none.
  subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  func isYes(_ name: String) -> Bool { values[name] == "YES" || values[name] == "yes" }
}

/// Variables of a playlist (draft-pantos-hls-rfc8216bis section 4.4.2.3, EXT-X-DEFINE).
struct PlaylistVariables: Hashable, Sendable {
  private(set) var values: [String: String] = [:]

  /// Longer than any line may be, a text with variables put in is cut off; all of them together are no longer either.
  private static let mostBytes = 64 << 10
  /// Of all names and values that were ever given: a list may give one over and over.
  private var size = 0

  /// - Parameters:
  ///   - value: what stands behind `#EXT-X-DEFINE:`.
  ///   - imported: the variables of the multivariant playlist.
  mutating func define(
    _ value: ArraySlice<UInt8>, in lines: PlaylistLines, imported: PlaylistVariables, limits: PlaylistLimits,
    remarks: inout PlaylistRemarks
  ) {
    guard values.count < limits.descriptions, size <= Self.mostBytes else {
      return remarks.add(lines.number, "too many variables")
    }
    let attributes = AttributeList(value, in: lines, variables: self, remarks: &remarks)
    if let name = attributes["NAME"] {
      set(name, attributes["VALUE"] ?? "")
    } else if let name = attributes["IMPORT"] {
      guard let found = imported.values[name] else {
        return remarks.add(lines.number, "the variable \(name) is not in the multivariant playlist")
      }
      set(name, found)
    } else if let name = attributes["QUERYPARAM"] {
      guard let found = URLReference.queryValue(name, of: lines.subject) else {
        return remarks.add(lines.number, "the playlist's address has no parameter \(name)")
      }
      set(name, found)
    } else {
      remarks.add(lines.number, "EXT-X-DEFINE needs NAME, IMPORT or QUERYPARAM")
    }
  }

  private mutating func set(_ name: String, _ value: String) {
    values[name] = value
    size += name.utf8.count + value.utf8.count
  }

  /// The text with its variables put in, once; what is none stays as it is. In time that grows with the text only, and
  /// all texts of a list together no further than `PlaylistRemarks` allows.
  func expand(_ text: String, _ remarks: inout PlaylistRemarks) -> String {
    guard !values.isEmpty, text.holds("{$"), remarks.mayExpand else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let isMark = bytes[place] == 0x7B && place + 1 < bytes.count && bytes[place + 1] == 0x24
      let name: ArraySlice<UInt8> = isMark ? bytes[(place + 2)...].prefix(while: Self.isNamed) : []
      if isMark, !name.isEmpty, name.endIndex < bytes.count, bytes[name.endIndex] == 0x7D,
        let value = values[String(decoding: name, as: UTF8.self)]
      {
        result += value.utf8
        place = name.endIndex + 1
        guard result.count <= Self.mostBytes else { break }
      } else {
        // The name holds no mark: it need not be looked at again.
        let end = isMark ? name.endIndex : place + 1
        result += bytes[place..<end]
        place = end
      }
    }
    remarks.expanded += result.count
    return String(decoding: result, as: UTF8.self)
  }

  /// What a variable's name is made of.
  private static func isNamed(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
      || byte == 0x5F
  }
}
