public import JSON

/// A value that goes over the console's wire: how it is written and how it is described are one thing.
public protocol WireValue: Sendable {
  static var schema: Schema { get }
  var json: JSONValue { get }
}

/// A structure on the wire. Its fields are listed once; the JSON and its documentation both come of the list, so that
/// nothing is promised that is not sent, and nothing sent that is not told.
public protocol WireObject: WireValue {
  static var fields: [Field<Self>] { get }
}

extension WireObject {
  public static var schema: Schema { .object(fields.map(\.member), isOpen: false) }

  public var json: JSONValue {
    var members: [String: JSONValue] = [:]
    for field in Self.fields { members[field.member.name] = field.value(self) }
    return .object(members)
  }
}

/// One field of a structure: its name on the wire, where its value comes from, and what it means.
public struct Field<Root>: Sendable {
  public let member: Schema.Member
  /// The value; `nil` leaves the field out.
  let value: @Sendable (Root) -> JSONValue?

  /// A field that is always there; an optional value is written as `null`.
  public init<Value: WireValue>(
    _ name: String, _ value: @escaping @Sendable (Root) -> Value, _ meaning: String
  ) {
    member = Schema.Member(name, Value.schema, meaning)
    self.value = { value($0).json }
  }

  /// A field that is left out when there is no value.
  public init<Value: WireValue>(
    _ name: String, ifAny value: @escaping @Sendable (Root) -> Value?, _ meaning: String
  ) {
    member = Schema.Member(name, Value.schema, isOptional: true, meaning)
    self.value = { value($0)?.json }
  }

  private init(member: Schema.Member, value: @escaping @Sendable (Root) -> JSONValue?) {
    self.member = member
    self.value = value
  }

  /// The same field of a structure that has this one in it.
  public func of<Outer>(_ root: @escaping @Sendable (Outer) -> Root) -> Field<Outer> {
    let value = value
    return Field<Outer>(member: member) { value(root($0)) }
  }
}

/// The answer of a method that has nothing to say beyond that it is done.
public struct Done: WireObject {
  public init() {}
  public static let fields: [Field<Done>] = []
}

extension Bool: WireValue {
  public static var schema: Schema { .flag }
  public var json: JSONValue { .bool(self) }
}

extension Int: WireValue {
  public static var schema: Schema { .integer }
  public var json: JSONValue { .integer(self) }
}

extension Double: WireValue {
  public static var schema: Schema { .number }
  /// What is not finite reads 0: no number of the device's is meant to be so, and programs rely on a number.
  public var json: JSONValue { .number(isFinite ? self : 0) }
}

extension String: WireValue {
  public static var schema: Schema { .text }
  public var json: JSONValue { .string(self) }
}

extension JSONValue: WireValue {
  public static var schema: Schema { .anything }
  public var json: JSONValue { self }
}

extension Optional: WireValue where Wrapped: WireValue {
  public static var schema: Schema { .nullable(Wrapped.schema) }
  public var json: JSONValue { self?.json ?? .null }
}

extension Array: WireValue where Element: WireValue {
  public static var schema: Schema { .array(Element.schema) }
  public var json: JSONValue { .array(map(\.json)) }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
  public static var schema: Schema { .map(Value.schema) }
  public var json: JSONValue { .object(mapValues(\.json)) }
}

extension WireValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  public static var schema: Schema { .choice(allCases.map(\.rawValue)) }
  public var json: JSONValue { .string(rawValue) }
}
