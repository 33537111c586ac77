internal import Hardware
internal import JSON

/// The people's face: prompt, line editing, history, completion, and one command at a time.
///
/// Control loop only. What comes while a command has not been answered is kept by `ConsoleSession`.
final class PeopleSession {
  /// Runs a word with its arguments as long as it is wanted, and ends with lines to show.
  typealias Run = (
    _ name: String, JSONValue, _ isWanted: @escaping () -> Bool,
    _ finish: @escaping (Result<[String], CommandFailure>) -> Void
  ) -> Void

  private static let prompt = "mynah> "

  private let catalogue: CommandCatalogue
  private let width: Int
  private let completer: Completer
  private let send: ([UInt8]) -> Void
  private let run: Run
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
    catalogue: CommandCatalogue, width: Int, knowledge: @escaping (CompletionSubject) -> [String],
    send: @escaping ([UInt8]) -> Void,
    run: @escaping Run,
    hangUp: @escaping () -> Void
  ) {
    self.catalogue = catalogue
    self.width = width
    completer = Completer(catalogue: catalogue, knowledge: knowledge)
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
      write(text.shown + "\r\n")
      return
    }
    let used = Self.prompt.count + display.usedColumns
    let shown = text.shown
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
      onInterrupt()
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
        write(line.shown + "\r\n")
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
    let current = generation
    do throws(CommandFailure) {
      guard let word = catalogue.word(name) else { throw catalogue.refusal(name) }
      let arguments = try CommandLine.arguments(Array(words.dropFirst()), of: word)
      run(name, arguments, { [weak self] in self?.isWanted(current) ?? false }) { [weak self] result in
        self?.finish(result, current)
      }
    } catch {
      finish(.failure(error), current)
    }
  }

  private func isWanted(_ command: Int) -> Bool { isBusy && generation == command }

  private func finish(_ result: Result<[String], CommandFailure>, _ command: Int) {
    guard isWanted(command) else { return }
    switch result {
    case .success(let lines):
      for line in lines { write(line.shown + "\r\n") }
    case .failure(let failure):
      for line in PeopleText.wrap("error: \(failure.message) (\(failure.code.rawValue))", width: width, rest: "  ") {
        write(line.shown + "\r\n")
      }
    }
    isBusy = false
    showPrompt()
    onIdle()
  }

  /// Called at ^C.
  var onInterrupt: () -> Void = {}
  /// Called when a command has been answered.
  var onIdle: () -> Void = {}

  private func write(_ text: String) { if !text.isEmpty { send(Array(text.utf8)) } }
}
