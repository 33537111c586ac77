public import JSON

/// Every command of the device, for both faces of the console: what it is called, what it takes, what it gives.
///
/// Nothing else decides whether a call is well formed.
public struct CommandTable: Sendable {
  /// The methods, in the order of help.
  public let definitions: [CommandDefinition]
  /// The words for people, in the order of help.
  public let words: [Word]
  /// Methods and words that the product has and this build does not, with the reason.
  public let absent: [String: String]

  private let definitionsByMethod: [String: CommandDefinition]
  private let wordsByName: [String: Word]

  /// A table without the methods of `absent`, and without the words that need them.
  ///
  /// - Parameter absent: method or word, and why it is not there: "only in the simulator".
  public init(absent: [String: String] = [:]) {
    let absent = Self.later.merging(absent) { _, given in given }
    definitions = Self.allDefinitions.filter { absent[$0.method] == nil }
    let methods = Set(definitions.map(\.method))
    words = Self.allWords.filter { word in absent[word.name] == nil && word.methods.allSatisfy(methods.contains) }
    var all = absent
    for word in Self.allWords {
      guard let method = word.methods.first(where: { absent[$0] != nil }), let reason = absent[method] else { continue }
      all[word.name] = reason
    }
    self.absent = all
    definitionsByMethod = Dictionary(uniqueKeysWithValues: definitions.map { ($0.method, $0) })
    wordsByName = Dictionary(words.flatMap { word in ([word.name] + word.aliases).map { ($0, word) } }) { first, _ in
      first
    }
  }

  /// The table of a simulator or rig build: everything that is built.
  public static let standard = CommandTable()

  /// The method of this name.
  public func definition(_ method: String) -> CommandDefinition? { definitionsByMethod[method] }

  /// The word of this name or alias, or a word made of the method of this name.
  public func word(_ name: String) -> Word? {
    if let word = wordsByName[name] { return word }
    guard let definition = definitionsByMethod[name] else { return nil }
    return Word(
      definition.method, definition.summary, definition.parameters, discussion: definition.discussion,
      calls: definition.method)
  }

  /// Checks a call: the method is there, its parameters are complete and fit.
  ///
  /// - Throws: `unsupported` for a method that is not there, else `badArgument`.
  public func validate(_ request: CommandRequest, origin: CommandOrigin) throws(CommandFailure) -> CommandCall {
    guard let definition = definitionsByMethod[request.method] else { throw refusal(request.method) }
    return CommandCall(
      method: request.method, parameters: try definition.validated(request.parameters), origin: origin)
  }

  /// The failure for a method or word that is not in the table: not yet, not here, or not at all.
  func refusal(_ name: String) -> CommandFailure {
    let shown = String(name.prefix(60))
    if let reason = absent[name] { return CommandFailure(.unsupported, "\(shown): \(reason)") }
    return CommandFailure(.unsupported, "there is no command \"\(shown)\"; \"help\" lists those there are")
  }

  /// The list of methods as `rpc.methods` gives it.
  public var methodList: JSONValue {
    .array(
      definitions.map { definition in
        [
          "method": .string(definition.method), "summary": .string(definition.summary),
          "result": .string(definition.result), "open": .bool(definition.isOpen),
          "parameters": .array(
            definition.parameters.map { parameter in
              var entry: JSONValue = [
                "name": .string(parameter.name), "optional": .bool(parameter.isOptional),
                "takes": .string(parameter.expectation), "summary": .string(parameter.summary),
              ]
              entry["default"] = parameter.fallback
              return entry
            }),
        ]
      })
  }

  /// What the product will have and this firmware has not.
  private static let later: [String: String] = Dictionary(
    uniqueKeysWithValues: [
      "copy", "tag", "export", "feed", "session", "trace", "login", "logout", "reboot",
      "feed.open", "session.strategy", "auth.login",
    ].map { ($0, "not in this firmware yet") })
}
