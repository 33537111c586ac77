public import JSON

/// Takes a call from either face or from a script through the table to the performer. Control loop only.
public final class CommandDispatcher {
  public let table: CommandTable
  private weak var performer: (any CommandPerformer)?

  /// - Parameter performer: does what is asked; held weakly.
  public init(table: CommandTable = .standard, performer: any CommandPerformer) {
    self.table = table
    self.performer = performer
  }

  /// Checks a call, and answers it or has it answered.
  ///
  /// - Parameters:
  ///   - local: answers calls that concern a console itself and tells so; without it they are `unsupported`.
  ///   - reply: called exactly once, now or later, from the control loop.
  public func dispatch(
    _ request: CommandRequest, origin: CommandOrigin, local: (CommandCall) -> Bool = { _ in false },
    reply: @escaping (Result<JSONValue, CommandFailure>) -> Void
  ) {
    do {
      let call = try table.validate(request, origin: origin)
      switch call.method {
      case "rpc.methods": reply(.success(table.methodList))
      case "session.help": reply(help(call))
      default:
        if local(call) { return }
        if Self.consoleMethods.contains(call.method) {
          return reply(.failure(CommandFailure(.unsupported, "\(call.method) belongs to a console")))
        }
        guard let performer else {
          return reply(.failure(CommandFailure(.internal, "the device is shutting down")))
        }
        let once = Once(reply)
        performer.perform(call) { once.reply($0) }
      }
    } catch {
      reply(.failure(error))
    }
  }

  private static let consoleMethods: Set<String> = [
    "events.subscribe", "events.unsubscribe", "session.human", "session.end",
  ]

  private func help(_ call: CommandCall) -> Result<JSONValue, CommandFailure> {
    guard let name = call.text("command") else { return .success(lines(table.overview(width: 80))) }
    guard let text = table.explanation(of: name, width: 80) else { return .failure(table.refusal(name)) }
    return .success(lines(text))
  }

  private func lines(_ text: [String]) -> JSONValue { ["lines": .array(text.map { .string($0) })] }

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
