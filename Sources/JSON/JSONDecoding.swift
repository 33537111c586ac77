extension JSONValue {
  /// Turns the value into a decodable type. Members that the type does not know are left alone.
  ///
  /// - Throws: `unfit` with the path of the part that does not fit, and why.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(JSONError) -> Value {
    do {
      return try ValueDecoder(value: self, codingPath: []).decode(type)
    } catch let error as DecodingError {
      throw JSONError(.unfit(Self.message(error)))
    } catch {
      throw JSONError(.unfit("cannot be read: \(error)"))
    }
  }

  private static func message(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      return "\(pathText(context.codingPath)): \(context.debugDescription)"
    case .keyNotFound(let key, let context): return "\(pathText(context.codingPath + [key])) is missing"
    @unknown default: return "\(error)"
    }
  }
}

extension JSONValue: Codable {
  /// Copies any JSON through another format's decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Copies any JSON through another format's encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: JSONValue].self, "an object") }
    return KeyedDecodingContainer(Members<Key>(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSONValue].self, "an array") }
    return Elements(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let result: Any?
    switch type {
    case is Bool.Type: result = value.boolValue
    case is String.Type: result = value.stringValue
    case is Double.Type: result = value.numberValue
    case is Float.Type: result = value.numberValue.map { Float($0) }
    case is JSONValue.Type: result = value
    case let type as any FixedWidthInteger.Type: result = integer(type)
    default: return try Value(from: self)
    }
    guard let result = result as? Value else { throw mismatch(type, Self.name(type)) }
    return result
  }

  private func integer<Whole: FixedWidthInteger>(_ type: Whole.Type) -> Any? {
    value.integerValue.flatMap { Whole(exactly: $0) }
  }

  private static func name(_ type: Any.Type) -> String {
    switch type {
    case is Bool.Type: "true or false"
    case is String.Type: "a string"
    case is Double.Type, is Float.Type: "a number"
    default: "an integer (\(type))"
    }
  }

  private func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
    .typeMismatch(
      type,
      DecodingError.Context(codingPath: codingPath, debugDescription: "expected \(wanted), found \(value.kindName)"))
  }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSONValue]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { members.keys.sorted().compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(value: members["super"] ?? .null, codingPath: codingPath + [SuperKey()])
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: "missing"))
    }
    return ValueDecoder(value: value, codingPath: codingPath + [key])
  }
}

private struct Elements: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try decoder().decodeNil()
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try decoder().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    let container = try decoder().container(keyedBy: keyedBy)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try decoder().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let result = try decoder()
    currentIndex += 1
    return result
  }

  private func decoder() throws -> ValueDecoder {
    let path = codingPath + [IndexKey(currentIndex)]
    guard elements.indices.contains(currentIndex) else {
      throw DecodingError.valueNotFound(
        JSONValue.self, DecodingError.Context(codingPath: path, debugDescription: "the array has no more elements"))
    }
    return ValueDecoder(value: elements[currentIndex], codingPath: path)
  }
}
