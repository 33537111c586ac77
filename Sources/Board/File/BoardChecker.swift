internal import Hardware

/// What a key was set to, and where.
struct BoardSetting {
  var value: BoardValue
  var place: SourcePlace
  /// Which file of the chain set it: 0 is the one that inherits nothing.
  var rank: Int
}

/// Holds one file against the schema, and collects what it sets and every problem it has.
struct BoardChecker {
  let file: String
  let rank: Int
  private(set) var settings: [String: BoardSetting] = [:]
  private(set) var problems: [BoardProblem] = []

  init(file: String, rank: Int, entries: [TOMLEntry]) {
    self.file = file
    self.rank = rank
    check(entries, under: [])
  }

  private mutating func check(_ entries: [TOMLEntry], under table: [String]) {
    for entry in entries {
      let path = table + [entry.key]
      if path[0] == BoardSchema.presets {
        preset(entry, path)
      } else if let key = BoardSchema.key(path) {
        check(entry, against: key, path: path)
      } else if BoardSchema.isTable(path) {
        guard case .table(let inner) = entry.node.value else {
          complain(entry.line, "\(path.joined(separator: ".")) is a table, not \(entry.node.finding)")
          continue
        }
        // No deeper than the schema: what it does not know is reported once and not looked into.
        check(inner, under: path)
      } else {
        complain(entry.line, unknown(entry, in: table))
      }
    }
  }

  /// Settings of the device are a table of their own, of as many parts as their names have; what they are is looked at by
  /// whoever knows them.
  private mutating func preset(_ entry: TOMLEntry, _ path: [String]) {
    let value: BoardValue
    switch entry.node.value {
    case .table(let inner) where path.count < 4:
      for entry in inner { preset(entry, path + [entry.key]) }
      return
    case .text(let text) where text.utf8.count <= 2000: value = .text(text)
    case .integer(let number): value = .integer(number)
    case .real(let number): value = .real(number)
    case .flag(let flag): value = .flag(flag)
    case .table, .array, .text, .dateTime:
      return complain(
        entry.line,
        "\(path.joined(separator: ".")): expected a text, a number, true or false, found \(entry.node.finding)")
    }
    guard path.count > 1 else {
      return complain(entry.line, "\(BoardSchema.presets) is a table, not \(entry.node.finding)")
    }
    let name = path.joined(separator: ".")
    settings[name] = BoardSetting(value: value, place: SourcePlace(file: file, line: entry.line), rank: rank)
  }

  private mutating func check(_ entry: TOMLEntry, against key: BoardKey, path: [String]) {
    let name = path.joined(separator: ".")
    guard let value = key.accept(entry.node) else {
      let found = key.isSecret ? "" : ", found \(entry.node.finding)"
      complain(entry.line, "\(name): expected \(key.expectation)\(found)")
      return
    }
    settings[name] = BoardSetting(value: value, place: SourcePlace(file: file, line: entry.line), rank: rank)
  }

  private func unknown(_ entry: TOMLEntry, in table: [String]) -> String {
    let names = BoardSchema.names(in: table)
    let place = table.isEmpty ? "" : " in [\(table.joined(separator: "."))]"
    var text =
      if case .table = entry.node.value { "unknown table" } else { "unknown key" }
    text += " \(entry.key.quoted)\(place); "
    if let word = Suggestion.nearest(to: entry.key, among: names) { return text + "did you mean \"\(word)\"?" }
    return text + "expected one of " + names.joined(separator: ", ")
  }

  private mutating func complain(_ line: Int, _ message: String) {
    problems.append(BoardProblem(SourcePlace(file: file, line: line), message))
  }
}
