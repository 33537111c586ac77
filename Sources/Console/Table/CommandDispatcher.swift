public import JSON

/// Takes calls from either face or from a script through the table to a device. Control loop only.
public final class CommandDispatcher {
  typealias Reply<Value> = (Result<Value, CommandFailure>) -> Void
  /// A word that is ready to run: with its arguments, for so many columns, while it is wanted.
  typealias Run = (JSONValue, CallPlace, _ width: Int, _ isWanted: @escaping () -> Bool, @escaping Reply<[String]>) ->
    Void

  public let catalogue: CommandCatalogue
  private let invoke: (CommandRequest, CallPlace, @escaping Reply<JSONValue>) -> Void
  private let wordRun: (String) -> Run?

  /// - Parameter context: what the commands act on; held weakly.
  public init<Context: CommandSurroundings>(_ table: CommandTable<Context>, context: Context) {
    catalogue = table.catalogue
    let gone = CommandFailure(.internal, "the device is shutting down")
    invoke = { [weak context] request, place, reply in
      guard let entry = table.entries[request.method] else {
        return reply(.failure(table.catalogue.refusal(request.method)))
      }
      guard let context else { return reply(.failure(gone)) }
      entry.invoke(request.parameters, context, place, reply)
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
    invoke(request, CallPlace(console: console, catalogue: catalogue), reply)
  }

  /// Runs what a person has typed: a word, or a method by its name.
  func run(
    _ name: String, _ arguments: JSONValue, at console: any ConsoleFace, width: Int, isWanted: @escaping () -> Bool,
    finish: @escaping Reply<[String]>
  ) {
    if let run = wordRun(name) {
      return run(arguments, CallPlace(console: console, catalogue: catalogue), width, isWanted, finish)
    }
    dispatch(CommandRequest(name, arguments), at: console) { finish($0.map { PeopleText.outcome($0, width) }) }
  }
}
