// Part of swift-argument-parser without Foundation, beside the files of Sources/JSON; see deploy/lib/packages.sh.

extension JSONValue {
  /// The JSON form of an encodable value, without a detour over text.
  ///
  /// - Throws: what the value's own `encode` throws.
  init(encoding value: some Encodable) throws {
    let node = Node()
    try value.encode(to: NodeEncoder(node: node, codingPath: []))
    self = node.value
  }
}

/// A place in an array.
struct IndexKey: CodingKey {
  let index: Int
  init(_ index: Int) { self.index = index }
  init?(intValue: Int) { index = intValue }
  init?(stringValue: String) { return nil }
  var intValue: Int? { index }
  var stringValue: String { String(index) }
}

/// The key under which a superclass keeps its part.
struct SuperKey: CodingKey {
  init() {}
  init?(intValue: Int) { return nil }
  init?(stringValue: String) {}
  var intValue: Int? { nil }
  var stringValue: String { "super" }
}

/// A part of the document while containers are still writing to it.
private final class Node {
  enum Content {
    case value(JSONValue)
    case array([Node])
    case object([String: Node])
  }

  var content: Content = .value(.null)

  var value: JSONValue {
    switch content {
    case .value(let value): value
    case .array(let nodes): .array(nodes.map(\.value))
    case .object(let nodes): .object(nodes.mapValues(\.value))
    }
  }

  func becomeObject() {
    if case .object = content { return }
    content = .object([:])
  }

  func becomeArray() {
    if case .array = content { return }
    content = .array([])
  }

  func member(_ key: String) -> Node {
    guard case .object(var nodes) = content else { return self }
    let node = Node()
    content = .value(.null)
    nodes[key] = node
    content = .object(nodes)
    return node
  }

  var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

  func element() -> Node {
    guard case .array(var nodes) = content else { return self }
    let node = Node()
    content = .value(.null)
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  func set(_ value: some Encodable, path: [any CodingKey]) throws {
    switch value {
    case let value as Bool: content = .value(.bool(value))
    case let value as String: content = .value(.string(value))
    case let value as Double: content = .value(.number(value))
    // By way of the digits, so that 0.1 stays 0.1.
    case let value as Float: content = .value(.number(Double(value.description) ?? Double(value)))
    case let value as any BinaryInteger:
      guard let whole = Int(exactly: value) else {
        throw EncodingError.invalidValue(
          value, EncodingError.Context(codingPath: path, debugDescription: "\(value) does not fit 64 bits"))
      }
      content = .value(.integer(whole))
    case let value as JSONValue: content = .value(value)
    default: try value.encode(to: NodeEncoder(node: self, codingPath: path))
    }
  }
}

private struct NodeEncoder: Encoder {
  let node: Node
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(KeyedNodes<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return NodeList(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleNode(node: node, codingPath: codingPath) }
}

private struct KeyedNodes<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { node.member(key.stringValue).content = .value(.null) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.member(key.stringValue).set(value, path: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder(SuperKey()) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: some CodingKey) -> NodeEncoder {
    NodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
  }
}

private struct NodeList: UnkeyedEncodingContainer {
  let node: Node
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  func encodeNil() { node.element().content = .value(.null) }

  func encode(_ value: some Encodable) throws {
    let path = codingPath + [IndexKey(count)]
    try node.element().set(value, path: path)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: Nested.self)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder() }

  private func encoder() -> NodeEncoder {
    let path = codingPath + [IndexKey(count)]
    return NodeEncoder(node: node.element(), codingPath: path)
  }
}

private struct SingleNode: SingleValueEncodingContainer {
  let node: Node
  let codingPath: [any CodingKey]

  func encodeNil() { node.content = .value(.null) }
  func encode(_ value: some Encodable) throws { try node.set(value, path: codingPath) }
}
