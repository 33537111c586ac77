/// A dumb terminal: printing, CR, LF, backspace, bell.
struct Terminal {
  private var rows: [[Character]] = [[]]
  private var column = 0

  static func lines(_ output: String) -> [String] {
    var terminal = Terminal()
    terminal.feed(output)
    return terminal.lines
  }

  mutating func feed(_ output: String) {
    for scalar in output.unicodeScalars {
      switch scalar {
      case "\r": column = 0
      case "\n": rows.append([])
      case "\u{8}": column = max(0, column - 1)
      case "\u{7}": break
      default:
        var row = rows.removeLast()
        while row.count < column { row.append(" ") }
        if column < row.count { row[column] = Character(scalar) } else { row.append(Character(scalar)) }
        column += 1
        rows.append(row)
      }
    }
  }

  /// What is shown, without blanks at the ends of lines.
  var lines: [String] { rows.map { String($0).trimmedEnd } }
  var lastLine: String { String(rows.last ?? []).trimmedEnd }
}

extension String {
  /// Without blanks at the end.
  var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
