/// Keeps what the terminal shows and says how to change it: only the cells that differ are sent.
///
/// Not shared between threads; the caller writes what it returns to the terminal as UTF-8.
public struct TerminalCanvas: Sendable {
  /// False for terminals without colour, or on the user's wish (`NO_COLOR`).
  public let hasColour: Bool
  private var shown: TerminalGrid?

  public init(hasColour: Bool = true) { self.hasColour = hasColour }

  /// Takes the terminal over: the alternate screen, no cursor, no wrapping at the right edge, pasted text marked as
  /// such (xterm's private modes 1049, 25, 7 and 2004).
  public static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J\u{1B}[H"

  /// Leaves the terminal as `enter` found it.
  public static let leave = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// What changes the terminal's picture into `grid`; empty if it shows that already.
  public mutating func update(to grid: TerminalGrid) -> String {
    var output = ""
    var old = shown
    if old?.columns != grid.columns || old?.rows != grid.rows {
      output += "\u{1B}[0m\u{1B}[2J"
      // A cleared terminal is all blanks.
      old = TerminalGrid(columns: grid.columns, rows: grid.rows)
    }
    var codes: String?
    // Where the cursor is left by what was sent last.
    var cursor: Int?
    for index in grid.cells.indices where grid.cells[index] != old?.cells[index] {
      let cell = grid.cells[index]
      if cursor != index || index % grid.columns == 0 {
        output += "\u{1B}[\(index / grid.columns + 1);\(index % grid.columns + 1)H"
      }
      let wanted = cell.style.codes(hasColour: hasColour)
      if codes != wanted {
        output += "\u{1B}[\(wanted)m"
        codes = wanted
      }
      output.append(cell.character)
      cursor = index + 1
    }
    if codes != nil { output += "\u{1B}[0m" }
    shown = grid
    return output
  }

  /// Forgets what is shown: the next update draws everything, as after a resize or a message on the terminal.
  public mutating func invalidate() { shown = nil }
}
