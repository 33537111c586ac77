public import JSON

/// Takes calls from either face or from a script through the table to a device. Control loop only.
public final class CommandDispatcher {
  typealias Reply<Value> = (Result<Value, CommandFailure>) -> Void
  /// A word that is ready to run: with its arguments, for so many columns, while it is wanted.
  typealias Run = (JSONValue, CallPlace, _ width: Int, _ isWanted: @escaping () -> Bool, @escaping Reply<[String]>) ->
    Void

  public let catalogue: CommandCatalogue
  private let guardian: () -> (any CallGuard)?
  private let invoke: (CommandRequest, CallPlace, @escaping Reply<JSONValue>) -> Void
  private let wordRun: (String) -> Run?
  private let find: (_ words: [String], _ isClip: Bool, @escaping Reply<[String]>) -> Void

  /// - Parameter context: what the commands act on; held weakly.
  public init<Context: CommandSurroundings>(_ table: CommandTable<Context>, context: Context) {
    catalogue = table.catalogue
    let gone = CommandFailure(.internal, "the device is shutting down")
    guardian = { [weak context] in context?.guardian }
    invoke = { [weak context] request, place, reply in
      guard let entry = table.entries[request.method] else {
        return reply(.failure(table.catalogue.refusal(request.method)))
      }
      guard let context else { return reply(.failure(gone)) }
      entry.invoke(request.parameters, context, place, reply)
    }
    find = { [weak context] words, isClip, reply in
      guard let context else { return reply(.failure(gone)) }
      context.identify(words, isClip: isClip, reply: reply)
    }
    wordRun = { [weak context] name in
      table.words[name].map { word in
        { arguments, place, width, isWanted, finish in
          guard let context else { return finish(.failure(gone)) }
          word.run(
            arguments, WordCall(context: context, place: place, width: width, isWanted: isWanted, finish: finish))
        }
      }
    }
  }

  /// Checks a call, and answers it or has it answered.
  ///
  /// - Parameter reply: called exactly once, now or later, from the control loop.
  public func dispatch(
    _ request: CommandRequest, reply: @escaping (Result<JSONValue, CommandFailure>) -> Void
  ) {
    dispatch(request, at: nil, reply: reply)
  }

  /// - Parameter console: where the call comes from; without one, what concerns a console is `unsupported`.
  func dispatch(_ request: CommandRequest, at console: (any ConsoleFace)?, reply: @escaping Reply<JSONValue>) {
    invoke(request, place(of: console), reply)
  }

  /// Where a call of this console's comes from.
  func place(of console: (any ConsoleFace)?) -> CallPlace {
    CallPlace(console: console, catalogue: catalogue, guardian: guardian())
  }

  /// Runs what a person has typed: a word, or a method by its name.
  func run(
    _ name: String, _ arguments: JSONValue, at console: any ConsoleFace, width: Int, isWanted: @escaping () -> Bool,
    finish: @escaping Reply<[String]>
  ) {
    let place = place(of: console)
    // Before anything is looked up for somebody who may not know of it.
    if let refusal = catalogue.word(name).flatMap({ place.refusal(of: $0) }) { return finish(.failure(refusal)) }
    let named = catalogue.word(name)?.arguments.filter(\.namesRecordings) ?? []
    identify(named[...], in: arguments) { [self] result in
      switch result {
      case .failure(let failure): finish(.failure(failure))
      case .success(let arguments):
        guard isWanted() else { return }
        if let run = wordRun(name) {
          return run(arguments, place, width, isWanted, finish)
        }
        dispatch(CommandRequest(name, arguments), at: console) { finish($0.map { PeopleText.outcome($0, width) }) }
      }
    }
  }

  /// Puts file names in the place of the numbers, beginnings and names that people type for takes and clips.
  private func identify(_ named: ArraySlice<Parameter>, in arguments: JSONValue, then: @escaping Reply<JSONValue>) {
    guard let parameter = named.first, var members = arguments.objectValue else { return then(.success(arguments)) }
    let rest = named.dropFirst()
    let given = members[parameter.name]
    let words = given?.stringValue.map { [$0] } ?? given?.arrayValue?.compactMap(\.stringValue) ?? []
    guard !words.isEmpty else { return identify(rest, in: arguments, then: then) }
    find(words, parameter.kind == .clip || parameter.kind == .clips) { [self] result in
      switch result {
      case .failure(let failure): then(.failure(failure))
      case .success(let ids):
        members[parameter.name] =
          given?.arrayValue == nil ? ids.first.map { .string($0) } : .array(ids.map { .string($0) })
        identify(rest, in: .object(members), then: then)
      }
    }
  }
}
