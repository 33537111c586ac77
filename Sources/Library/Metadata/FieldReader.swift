internal import Hardware
internal import JSON

/// Takes the fields of a JSON object one by one, checks type and range, and keeps what nobody asked for.
///
/// Absent and `null` are the same. Every error names the file and the field.
struct FieldReader {
  /// File and field so far: `recordings/x.json audio`.
  let path: String
  /// Fields not taken yet; in the end those that this version does not know.
  private(set) var rest: [String: JSONValue]

  init(_ value: JSONValue, path: String) throws(MetadataError) {
    guard case .object(let fields) = value else {
      throw MetadataError(path: path, reason: "expected an object with named fields")
    }
    self.path = path
    rest = fields
  }

  mutating func text(_ key: String) throws(MetadataError) -> String? {
    switch take(key) {
    case nil: return nil
    case .string(let text)?: return text
    default: throw wrong(key, "expected text")
    }
  }

  mutating func flag(_ key: String) throws(MetadataError) -> Bool? {
    switch take(key) {
    case nil: return nil
    case .bool(let flag)?: return flag
    default: throw wrong(key, "expected true or false")
    }
  }

  mutating func integer(_ key: String, in range: ClosedRange<Int>) throws(MetadataError) -> Int? {
    let integer: Int
    switch take(key) {
    case nil: return nil
    case .integer(let value)?: integer = value
    case .number(let value)?:
      // A whole number that another tool has written as 48000.0.
      guard let whole = Int(exactly: value) else { throw wrong(key, "expected a whole number") }
      integer = whole
    default: throw wrong(key, "expected a whole number")
    }
    guard range.contains(integer) else { throw wrong(key, "\(integer) is not within \(range)") }
    return integer
  }

  mutating func number(_ key: String, in range: ClosedRange<Double>) throws(MetadataError) -> Double? {
    let number: Double
    switch take(key) {
    case nil: return nil
    case .integer(let value)?: number = Double(value)
    case .number(let value)?: number = value
    default: throw wrong(key, "expected a number")
    }
    guard range.contains(number) else { throw wrong(key, "\(number) is not within \(range)") }
    return number
  }

  mutating func time(_ key: String) throws(MetadataError) -> WallTime? {
    guard let text = try text(key) else { return nil }
    guard let time = WallTime(iso8601: text) else {
      throw wrong(key, "\"\(text)\" is not a time like 2026-11-20T21:54:00Z")
    }
    return time
  }

  mutating func list(_ key: String) throws(MetadataError) -> [JSONValue] {
    switch take(key) {
    case nil: return []
    case .array(let items)?: return items
    default: throw wrong(key, "expected a list")
    }
  }

  mutating func texts(_ key: String) throws(MetadataError) -> [String] {
    var texts: [String] = []
    for item in try list(key) {
      guard case .string(let text) = item else { throw wrong(key, "expected a list of texts") }
      texts.append(text)
    }
    return texts
  }

  mutating func object(_ key: String) -> JSONValue? { take(key) }

  func required<Value>(_ value: Value?, _ key: String) throws(MetadataError) -> Value {
    guard let value else { throw wrong(key, "is missing") }
    return value
  }

  func place(_ key: String) -> String { path.contains(" ") ? "\(path).\(key)" : "\(path) \(key)" }

  private mutating func take(_ key: String) -> JSONValue? {
    let value = rest.removeValue(forKey: key)
    return value == .null ? nil : value
  }

  private func wrong(_ key: String, _ reason: String) -> MetadataError {
    MetadataError(path: place(key), reason: reason)
  }
}
