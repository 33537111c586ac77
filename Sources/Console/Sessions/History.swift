/// The lines that were entered, in bounded number, and where in them the user is.
struct History {
  static let limit = 50
  private var lines: [String] = []
  /// The line that is shown; `lines.count` stands for the one being typed.
  private var position = 0
  private var draft = ""

  /// Keeps a line, if it says something new.
  mutating func add(_ line: String) {
    if !line.isEmpty, line != lines.last { lines.append(line) }
    if lines.count > Self.limit { lines.removeFirst() }
    position = lines.count
    draft = ""
  }

  /// The line before; `current` is what is being typed, and comes back at the end of the list.
  mutating func previous(_ current: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = current }
    position -= 1
    return lines[position]
  }

  /// The line after.
  mutating func next() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position == lines.count ? draft : lines[position]
  }

  /// Goes back to the line being typed.
  mutating func reset() {
    position = lines.count
    draft = ""
  }
}
