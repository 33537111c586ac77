internal import JSON

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

  /// Deepest nesting that is read. Nothing of ours is deeper than four; a bound keeps the parser's stack small.
  static let deepestNesting = 32

  /// Reads one JSON document (RFC 8259).
  ///
  /// - Parameter path: the file's name, for the error.
  public static func parse(_ bytes: [UInt8], path: String) throws(MetadataError) -> StoredValue {
    do {
      // The size is bounded by whoever read the file.
      return StoredValue(try JSONValue(parsing: bytes, limits: JSONLimits(bytes: .max, depth: deepestNesting)))
    } catch {
      throw MetadataError(path: path, reason: "not valid JSON: \(error)")
    }
  }

  /// The document as pretty-printed JSON with sorted keys and a final newline: equal values give equal bytes.
  public func document() -> [UInt8] { Array(json.indentedText.utf8) + [UInt8(ascii: "\n")] }

  private init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .bool(let flag): self = .flag(flag)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = Int(exactly: number).map(StoredValue.integer) ?? .number(number)
    case .string(let text): self = .text(text)
    case .array(let items): self = .list(items.map(StoredValue.init))
    case .object(let fields): self = .object(fields.mapValues(StoredValue.init))
    }
  }

  private var json: JSONValue {
    switch self {
    case .null: .null
    case .flag(let flag): .bool(flag)
    case .integer(let integer): .integer(integer)
    // A whole number reads back as an integer anyway.
    case .number(let number): Int(exactly: number).map(JSONValue.integer) ?? .number(number)
    case .text(let text): .string(text)
    case .list(let items): .array(items.map(\.json))
    case .object(let fields): .object(fields.mapValues(\.json))
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
