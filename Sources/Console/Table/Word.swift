internal import JSON

/// A word that people type, as help and completion know it.
public struct WordDescription: Sendable {
  /// What is typed.
  public let name: String
  /// Other words for the same.
  public let aliases: [String]
  /// One line without a full stop.
  public let summary: String
  /// What else there is to know; may be empty.
  public let discussion: String
  public let arguments: [Parameter]
  /// The methods that it may call.
  public let methods: [String]
  /// Its beginning alone does nothing.
  public let isTypedInFull: Bool
  /// Something secret may be on its line: it is kept in no history, and repeated in no message.
  public let isConfidential: Bool

  /// `press BUTTON [MS]`.
  public var usage: String {
    ([name]
      + arguments.map { argument in
        let placeholder = argument.name.uppercased() + (argument.takesTheRest ? "..." : "")
        return argument.isOptional ? "[\(placeholder)]" : placeholder
      }).joined(separator: " ")
  }
}

/// A command as people type it: a word, its arguments, the methods that it calls, and the text that it makes of their
/// answers, which it has as values.
public struct Word<Context: CommandSurroundings>: Sendable {
  public let description: WordDescription
  let run: @Sendable (JSONValue, WordCall<Context>) -> Void

  /// A word that calls methods as it sees fit.
  ///
  /// - Parameters:
  ///   - typedInFull: its beginning alone does nothing, because it ends the device's work.
  ///   - methods: those that it may call.
  ///   - run: calls them, and ends with `show` or `fail` of the call.
  public init<Arguments: ParameterSet>(
    _ name: String, aliases: [String] = [], _ summary: String, discussion: String = "", typedInFull: Bool = false,
    isConfidential: Bool = false, methods: [any MethodDeclaration.Type],
    run: @escaping @Sendable (Arguments, WordCall<Context>) -> Void
  ) {
    let (arguments, _) = Given.described(Arguments.self)
    description = WordDescription(
      name: name, aliases: aliases, summary: summary, discussion: discussion, arguments: arguments,
      methods: methods.map { $0.row.method }, isTypedInFull: typedInFull, isConfidential: isConfidential)
    self.run = { json, call in
      do throws(CommandFailure) {
        run(try Given.read(Arguments.self, from: json, of: name, arguments, isOpen: false), call)
      } catch {
        call.fail(error)
      }
    }
  }

  /// A word that is one method with the arguments as they are.
  ///
  /// - Parameter lines: the answer in lines of at most so many columns, where its contents allow.
  public init<Called: Method>(
    _ name: String, aliases: [String] = [], _ summary: String, discussion: String = "", typedInFull: Bool = false,
    calls method: Called.Type,
    lines: @escaping @Sendable (_ answer: Called.Answer, _ width: Int) -> [String] = {
      PeopleText.outcome($0.json, $1)
    }
  ) where Called.Context == Context {
    self.init(
      name, aliases: aliases, summary, discussion: discussion, typedInFull: typedInFull, methods: [method]
    ) {
      (arguments: Called.Parameters, call) in call.show(method, arguments, lines)
    }
  }

  /// A word that is a method of the console itself.
  init<Called: ConsoleMethod>(
    _ name: String, aliases: [String] = [], _ summary: String, typedInFull: Bool = false, calls method: Called.Type,
    lines: @escaping @Sendable (_ answer: Called.Answer, _ width: Int) -> [String]
  ) {
    self.init(name, aliases: aliases, summary, typedInFull: typedInFull, methods: [method]) {
      (arguments: Called.Parameters, call) in
      method.perform(arguments, at: call.place) { call.end(with: $0, lines) }
    }
  }
}

/// One word that somebody has typed and that has not been answered yet.
public struct WordCall<Context: CommandSurroundings> {
  let context: Context
  let place: CallPlace
  /// Columns of the terminal.
  public let width: Int
  /// False once the person has given up waiting.
  let isWanted: () -> Bool
  let finish: (Result<[String], CommandFailure>) -> Void

  /// Whether whoever is at the console may call a method.
  public func may(_ method: any MethodDeclaration.Type) -> Bool { place.allows(method.row) }

  /// Calls a method; if it fails, so does the word.
  public func call<Called: Method>(
    _ method: Called.Type, _ parameters: Called.Parameters, then: @escaping (Called.Answer) -> Void
  ) where Called.Context == Context {
    ask(method, parameters) { result in
      switch result {
      case .success(let answer): then(answer)
      case .failure(let failure): fail(failure)
      }
    }
  }

  /// Calls a method, whatever comes of it, as long as the word is wanted.
  public func ask<Called: Method>(
    _ method: Called.Type, _ parameters: Called.Parameters,
    then: @escaping (Result<Called.Answer, CommandFailure>) -> Void
  ) where Called.Context == Context {
    method.call(parameters, in: context, at: place) { if isWanted() { then($0) } }
  }

  /// Calls a method, and shows its answer.
  public func show<Called: Method>(
    _ method: Called.Type, _ parameters: Called.Parameters,
    _ lines: @escaping (Called.Answer, Int) -> [String] = { PeopleText.outcome($0.json, $1) }
  ) where Called.Context == Context {
    call(method, parameters) { show(lines($0, width)) }
  }

  /// Sends files by ZMODEM through the console at which the word was typed, and ends with what became of that.
  public func send(_ files: [TransferFile]) {
    guard let console = place.console else {
      return fail(CommandFailure(.unsupported, "files are sent through a console; a script has none"))
    }
    console.transfer(files) { outcome in
      switch outcome {
      case .sent(let files, let bytes, let skipped):
        let also = skipped > 0 ? "; the other end did not want \(skipped)" : ""
        show(["\(files) \(files == 1 ? "file" : "files") sent, \(bytes) bytes\(also)"])
      case .failed(let failure): fail(failure)
      }
    }
  }

  /// Shows lines while the word goes on.
  public func say(_ lines: [String]) { if isWanted() { place.console?.say(lines) } }

  /// Asks whoever sits at the console: yes, no, or neither. A word that asks fails without a console.
  public func ask(_ question: String, then: @escaping (Bool?) -> Void) {
    guard let console = place.console else {
      return fail(CommandFailure(.unsupported, "this asks somebody at a console; a script has none"))
    }
    if isWanted() { console.ask(question, then: then) }
  }

  /// Asks whoever sits at the console for something that is not shown while it is typed.
  public func askSecret(_ question: String, then: @escaping (String) -> Void) {
    guard let console = place.console else {
      return fail(CommandFailure(.unsupported, "this asks somebody at a console for a password; a script has none"))
    }
    if isWanted() { console.askSecret(question, then: then) }
  }

  /// Takes files by ZMODEM through the console at which the word was typed, and ends with what became of that.
  public func receive(into sink: @escaping TransferSink) {
    guard let console = place.console else {
      return fail(CommandFailure(.unsupported, "files are taken through a console; a script has none"))
    }
    console.receive(into: sink) { outcome in
      switch outcome {
      case .received(let ids, let refused):
        show((ids.isEmpty && refused.isEmpty ? ["nothing was sent"] : ids) + refused)
      case .failed(let failure): fail(failure)
      }
    }
  }

  /// Ends the word with lines to show.
  public func show(_ lines: [String]) { finish(.success(lines)) }

  /// Ends the word with the reason why it was not done.
  public func fail(_ failure: CommandFailure) { finish(.failure(failure)) }

  func end<Answer>(with result: Result<Answer, CommandFailure>, _ lines: (Answer, Int) -> [String]) {
    finish(result.map { lines($0, width) })
  }
}
