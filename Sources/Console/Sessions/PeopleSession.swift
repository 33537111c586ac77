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
  /// Columns of the terminal.
  private(set) var width: Int
  private let completer: Completer
  private let send: ([UInt8]) -> Void
  private let run: Run
  /// Whether the line has taken all that was sent.
  private let isTaken: () -> Bool
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

  /// Lines of the terminal, where a longer listing stops; `nil`: it does not.
  private var height: Int?
  /// The rest of a listing, while it has stopped.
  private var pager: Pager?
  /// The rest of an answer that does not stop and waits for the line to take it; `nil`: none does.
  private var rest: ArraySlice<String>?
  /// Bytes that are sent of it at a time: a fifth of a second at 115200 bit/s, within which ^C counts.
  private static let portion = 2048
  /// What is repeated until a key is pressed.
  private var watch: Watch?

  /// Who waits for a key as the answer to a question.
  private var question: ((Bool?) -> Void)?
  /// What is typed without being shown, and who waits for it.
  private var secret: (typed: String, then: (String) -> Void)?
  /// Bytes of it.
  private static let secretLimit = 512

  /// A command has been given and not been answered.
  private(set) var isBusy = false

  init(
    catalogue: CommandCatalogue, width: Int, height: Int?, knowledge: @escaping (CompletionSubject) -> [String],
    isOffered: @escaping (WordDescription) -> Bool,
    send: @escaping ([UInt8]) -> Void, isTaken: @escaping () -> Bool,
    run: @escaping Run,
    hangUp: @escaping () -> Void
  ) {
    self.catalogue = catalogue
    self.width = width
    self.height = height
    completer = Completer(catalogue: catalogue, knowledge: knowledge, isOffered: isOffered)
    display = LineDisplay(width: width - Self.prompt.count)
    self.send = send
    self.isTaken = isTaken
    self.run = run
    self.hangUp = hangUp
  }

  /// Whether the next byte would be the first of a line.
  var isAtStartOfLine: Bool { !isBusy && line.isEmpty && decoder.isBetweenKeys }
  /// A key means something even while an answer is awaited: it ends what is repeated, or answers a question.
  var isListening: Bool { watch != nil || question != nil || secret != nil }

  /// Shows the prompt and whatever has been typed.
  func showPrompt() {
    isPrompting = true
    display.reset()
    write(promptText + display.update(line))
  }

  /// What the terminal's last line begins with.
  private var promptText: String { pager?.prompt ?? Self.prompt }

  /// Leaves the prompt's line, because a program takes over.
  func leave() {
    if isPrompting { write("\r\n") }
    isPrompting = false
    line = EditedLine()
    pager = nil
    watch = nil
    question = nil
    secret = nil
    display.reset()
    history.reset()
    decoder = KeyDecoder()
  }

  /// Has listings stop after so many lines; `nil`: never.
  func stop(after lines: Int?) { height = lines.map { max(2, $0) } }

  /// Empties the terminal (ECMA-48: cursor home, erase in page).
  func clear() { write("\u{1B}[H\u{1B}[2J") }

  /// Repeats a command from now on until a key is pressed.
  func repeatCommand(_ line: String, every interval: Duration) {
    watch = Watch(line, every: interval)
    history.reset()
    start(line)
  }

  /// Does what has its time.
  ///
  /// - Returns: when to be called again; nil while nothing waits.
  func step(now: Instant) -> Instant? {
    guard let (runs, next) = watch?.step(now) else { return nil }
    guard runs, let line = watch?.line else { return next }
    start(line)
    // It may have been answered at once.
    return watch?.step(now).next
  }

  /// A key was pressed: nothing is repeated any more.
  private func endWatch() {
    watch = nil
    generation += 1
    isBusy = false
    showPrompt()
  }

  /// Prints a line above the prompt; what is being typed stays as it is.
  func printAbove(_ text: String) {
    guard isPrompting else {
      write(text.shown + "\r\n")
      return
    }
    let used = promptText.count + display.usedColumns
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
    rest = nil
    question = nil
    secret = nil
    write("^C\r\n")
    showPrompt()
  }

  /// Shows lines while a command is under way.
  func say(_ lines: [String]) { for line in lines { write(line.shown + "\r\n") } }

  /// Asks what a key answers: y, n, or s for neither; no other key means anything but ^C.
  func ask(_ text: String, then: @escaping (Bool?) -> Void) {
    write("\(text.shown) [y/n/s] ")
    question = then
    // What was typed ahead may be the answer.
    onIdle()
  }

  /// Asks for something that is not shown while it is typed, and kept nowhere; ENTER ends it, ^C gives up.
  func askSecret(_ text: String, then: @escaping (String) -> Void) {
    write(text.shown)
    secret = ("", then)
    onIdle()
  }

  private func take(_ key: Key, into entry: (typed: String, then: (String) -> Void)) {
    switch key {
    case .text(let scalar):
      guard entry.typed.utf8.count + UTF8.width(scalar) <= Self.secretLimit else { return bell() }
      secret?.typed.unicodeScalars.append(scalar)
    case .backspace: secret?.typed = String(entry.typed.dropLast())
    case .killToStart, .killWord: secret?.typed = ""
    case .interrupt: abandon()
    case .enter:
      secret = nil
      write("\r\n")
      entry.then(entry.typed)
    default: break
    }
  }

  /// Somebody else sits here now: what was typed before is not shown to them.
  func forget() {
    history = History()
    if watch != nil { endWatch() }
    if rest != nil { abandon() }
    if pager != nil {
      pager = nil
      write("\r\n")
      if !isBusy { showPrompt() }
    }
  }

  private func resize(_ lines: Int, _ columns: Int) {
    stop(after: lines > 0 ? lines : nil)
    guard columns > 0 else { return }
    width = max(20, columns)
    display = LineDisplay(width: width - Self.prompt.count)
    guard isPrompting, !line.isEmpty else { return }
    write("\r\n")
    showPrompt()
  }

  private func answer(_ key: Key, to asked: @escaping (Bool?) -> Void) {
    let answer: Bool?
    switch key {
    case .text("y"), .text("Y"): answer = true
    case .text("n"), .text("N"): answer = false
    case .text("s"), .text("S"): answer = nil
    case .interrupt: return abandon()
    default: return
    }
    question = nil
    write((answer.map { $0 ? "y" : "n" } ?? "s") + "\r\n")
    asked(answer)
  }

  /// Takes one byte. Not to be called while `isBusy`, unless it is listening.
  func receive(_ byte: UInt8) {
    guard let key = decoder.decode(byte) else { return }
    if case .size(let lines, let columns) = key { return resize(lines, columns) }
    if let question { return answer(key, to: question) }
    if let secret { return take(key, into: secret) }
    if watch != nil {
      endWatch()
      if Self.isGoingOn(key) { return }
    } else if pager != nil, turn(key) {
      return
    }
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

  /// Keys that only end or go on with what is shown; any other begins the next line.
  private static func isGoingOn(_ key: Key) -> Bool {
    switch key {
    case .text(" "), .text("q"), .text("Q"), .enter, .interrupt, .endOfInput: true
    default: false
    }
  }

  /// A key at a stop of a listing.
  ///
  /// - Returns: whether that was all that it meant.
  private func turn(_ key: Key) -> Bool {
    // The pager's line makes way.
    write("\r" + String(repeating: " ", count: promptText.count) + "\r")
    let page =
      switch key {
      case .text(" "): pager?.page() ?? []
      case .enter, .down: pager?.line() ?? []
      default: ArraySlice<String>()
      }
    for line in page { write(line.shown + "\r\n") }
    let goesOn = !page.isEmpty && pager?.isDone == false
    if !goesOn { pager = nil }
    showPrompt()
    return !page.isEmpty || Self.isGoingOn(key)
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
    if isDone || common.count > answer.said.count {
      // What is typed may differ in case from the candidate: it makes way for it.
      for _ in 0..<answer.typed { line.apply(.backspace) }
      if !line.insert(CommandLine.word(common, isWhole: isDone) + (isDone ? " " : "")) { bell() }
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
    let typed = CommandLine(text)
    guard let name = typed.words.first else { return showPrompt() }
    if !typed.holdsSecret, (try? catalogue.typed(name))?.isConfidential != true { history.add(text) }
    start(text)
  }

  private func start(_ text: String) {
    let words = CommandLine(text).words
    let name = words.first ?? ""
    isPrompting = false
    isBusy = true
    generation += 1
    let current = generation
    do throws(CommandFailure) {
      let word = try catalogue.typed(name)
      let arguments = try CommandLine.arguments(Array(words.dropFirst()), of: word)
      run(word.name, arguments, { [weak self] in self?.isWanted(current) ?? false }) { [weak self] result in
        self?.finish(result, current)
      }
    } catch {
      finish(.failure(error), current)
    }
  }

  private func isWanted(_ command: Int) -> Bool { isBusy && generation == command }

  private func finish(_ result: Result<[String], CommandFailure>, _ command: Int) {
    guard isWanted(command) else { return }
    let lines =
      switch result {
      case .success(let lines): lines
      case .failure(let failure):
        PeopleText.wrap("error: \(failure.message) (\(failure.code.rawValue))", width: width, rest: "  ")
      }
    if watch != nil {
      isBusy = false
      return show(again: lines)
    }
    guard let height, lines.count >= height, !hasTypedAhead() else {
      rest = lines[...]
      return goOn()
    }
    var pages = Pager(lines, height: height)
    for line in pages.page() { write(line.shown + "\r\n") }
    pager = pages
    end()
  }

  /// Goes on with an answer that does not stop, as far as the line takes it. Until its end bytes wait as they do for an
  /// answer, and ^C ends it.
  func goOn() {
    while let lines = rest, !lines.isEmpty {
      guard isTaken() else { return }
      var portion: [UInt8] = []
      var shown = 0
      for line in lines where portion.count < Self.portion {
        portion += Array((line.shown + "\r\n").utf8)
        shown += 1
      }
      rest = lines.dropFirst(shown)
      send(portion)
    }
    guard rest != nil else { return }
    rest = nil
    end()
  }

  private func end() {
    isBusy = false
    showPrompt()
    onIdle()
  }

  /// Shows the answer to what is repeated, as much of it as the terminal has lines for.
  private func show(again lines: [String]) {
    clear()
    write((watch?.title ?? "") + "\r\n")
    for line in height.map({ lines.prefix($0 - 2) }) ?? lines[...] { write(line.shown + "\r\n") }
    watch?.answered()
    onIdle()
  }

  /// Called at ^C.
  var onInterrupt: () -> Void = {}
  /// Called when a command has been answered.
  var onIdle: () -> Void = {}
  /// Whether there is input that waits for the command to be answered: whoever types ahead waits for no page.
  var hasTypedAhead: () -> Bool = { false }

  private func write(_ text: String) { if !text.isEmpty { send(Array(text.utf8)) } }
}
