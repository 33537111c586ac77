internal import FoundationEssentials

/// Any JSON value, as read from or written to a file of the data directory.
///
/// Whole numbers within `Int` are `integer`; all others are `number`. Fields that this version does not know are kept
/// as such values, so that a rewrite loses nothing a newer version has put there.
public indirect enum StoredValue: Hashable, Sendable {
  case null
  case flag(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([StoredValue])
  case object([String: StoredValue])

  /// Deepest nesting that is read. Nothing of ours is deeper than four; a bound keeps the decoder's stack small.
  static let deepestNesting = 32

  /// Reads one JSON document (RFC 8259).
  ///
  /// - Parameter path: the file's name, for the error.
  public static func parse(_ bytes: [UInt8], path: String) throws(MetadataError) -> StoredValue {
    guard nesting(of: bytes) <= deepestNesting else {
      throw MetadataError(path: path, reason: "nested deeper than \(deepestNesting) levels")
    }
    do {
      return try JSONDecoder().decode(StoredValue.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw MetadataError(path: path, reason: "not valid JSON: \(Self.explain(error))")
    } catch {
      throw MetadataError(path: path, reason: "not valid JSON")
    }
  }

  /// The document as pretty-printed JSON with sorted keys and a final newline: equal values give equal bytes.
  public func document(path: String) throws(MetadataError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    } catch {
      throw MetadataError(path: path, reason: "cannot be written as JSON")
    }
  }

  /// The deepest nesting of brackets outside strings; garbage gives some number and never traps.
  private static func nesting(of bytes: [UInt8]) -> Int {
    var depth = 0
    var deepest = 0
    var isText = false
    var isEscaped = false
    for byte in bytes {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  private static func explain(_ error: DecodingError) -> String {
    switch error {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      return place.isEmpty ? context.debugDescription : "at \(place): \(context.debugDescription)"
    @unknown default: return "unreadable"
    }
  }
}

extension StoredValue: Codable {
  public init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if let text = try? single.decode(String.self) {
      self = .text(text)
    } else if let integer = try? single.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? single.decode(Double.self) {
      self = .number(number)
    } else if let flag = try? single.decode(Bool.self) {
      self = .flag(flag)
    } else if single.decodeNil() {
      self = .null
    } else if let keyed = try? decoder.container(keyedBy: AnyKey.self) {
      var fields: [String: StoredValue] = [:]
      for key in keyed.allKeys { fields[key.stringValue] = try keyed.decode(StoredValue.self, forKey: key) }
      self = .object(fields)
    } else {
      var unkeyed = try decoder.unkeyedContainer()
      var items: [StoredValue] = []
      while !unkeyed.isAtEnd { items.append(try unkeyed.decode(StoredValue.self)) }
      self = .list(items)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let fields):
      var keyed = encoder.container(keyedBy: AnyKey.self)
      for (key, value) in fields { try keyed.encode(value, forKey: AnyKey(stringValue: key)) }
    case .list(let items):
      var unkeyed = encoder.unkeyedContainer()
      for item in items { try unkeyed.encode(item) }
    case .null, .flag, .integer, .number, .text:
      var single = encoder.singleValueContainer()
      switch self {
      case .flag(let flag): try single.encode(flag)
      case .integer(let integer): try single.encode(integer)
      // JSON has no infinity and no NaN.
      case .number(let number) where number.isFinite: try single.encode(number)
      case .text(let text): try single.encode(text)
      default: try single.encodeNil()
      }
    }
  }

  /// A coding key that is whatever the file says.
  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
