public import JSON

/// One method of the machine's face, with everything that help, checks and completion need to know.
public struct CommandDefinition: Sendable {
  /// `noun.verb`.
  public let method: String
  /// One line without a full stop.
  public let summary: String
  /// What else there is to know; may be empty.
  public let discussion: String
  public let parameters: [Parameter]
  /// Whether members beside `parameters` are taken, as the keys and values of `settings.set` are.
  public let isOpen: Bool
  /// The fields of the result, in words.
  public let result: String

  public init(
    _ method: String, _ summary: String, _ parameters: [Parameter] = [], isOpen: Bool = false, result: String,
    discussion: String = ""
  ) {
    self.method = method
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
    self.isOpen = isOpen
    self.result = result
  }

  /// The parameters as an object, complete and checked. An array is taken in the order of the table.
  ///
  /// - Throws: `badArgument` that names the parameter and what it takes.
  public func validated(_ parameters: JSONValue) throws(CommandFailure) -> JSONValue {
    var members: [String: JSONValue]
    switch parameters {
    case .null: members = [:]
    case .object(let given): members = given
    case .array(let values) where !isOpen && values.count <= self.parameters.count:
      members = Dictionary(zip(self.parameters.map(\.name), values)) { first, _ in first }
    case .array:
      let limit = isOpen ? "by name only" : "at most \(self.parameters.count)"
      throw CommandFailure(.badArgument, "\(method) takes parameters \(limit)")
    default: throw CommandFailure(.badArgument, "\(method): the parameters have to be an object")
    }
    if !isOpen { try refuseUnknown(members) }
    for parameter in self.parameters {
      if let value = members[parameter.name], !(value.isNull && parameter.isOptional) {
        try parameter.check(value, of: method)
      } else if let fallback = parameter.fallback {
        members[parameter.name] = fallback
      } else if parameter.isOptional {
        members[parameter.name] = nil
      } else {
        throw CommandFailure(.badArgument, "\(method) needs \(parameter.name), \(parameter.expectation)")
      }
    }
    if isOpen { try checkOpen(members) }
    return .object(members)
  }

  private func refuseUnknown(_ members: [String: JSONValue]) throws(CommandFailure) {
    let names = parameters.map(\.name)
    guard let unknown = members.keys.filter({ !names.contains($0) }).min() else { return }
    let known = names.isEmpty ? "it takes none" : "it takes \(names.joined(separator: ", "))"
    throw CommandFailure(.badArgument, "\(method) has no parameter \(excerpt(.string(unknown))); \(known)")
  }

  private func checkOpen(_ members: [String: JSONValue]) throws(CommandFailure) {
    guard !members.isEmpty else { throw CommandFailure(.badArgument, "\(method) needs at least one name and value") }
    for name in members.keys.sorted() {
      let key = Parameter("a name", .settingKey, "")
      try key.check(.string(name), of: method)
      try Parameter(name, .settingValue, "").check(members[name] ?? .null, of: method)
    }
  }
}

/// A command as people type it: a word, its arguments, the calls it makes and the text it shows.
public struct Word: Sendable {
  /// What is typed.
  public let name: String
  /// Other words for the same.
  public let aliases: [String]
  /// One line without a full stop.
  public let summary: String
  /// What else there is to know; may be empty.
  public let discussion: String
  public let arguments: [Parameter]
  /// The methods that it may call, for help and for the check that every one exists.
  public let methods: [String]
  /// Those of `methods` that only look: if one of them fails, its result is null and the word goes on.
  let queries: [String]
  /// The next call, given the typed arguments and the results so far; `nil` when there is no more to do.
  let next: @Sendable (_ arguments: JSONValue, _ results: [JSONValue]) -> CommandRequest?
  /// The lines to show, at most `width` columns each where the contents allow.
  let format: @Sendable (_ arguments: JSONValue, _ results: [JSONValue], _ width: Int) -> [String]

  init(
    _ name: String, aliases: [String] = [], _ summary: String, _ arguments: [Parameter] = [], discussion: String = "",
    methods: [String], queries: [String] = [],
    next: @escaping @Sendable (JSONValue, [JSONValue]) -> CommandRequest?,
    format: @escaping @Sendable (JSONValue, [JSONValue], Int) -> [String]
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.discussion = discussion
    self.arguments = arguments
    self.methods = methods
    self.queries = queries
    self.next = next
    self.format = format
  }

  /// A word that is one call with the arguments as they are.
  init(
    _ name: String, aliases: [String] = [], _ summary: String, _ arguments: [Parameter] = [], discussion: String = "",
    calls method: String,
    format: @escaping @Sendable (JSONValue, Int) -> [String] = PeopleText.outcome
  ) {
    self.init(
      name, aliases: aliases, summary, arguments, discussion: discussion, methods: [method],
      next: { arguments, results in results.isEmpty ? CommandRequest(method, arguments) : nil },
      format: { _, results, width in format(results.last ?? .null, width) })
  }

  /// `press BUTTON [MS]`.
  public var usage: String {
    ([name]
      + arguments.map { argument in
        let placeholder = argument.name.uppercased() + (argument.takesTheRest ? "..." : "")
        return argument.isOptional ? "[\(placeholder)]" : placeholder
      }).joined(separator: " ")
  }
}
