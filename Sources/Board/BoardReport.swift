internal import Hardware

/// What `mynah board check|list|show` print.
public enum BoardReport {
  /// `mynah board check FILE`: what the file describes, or every problem, a line each.
  ///
  /// - Returns: the text to print, and whether the file is in order (exit code 0, else 78).
  ///
  /// - Parameter judge: what is wrong with the settings in it, for what they are is not known here.
  public static func check(
    _ nameOrPath: String, reader: Boards.Reader, judge: (BoardDescription) -> [BoardProblem] = { _ in [] }
  ) -> (text: String, isInOrder: Bool) {
    do throws(BoardError) {
      let (board, problems) =
        Boards.isPath(nameOrPath)
        ? Boards.draft(path: nameOrPath, reader: reader) : (try Boards.load(builtIn: nameOrPath), [])
      // Settings are looked at whatever else is wrong: who writes a file is told all of it at once.
      let wrong = problems + judge(board)
      guard wrong.isEmpty else { throw BoardError(problems: wrong) }
      let kind = board.isTemplate ? "template" : "board"
      let keys = Set(board.buttons.map(\.button) + board.keypad.keys.map(\.button))
      let count = "\(keys.count) keys, \(board.leds.count) LEDs"
      return ("\(board.file.shown): in order: \(kind) \(board.name) (\(board.title.shown)), \(count)\n", true)
    } catch {
      let count = error.problems.count == 1 ? "1 problem" : "\(error.problems.count) problems"
      return ("\(error)\n\(nameOrPath.oneLine(limit: 200)): \(count)\n", false)
    }
  }

  /// `mynah board list`: the built-in boards, a line each.
  public static func list() -> String {
    let names = Boards.builtInNames
    let width = names.map(\.count).max() ?? 0
    var text = ""
    for name in names {
      let title = (try? Boards.load(builtIn: name))?.title ?? ""
      text += name + String(repeating: " ", count: width - name.count + 2) + title + "\n"
    }
    return text
  }

  /// `mynah board show NAME`: every key that holds, its value, and where it was set; then the wiring.
  ///
  /// The values are in the form of a board file, so that the text is one.
  public static func show(_ nameOrPath: String, reader: Boards.Reader) throws(BoardError) -> String {
    let board = try Boards.load(nameOrPath, reader: reader)
    let chain = BoardChain(board.file, reader: reader)
    var text = "# \(board.title), from \(board.file)".shown + "\n"
    var table = ""
    for path in names() {
      let name = path.joined(separator: ".")
      guard let key = BoardSchema.key(path), name != "inherits" else { continue }
      let setting = chain.settings[name]
      // Families, and inputs, are shown as far as they are set; else every lamp would be listed with defaults only.
      let isFamily = key.path.contains("*") || ["trigger", "power_key", "brown_out"].contains(key.path[0])
      guard let value = setting?.value ?? (isFamily ? nil : key.standard ?? fallback(name, board)) else { continue }
      let owner = path.dropLast().joined(separator: ".")
      if owner != table {
        text += "\n[\(owner)]\n"
        table = owner
      }
      let shown = key.isSecret ? "\"********\"" : literal(value)
      let line = "\(path[path.count - 1]) = \(shown)"
      let padding = String(repeating: " ", count: max(1, 38 - line.count))
      text += line + padding + "# " + (setting.map { "\($0.place)" } ?? "default")
      text += (key.unit.isEmpty ? "" : ", \(key.unit)") + "\n"
    }
    if !board.presets.isEmpty {
      // Some of them are secrets.
      text += "\n# [settings]: " + board.presets.map { "\($0.key) (\($0.place))" }.joined(separator: ", ") + "\n"
    }
    if board.header != .none {
      text += "\n# Wiring\n"
      for line in WiringTable.markdown(for: board).split(separator: "\n") { text += "# \(line)\n" }
    }
    return text
  }

  /// A Markdown table of every key that a board file may set.
  public static func reference() -> String {
    var text = "| Key | Value | Unit | Default | Meaning |\n|---|---|---|---|---|\n"
    for key in BoardSchema.keys {
      let member = ["buttons": "KEY", "leds": "LED", "budget": "PART"][key.path[0]] ?? "*"
      let name = key.path.map { $0 == "*" ? member : $0 }.joined(separator: ".")
      let value =
        switch key.kind {
        case .integer(let range): "\(range.lowerBound) … \(range.upperBound)"
        case .number(let numbers): numbers.map(String.init).joined(separator: ", ")
        case .text: "text"
        case .choice(let words): words.joined(separator: ", ")
        case .flag: "true, false"
        case .texts: "list of texts"
        }
      let standard = key.standard.map { "`\(literal($0))`" } ?? "–"
      text += "| `\(name)` | \(value) | \(key.unit) | \(standard) | \(key.meaning) |\n"
    }
    let families = [("KEY", "buttons"), ("LED", "leds"), ("PART", "budget")]
    let members = families.map { "`\($0)` is one of \(BoardSchema.members(of: $1).joined(separator: ", "))" }
    return text + "\n" + members.joined(separator: ".\n") + ".\n"
  }

  /// `document` with the part between `<!-- keys -->` and `<!-- end -->` replaced by the reference.
  public static func fillReference(_ document: String) -> String? {
    Marked.replace("keys", in: document, with: reference())
  }

  /// Full names of all keys, families written out, in the order of the schema.
  private static func names() -> [[String]] {
    var names: [[String]] = []
    var families: [String] = []
    for key in BoardSchema.keys {
      guard let star = key.path.firstIndex(of: "*") else {
        names.append(key.path)
        continue
      }
      guard !families.contains(key.path[0]) else { continue }
      families.append(key.path[0])
      let rows = BoardSchema.keys.filter { $0.path[0] == key.path[0] && $0.path.contains("*") }
      for member in BoardSchema.members(of: key.path[0]) {
        for row in rows { names.append(Array(row.path[..<star]) + [member] + Array(row.path[(star + 1)...])) }
      }
    }
    return names
  }

  /// Values that follow from others where nothing is set.
  private static func fallback(_ name: String, _ board: BoardDescription) -> BoardValue? {
    switch name {
    case "name": .text(board.name)
    case "title": .text(board.title)
    default: nil
    }
  }

  private static func literal(_ value: BoardValue) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .text(let text): quote(text)
    case .texts(let texts): "[" + texts.map(quote).joined(separator: ", ") + "]"
    }
  }

  /// A basic string of TOML; control characters cannot occur.
  private static func quote(_ text: String) -> String {
    var quoted = "\""
    for character in text {
      if character == "\"" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "\""
  }
}
