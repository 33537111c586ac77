internal import Hardware
internal import JSON

/// One row of the table: a method with its handler. There is no other way to make one.
public struct MethodEntry<Context: CommandSurroundings>: Sendable {
  public let description: MethodDescription
  let invoke: @Sendable (JSONValue, Context, CallPlace, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void

  public init<Called: Method>(_ method: Called.Type) where Called.Context == Context {
    let description = method.description
    self.description = description
    invoke = { json, context, place, reply in
      // Who may not call is not told what it takes.
      if let refusal = place.refusal(of: description.row) { return reply(.failure(refusal)) }
      do throws(CommandFailure) {
        let once = Once(reply)
        let parameters = try description.read(Called.Parameters.self, json)
        method.call(parameters, in: context, at: place) { once.reply($0.map(\.json)) }
      } catch {
        reply(.failure(error))
      }
    }
  }

  init<Called: ConsoleMethod>(ofConsole method: Called.Type) {
    let description = method.description
    self.description = description
    invoke = { json, _, place, reply in
      if let refusal = place.refusal(of: description.row) { return reply(.failure(refusal)) }
      do throws(CommandFailure) {
        let parameters = try description.read(Called.Parameters.self, json)
        method.perform(parameters, at: place) { reply($0.map(\.json)) }
      } catch {
        reply(.failure(error))
      }
    }
  }

  init(login: AuthLogin.Type) {
    let description = AuthLogin.description
    self.description = description
    invoke = { json, _, place, reply in
      do throws(CommandFailure) {
        let parameters = try description.read(AuthLogin.Parameters.self, json)
        AuthLogin.perform(parameters, at: place) { reply($0.map(\.json)) }
      } catch {
        reply(.failure(error))
      }
    }
  }

  /// Passes on the first answer and ignores others.
  private final class Once {
    private var pass: ((Result<JSONValue, CommandFailure>) -> Void)?
    init(_ pass: @escaping (Result<JSONValue, CommandFailure>) -> Void) { self.pass = pass }

    func reply(_ result: Result<JSONValue, CommandFailure>) {
      let pass = pass
      self.pass = nil
      pass?(result)
    }
  }
}

extension MethodDescription {
  func read<Set: ParameterSet>(_ set: Set.Type, _ json: JSONValue) throws(CommandFailure) -> Set {
    try Given.read(set, from: json, of: method, parameters, isOpen: names != nil)
  }
}

/// Every command of a device, for both faces of the console: what it is called, what it takes, what it gives, who does
/// it. What is not in it, the device does not do.
public struct CommandTable<Context: CommandSurroundings>: Sendable {
  /// What the table says, without those who do it.
  public let catalogue: CommandCatalogue
  let entries: [String: MethodEntry<Context>]
  let words: [String: Word<Context>]

  /// A table of these, in the order of help; what concerns a console itself comes last by itself.
  public init(methods: [MethodEntry<Context>], words: [Word<Context>]) {
    let methods = methods + ConsoleMethods.entries()
    let words = words + ConsoleMethods.words()
    catalogue = CommandCatalogue(methods: methods.map(\.description), words: words.map(\.description))
    entries = Dictionary(methods.map { ($0.description.method, $0) }) { first, _ in first }
    self.words = Dictionary(
      words.flatMap { word in ([word.description.name] + word.description.aliases).map { ($0, word) } }
    ) { first, _ in first }
  }
}

/// What a table says: enough for help, completion, checks, the manual page and programs.
public struct CommandCatalogue: Sendable {
  /// The methods, in the order of help.
  public let methods: [MethodDescription]
  /// The words for people, in the order of help.
  public let words: [WordDescription]

  private let methodsByName: [String: MethodDescription]
  private let wordsByName: [String: WordDescription]

  init(methods: [MethodDescription], words: [WordDescription]) {
    self.methods = methods
    self.words = words
    methodsByName = Dictionary(methods.map { ($0.method, $0) }) { first, _ in first }
    wordsByName = Dictionary(words.flatMap { word in ([word.name] + word.aliases).map { ($0, word) } }) { first, _ in
      first
    }
  }

  /// The method of this name.
  public func method(_ name: String) -> MethodDescription? { methodsByName[name] }

  /// The word of this name or alias, or a word made of the method of this name.
  public func word(_ name: String) -> WordDescription? {
    if let word = wordsByName[name] { return word }
    guard let method = methodsByName[name] else { return nil }
    return WordDescription(
      name: name, aliases: [], summary: method.row.summary, discussion: method.row.discussion,
      arguments: method.parameters, methods: [name], isTypedInFull: false,
      isConfidential: method.parameters.contains(where: \.isSecret))
  }

  /// The word or method that somebody has typed, or the one word that begins like it.
  ///
  /// What ends the device's work is typed in full: a slip of the finger is not to switch it off.
  func typed(_ name: String) throws(CommandFailure) -> WordDescription {
    if let word = word(name) { return word }
    let key = name.lowercased()
    let fitting = words.filter { word in ([word.name] + word.aliases).contains { $0.hasPrefix(key) } }
    guard let first = fitting.first, !key.isEmpty else { throw refusal(name) }
    // Noise on a line has many a word of a letter or two.
    guard fitting.count == 1, key.utf8.count >= 3 else {
      let shown = fitting.prefix(8).map(\.name) + (fitting.count > 8 ? ["..."] : [])
      throw CommandFailure(.badArgument, "\"\(name.prefix(60))\" may be \(shown.joined(separator: ", "))")
    }
    guard !first.isTypedInFull else {
      throw CommandFailure(.badArgument, "\(first.name) is done only if all of the word is typed")
    }
    return first
  }

  /// The failure for a method or word that is not in the table.
  func refusal(_ name: String) -> CommandFailure {
    let near = Suggestion.nearest(to: name, among: words.map(\.name) + methods.map(\.method))
    let meant = near.map { " did you mean \"\($0)\"?" } ?? ""
    return CommandFailure(
      .unsupported, "there is no command \"\(String(name.prefix(60)))\";\(meant) \"help\" lists those there are")
  }
}
