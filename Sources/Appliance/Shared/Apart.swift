/// A value that is copied as a pointer.
indirect enum Apart<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value)
}

/// A value that is always there, and is copied and compared as a pointer as long as it is the same: for what changes
/// seldom in a state that is copied with every event.
struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
  private final class Storage: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    get { storage.value }
    set { storage = Storage(newValue) }
  }

  static func == (one: Boxed, other: Boxed) -> Bool { one.storage === other.storage || one.value == other.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
