/// What of the line stands on the terminal, and the fewest bytes that turn it into what should stand there.
///
/// Uses nothing but printing, blanks and backspaces: every terminal knows those. A line that is longer than the
/// terminal is wide scrolls sideways, because a backspace does not climb to the line above.
struct LineDisplay {
  /// Columns for the line, the prompt not counted.
  let width: Int
  private var shown: [Character] = []
  /// Characters of `shown` before the terminal's cursor.
  private var cursor = 0
  /// The first character of the line that is shown.
  private var start = 0

  init(width: Int) { self.width = max(8, width) }

  /// Columns that are in use.
  var usedColumns: Int { shown.reduce(0) { $0 + columns($1) } }

  /// Forgets what is shown: the terminal's cursor stands right after a new prompt.
  mutating func reset() {
    shown = []
    cursor = 0
  }

  /// What to send so that `line` is shown.
  mutating func update(_ line: EditedLine) -> String {
    scroll(line)
    let target = window(line.characters)
    let targetCursor = min(line.cursor - start, target.count)
    var output = ""
    if target != shown {
      let common = zip(target, shown).prefix { $0 == $1 }.count
      move(to: common, &output)
      output += String(target[common...])
      let excess = shown[common...].reduce(0) { $0 + columns($1) } - target[common...].reduce(0) { $0 + columns($1) }
      if excess > 0 { output += String(repeating: " ", count: excess) + String(repeating: "\u{8}", count: excess) }
      shown = target
      cursor = target.count
    }
    move(to: targetCursor, &output)
    return output
  }

  private mutating func move(to position: Int, _ output: inout String) {
    if position < cursor {
      let back = shown[position..<cursor].reduce(0) { $0 + columns($1) }
      output += String(repeating: "\u{8}", count: back)
    } else {
      output += String(shown[cursor..<position])
    }
    cursor = position
  }

  /// Chooses `start` so that the cursor is in view; jumps by half a width, so that typing rarely redraws.
  private mutating func scroll(_ line: EditedLine) {
    let total = line.characters.reduce(0) { $0 + columns($1) }
    if total < width {
      start = 0
      return
    }
    if line.cursor < start || start > line.characters.count {
      start = max(0, line.cursor - width / 2)
    }
    if line.characters[start..<line.cursor].reduce(0, { $0 + columns($1) }) >= width {
      start = line.cursor
      var room = width / 2
      while start > 0, room > 0 {
        start -= 1
        room -= max(1, columns(line.characters[start]))
      }
    }
  }

  private func window(_ characters: [Character]) -> [Character] {
    var used = 0
    return Array(
      characters[start...].prefix { character in
        used += columns(character)
        return used < width
      })
  }
}
