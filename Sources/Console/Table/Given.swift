internal import Appliance
internal import JSON

/// What a method, or a word that people type, takes: a structure that reads itself, one field after the other.
///
/// The same reading describes it: help, completion, checks and defaults come from what `init` asks for.
public protocol ParameterSet: Sendable {
  /// - Throws: `badArgument` that names the parameter and what it takes.
  init(_ given: inout Given) throws(CommandFailure)
}

/// Nothing is taken.
public struct NoParameters: ParameterSet {
  public init() {}
  public init(_ given: inout Given) {}
}

/// What was given to a call, to be read field by field.
public struct Given {
  /// `nil`: nobody calls; what is asked for is only written down, and placeholders are handed out.
  private let members: [String: JSONValue]?
  /// The method or word, for messages.
  private let name: String
  private var parameters: [Parameter] = []
  private var names: Parameter?

  /// A parameter that has to be given.
  public mutating func value<Value>(
    _ name: String, _ kind: ParameterKind<Value>, _ meaning: String
  ) throws(CommandFailure) -> Value {
    let parameter = Parameter(name, kind.kind, meaning)
    guard let members else { return write(parameter, kind.placeholder) }
    guard let json = members[name] else {
      throw CommandFailure(.badArgument, "\(self.name) needs \(name), \(parameter.expectation)")
    }
    return try read(json, parameter, kind)
  }

  /// A parameter that stands for this value when it is left out.
  public mutating func value<Value>(
    _ name: String, _ kind: ParameterKind<Value>, default fallback: Value, _ meaning: String
  ) throws(CommandFailure) -> Value {
    let parameter = Parameter(name, kind.kind, optional: true, default: kind.json(fallback), meaning)
    guard let members else { return write(parameter, fallback) }
    guard let json = members[name], !json.isNull else { return fallback }
    return try read(json, parameter, kind)
  }

  /// A parameter that may be left out.
  public mutating func optional<Value>(
    _ name: String, _ kind: ParameterKind<Value>, _ meaning: String
  ) throws(CommandFailure) -> Value? {
    let parameter = Parameter(name, kind.kind, optional: true, meaning)
    guard let members else { return write(parameter, nil) }
    guard let json = members[name], !json.isNull else { return nil }
    return try read(json, parameter, kind)
  }

  /// All members under their own names, at least one.
  public mutating func named<Value>(
    _ kind: ParameterKind<Value>, _ meaning: String
  ) throws(CommandFailure) -> [String: Value] {
    guard let members else {
      names = Parameter("name", kind.kind, meaning)
      return [:]
    }
    guard !members.isEmpty else {
      throw CommandFailure(.badArgument, "\(name) needs at least one name and value")
    }
    var result: [String: Value] = [:]
    for key in members.keys.sorted() {
      guard !key.isEmpty, key.utf8.count <= 255 else {
        throw CommandFailure(.badArgument, "\(name): a name has to have 1 to 255 bytes, not \(excerpt(.string(key)))")
      }
      result[key] = try read(members[key] ?? .null, Parameter(key, kind.kind, meaning), kind)
    }
    return result
  }

  private mutating func write<Value>(_ parameter: Parameter, _ placeholder: Value) -> Value {
    parameters.append(parameter)
    return placeholder
  }

  private func read<Value>(
    _ json: JSONValue, _ parameter: Parameter, _ kind: ParameterKind<Value>
  ) throws(CommandFailure) -> Value {
    let value: Value?
    do throws(Complaint) { value = try kind.read(json) } catch {
      throw CommandFailure(.badArgument, "\(name): \(parameter.name): \(error.message)")
    }
    guard let value else {
      guard !parameter.isSecret else {
        throw CommandFailure(.badArgument, "\(name): \(parameter.name) has to be \(parameter.expectation)")
      }
      throw CommandFailure(
        .badArgument, "\(name): \(parameter.name) has to be \(parameter.expectation), not \(excerpt(json))")
    }
    return value
  }

  /// What a set of parameters asks for.
  static func described<Set: ParameterSet>(_ set: Set.Type) -> (parameters: [Parameter], names: Parameter?) {
    var given = Given(members: nil, name: "")
    _ = try? Set(&given)
    return (given.parameters, given.names)
  }

  /// Reads and checks what was given. An array is taken in the order of the description.
  ///
  /// - Parameter name: the method or word, for messages.
  static func read<Set: ParameterSet>(
    _ set: Set.Type, from json: JSONValue, of name: String, _ parameters: [Parameter], isOpen: Bool
  ) throws(CommandFailure) -> Set {
    let members: [String: JSONValue]
    switch json {
    case .null: members = [:]
    case .object(let given): members = given
    case .array(let values) where !isOpen && values.count <= parameters.count:
      members = Dictionary(zip(parameters.map(\.name), values)) { first, _ in first }
    case .array:
      let limit = isOpen ? "by name only" : "at most \(parameters.count)"
      throw CommandFailure(.badArgument, "\(name) takes parameters \(limit)")
    default: throw CommandFailure(.badArgument, "\(name): the parameters have to be an object")
    }
    let names = parameters.map(\.name)
    if !isOpen, let unknown = members.keys.filter({ !names.contains($0) }).min() {
      let known = names.isEmpty ? "it takes none" : "it takes \(names.joined(separator: ", "))"
      throw CommandFailure(.badArgument, "\(name) has no parameter \(excerpt(.string(unknown))); \(known)")
    }
    var given = Given(members: members, name: name)
    return try Set(&given)
  }
}
