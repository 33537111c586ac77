internal import Hardware

/// The rest of a listing that is longer than the terminal, shown page by page.
struct Pager {
  private var lines: ArraySlice<String>
  /// Lines of the terminal; the last one is the pager's own.
  private let height: Int

  /// - Parameter height: lines of the terminal, 2 or more.
  init(_ lines: [String], height: Int) {
    self.lines = lines[...]
    self.height = max(2, height)
  }

  /// Whether all has been shown.
  var isDone: Bool { lines.isEmpty }

  /// What stands on the last line meanwhile.
  var prompt: String { "--More-- (\(lines.count) lines; SPACE, ENTER, q) " }

  /// The lines of the next page.
  mutating func page() -> ArraySlice<String> { take(height - 1) }

  /// The next line alone.
  mutating func line() -> ArraySlice<String> { take(1) }

  private mutating func take(_ count: Int) -> ArraySlice<String> {
    let page = lines.prefix(count)
    lines = lines.dropFirst(count)
    return page
  }
}

/// A command that is repeated until a key is pressed.
struct Watch {
  /// As it would be typed.
  let line: String
  let interval: Duration
  /// When it runs next; `nil`: its answer has not come, or has just come.
  private var due: Instant?
  private var isRunning = true

  init(_ line: String, every interval: Duration) {
    self.line = line
    self.interval = interval
  }

  /// What stands above its answer.
  var title: String { "every \(interval.components.seconds) s: \(line); any key ends" }

  /// The answer has come: the next run is so much later.
  mutating func answered() { isRunning = false }

  /// - Returns: whether it is to run now; and when to ask again, `nil` while it runs.
  mutating func step(_ now: Instant) -> (runs: Bool, next: Instant?) {
    guard !isRunning else { return (false, nil) }
    let time = due ?? now + interval
    guard now >= time else {
      due = time
      return (false, time)
    }
    due = nil
    isRunning = true
    return (true, nil)
  }
}
