internal import JSON

/// The people's face: prompt, line editing, history, completion, and one command at a time.
///
/// Control loop only. What comes while a command has not been answered is kept by `ConsoleSession`.
final class PeopleSession {
  private static let prompt = "mynah> "

  private let table: CommandTable
  private let width: Int
  private let completer: Completer
  private let send: ([UInt8]) -> Void
  private let run: (CommandRequest, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void
  /// ^D on an empty line.
  private let hangUp: () -> Void

  private var decoder = KeyDecoder()
  private var line = EditedLine()
  private var display: LineDisplay
  private var history = History()
  /// The prompt stands on the terminal.
  private var isPrompting = false
  /// Counts commands, so that the answer to one that was given up is known as such.
  private var generation = 0

  /// A command has been given and not been answered.
  private(set) var isBusy = false

  init(
    table: CommandTable, width: Int, knowledge: @escaping (CompletionSubject) -> [String],
    send: @escaping ([UInt8]) -> Void,
    run: @escaping (CommandRequest, @escaping (Result<JSONValue, CommandFailure>) -> Void) -> Void,
    hangUp: @escaping () -> Void
  ) {
    self.table = table
    self.width = width
    completer = Completer(table: table, knowledge: knowledge)
    display = LineDisplay(width: width - Self.prompt.count)
    self.send = send
    self.run = run
    self.hangUp = hangUp
  }

  /// Whether the next byte would be the first of a line.
  var isAtStartOfLine: Bool { !isBusy && line.isEmpty && decoder.isBetweenKeys }

  /// Shows the prompt and whatever has been typed.
  func showPrompt() {
    isPrompting = true
    display.reset()
    write(Self.prompt + display.update(line))
  }

  /// Leaves the prompt's line, because a program takes over.
  func leave() {
    if isPrompting { write("\r\n") }
    isPrompting = false
    line = EditedLine()
    display.reset()
    history.reset()
    decoder = KeyDecoder()
  }

  /// Prints a line above the prompt; what is being typed stays as it is.
  func printAbove(_ text: String) {
    guard isPrompting else {
      write(printable(text) + "\r\n")
      return
    }
    let used = Self.prompt.count + display.usedColumns
    let shown = printable(text)
    let blanks = String(repeating: " ", count: max(0, used - columns(shown)))
    write("\r\(shown)\(blanks)\r\n")
    showPrompt()
  }

  /// Gives up waiting for the command that runs; its answer will be ignored.
  func abandon() {
    guard isBusy else { return }
    generation += 1
    isBusy = false
    write("^C\r\n")
    showPrompt()
  }

  /// Takes one byte. Not to be called while `isBusy`.
  func receive(_ byte: UInt8) {
    guard let key = decoder.decode(byte) else { return }
    switch key {
    case .text(let scalar):
      if line.insert(scalar) { update() } else { bell() }
    case .enter: enter()
    case .tab: complete()
    case .up: recall(history.previous(line.text))
    case .down: recall(history.next())
    case .interrupt:
      line = EditedLine()
      history.reset()
      write("^C\r\n")
      showPrompt()
    case .endOfInput:
      if line.isEmpty {
        hangUp()
      } else {
        line.apply(.delete)
        update()
      }
    case .redraw:
      write("\r\n")
      showPrompt()
    default:
      line.apply(key)
      update()
    }
  }

  private func update() { write(display.update(line)) }
  private func bell() { send([0x07]) }

  private func recall(_ text: String?) {
    guard let text else { return bell() }
    line = EditedLine(text)
    update()
  }

  private func complete() {
    let answer = completer.complete(line.head)
    let common = Completer.commonPrefix(answer.candidates)
    guard !answer.candidates.isEmpty else { return bell() }
    let isDone = answer.candidates.count == 1
    if isDone || common.count > answer.typed {
      // What is typed may differ in case from the candidate: it makes way for it.
      for _ in 0..<answer.typed { line.apply(.backspace) }
      if !line.insert(common + (isDone ? " " : "")) { bell() }
      update()
    } else {
      let shown = answer.candidates.prefix(60)
      let more = answer.candidates.count > shown.count ? ["(\(answer.candidates.count - shown.count) more)"] : []
      write("\r\n")
      for line in PeopleText.grid(Array(shown), width: width) + more {
        write(printable(line) + "\r\n")
      }
      showPrompt()
    }
  }

  private func enter() {
    let text = line.text
    write("\r\n")
    isPrompting = false
    line = EditedLine()
    let words = CommandLine(text).words
    guard let name = words.first else { return showPrompt() }
    history.add(text)
    isBusy = true
    generation += 1
    do throws(CommandFailure) {
      guard let word = table.word(name) else { throw table.refusal(name) }
      step(word, try CommandLine.arguments(Array(words.dropFirst()), of: word), [], generation)
    } catch {
      finish(failure: error, generation)
    }
  }

  private func step(_ word: Word, _ arguments: JSONValue, _ results: [JSONValue], _ current: Int) {
    guard let request = word.next(arguments, results) else {
      for line in word.format(arguments, results, width) { write(printable(line) + "\r\n") }
      return finish(failure: nil, current)
    }
    run(request) { [weak self] result in
      guard let self, self.generation == current, self.isBusy else { return }
      switch result {
      case .success(let value): self.step(word, arguments, results + [value], current)
      case .failure where word.queries.contains(request.method):
        self.step(word, arguments, results + [.null], current)
      case .failure(let failure): self.finish(failure: failure, current)
      }
    }
  }

  private func finish(failure: CommandFailure?, _ current: Int) {
    guard generation == current else { return }
    if let failure {
      for line in PeopleText.wrap("error: \(failure.message) (\(failure.code.rawValue))", width: width, rest: "  ") {
        write(printable(line) + "\r\n")
      }
    }
    isBusy = false
    showPrompt()
    onIdle()
  }

  /// Called when a command has been answered.
  var onIdle: () -> Void = {}

  private func write(_ text: String) { if !text.isEmpty { send(Array(text.utf8)) } }
}
