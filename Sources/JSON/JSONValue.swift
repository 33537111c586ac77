/// A JSON document or a part of one (RFC 8259).
///
/// Numbers without fraction and exponent that fit `Int` are `integer`; all others are `number`. Keys that are
/// canonically equivalent Unicode are the same key, as everywhere in Swift.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The word for the kind of this value in messages: "a string", "an object".
  public var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer: "an integer"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// True for `null` only.
  public var isNull: Bool { self == .null }

  /// The value of `true` or `false`; `nil` for everything else.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The whole number that this is: an integer, or a number without a fraction that fits.
  public var integerValue: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number that this is, be it an integer or not. Integers beyond 2^53 are rounded.
  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The text of a string; `nil` for everything else.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements of an array; `nil` for everything else.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members of an object; `nil` for everything else.
  public var objectValue: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The member of an object. Reading from anything else gives `nil`; writing to anything else makes it an object.
  /// Setting `nil` removes the member.
  public subscript(key: String) -> JSONValue? {
    get {
      if case .object(let members) = self { members[key] } else { nil }
    }
    set {
      var members = objectValue ?? [:]
      members[key] = newValue
      self = .object(members)
    }
  }

  /// The element of an array; `nil` outside of it and for anything but an array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Of keys given twice the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
