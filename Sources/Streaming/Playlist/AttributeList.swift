internal import Hardware

/// An attribute list (RFC 8216 section 4.2): `NAME=value,NAME="value"`.
struct AttributeList {
  private var values: [String: String] = [:]
  private static let most = 64

  /// - Parameter variables: put in for `{$name}` in quoted values (draft-pantos-hls-rfc8216bis section 4.3).
  init(
    _ value: ArraySlice<UInt8>, in lines: PlaylistLines, variables: PlaylistVariables
  ) throws(PlaylistError) {
    var rest = value
    while !rest.isEmpty {
      guard let sign = rest.firstIndex(of: 0x3D) else {
        throw lines.error(.malformed, "an attribute without a value")
      }
      let name = String(decoding: rest[..<sign].drop { $0 == 0x20 }, as: UTF8.self)
      guard !name.isEmpty,
        name.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
      else { throw lines.error(.malformed, "the name of an attribute may have A to Z, 0 to 9 and - only") }
      rest = rest[(sign + 1)...]
      if rest.first == 0x22 {
        let content = rest.dropFirst()
        guard let end = content.firstIndex(of: 0x22) else {
          throw lines.error(.malformed, "the quotation mark of \(name) is not closed")
        }
        values[name] = try variables.expand(try lines.text(content[..<end]), in: lines)
        rest = content[(end + 1)...]
        guard rest.isEmpty || rest.first == 0x2C else {
          throw lines.error(.malformed, "no comma behind the value of \(name)")
        }
      } else {
        let end = rest.firstIndex(of: 0x2C) ?? rest.endIndex
        values[name] = try lines.text(rest[..<end])
        rest = rest[end...]
      }
      rest = rest.dropFirst()
      guard values.count <= Self.most else { throw lines.error(.tooLarge, "more than \(Self.most) attributes") }
    }
  }

  subscript(_ name: String) -> String? { values[name] }

  func isYes(_ name: String) -> Bool { values[name] == "YES" }

  func integer(_ name: String, in lines: PlaylistLines) throws(PlaylistError) -> Int? {
    guard let value = values[name] else { return nil }
    return try lines.integer(value.utf8, of: name)
  }

  /// What must be there.
  func required(_ name: String, in lines: PlaylistLines) throws(PlaylistError) -> String {
    guard let value = values[name] else { throw lines.error(.malformed, "\(name) is missing") }
    return value
  }
}

/// Variables of a playlist (draft-pantos-hls-rfc8216bis section 4.4.2.3, EXT-X-DEFINE).
struct PlaylistVariables: Hashable, Sendable {
  private(set) var values: [String: String] = [:]

  /// - Parameters:
  ///   - value: what stands behind `#EXT-X-DEFINE:`.
  ///   - imported: the variables of the multivariant playlist.
  mutating func define(
    _ value: ArraySlice<UInt8>, in lines: PlaylistLines, imported: PlaylistVariables, limits: PlaylistLimits
  ) throws(PlaylistError) {
    let attributes = try AttributeList(value, in: lines, variables: self)
    if let name = attributes["NAME"] {
      values[name] = try attributes.required("VALUE", in: lines)
    } else if let name = attributes["IMPORT"] {
      guard let found = imported.values[name] else {
        throw lines.error(.malformed, "the variable \(name) is not in the multivariant playlist")
      }
      values[name] = found
    } else if let name = attributes["QUERYPARAM"] {
      guard let found = URLReference.queryValue(name, of: lines.subject) else {
        throw lines.error(.malformed, "the playlist's address has no parameter \(name)")
      }
      values[name] = found
    } else {
      throw lines.error(.malformed, "EXT-X-DEFINE needs NAME, IMPORT or QUERYPARAM")
    }
    guard values.count <= limits.descriptions else { throw lines.error(.tooLarge, "too many variables") }
  }

  /// The text with its variables put in, once.
  func expand(_ text: String, in lines: PlaylistLines) throws(PlaylistError) -> String {
    guard !values.isEmpty, text.holds("{$") else { return text }
    var result = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "{") {
      result += rest[..<mark]
      rest = rest[mark...]
      guard rest.hasPrefix("{$"), let end = rest.firstIndex(of: "}") else {
        result.append("{")
        rest = rest.dropFirst()
        continue
      }
      let name = String(rest[..<end].dropFirst(2))
      guard let value = values[name] else { throw lines.error(.malformed, "the variable \(name) is not defined") }
      result += value
      rest = rest[rest.index(after: end)...]
      guard result.utf8.count <= 64 << 10 else { throw lines.error(.tooLarge, "variables make the line too long") }
    }
    return result + rest
  }
}
