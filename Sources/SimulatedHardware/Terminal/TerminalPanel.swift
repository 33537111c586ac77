public import Hardware

/// What the terminal front panel shows, as the runtime knows it.
public struct TerminalView: Hashable, Sendable {
  /// The OLED's picture; `nil`: the display is missing, and the panel says so.
  public var frame: Frame? = Frame()
  /// Lamps that are lit now.
  public var litLamps: Set<Lamp> = []
  public var isLocked = false
  /// One line on what goes on: mode, time, level. It is all that a very small terminal shows.
  public var status = ""
  /// Log lines, the newest last.
  public var log: [String] = []
}

/// The front panel in a terminal: OLED, lamps, keys, a status line and the log.
///
/// Pure: a view and a size give a grid. From 80×24 cells the OLED is drawn in Braille, 64×16 cells; from 132×40 in
/// half blocks, 128×32; below 80×24 there is a message, and the status in words.
public enum TerminalPanel {
  /// The least size that has the whole panel, and the least for the large picture.
  public static let minimum = (columns: 80, rows: 24)
  public static let large = (columns: 132, rows: 40)

  /// The panel for a terminal of this size.
  public static func render(_ view: TerminalView, columns: Int, rows: Int) -> TerminalGrid {
    var grid = TerminalGrid(columns: columns, rows: rows)
    if columns >= large.columns, rows >= large.rows {
      largePanel(view, &grid)
    } else if columns >= minimum.columns, rows >= minimum.rows {
      smallPanel(view, &grid)
    } else {
      tooSmall(view, &grid)
    }
    return grid
  }

  // MARK: 80×24

  private static func smallPanel(_ view: TerminalView, _ grid: inout TerminalGrid) {
    display(view, isLarge: false, &grid)
    let side = 67
    grid.write("MYNAH", column: side, row: 0, style: .strong)
    for (index, lamp) in Lamp.lights.enumerated() {
      self.lamp(lamp, view, column: side, row: 2 + index, &grid)
    }
    if view.litLamps.contains(.buzzer) { grid.write("♪", column: side, row: 5, style: .strong) }
    for (index, key) in keys.enumerated() {
      grid.write(key.sign, column: side, row: 6 + index, style: .strong)
      grid.write(key.name, column: side + 3, row: 6 + index)
    }
    grid.write("SHIFT holds", column: side, row: 16, style: .faint)
    grid.write("L unlocks", column: side, row: 17, style: .faint)
    statusAndLog(view, from: 18, &grid)
  }

  // MARK: 132×40

  private static func largePanel(_ view: TerminalView, _ grid: inout TerminalGrid) {
    display(view, isLarge: true, &grid)
    let row = 34
    var column = 1
    grid.write("MYNAH", column: column, row: row, style: .strong)
    column += 8
    for lamp in Lamp.lights {
      self.lamp(lamp, view, column: column, row: row, &grid)
      column += lamp.rawValue.count + 5
    }
    if view.litLamps.contains(.buzzer) { grid.write("♪", column: column, row: row, style: .strong) }
    column = 1
    for key in keys {
      grid.write(key.sign, column: column, row: row + 1, style: .strong)
      grid.write(key.name, column: column + key.sign.count + 1, row: row + 1)
      column += key.sign.count + key.name.count + 3
    }
    grid.write("SHIFT holds; L unlocks", column: column, row: row + 1, style: .faint)
    statusAndLog(view, from: row + 2, &grid)
  }

  // MARK: Parts

  /// The keys of the panel as the keyboard has them: what `TerminalKeys` understands.
  private static let keys: [(sign: String, name: String)] = [
    ("r", "REC"), ("s", "STOP"), ("↑↓", "UP DOWN"), ("←→", "LEFT RIGHT"), ("␣", "CENTRE"), ("l", "LOCK"),
    ("m", "MARK"), ("p", "picture"), ("q", "quit"),
  ]

  private static func display(_ view: TerminalView, isLarge: Bool, _ grid: inout TerminalGrid) {
    let frame = view.frame ?? Frame()
    let size = TerminalPicture.size(of: frame, isLarge: isLarge)
    let edge = String(repeating: "─", count: size.columns)
    grid.write("┌" + edge + "┐", column: 0, row: 0, style: .faint)
    grid.write("└" + edge + "┘", column: 0, row: size.rows + 1, style: .faint)
    for row in 0..<size.rows {
      grid.write("│", column: 0, row: row + 1, style: .faint)
      grid.write("│", column: size.columns + 1, row: row + 1, style: .faint)
      for column in 0..<size.columns {
        let character =
          isLarge
          ? TerminalPicture.halfBlock(frame, column: column, row: row)
          : TerminalPicture.braille(frame, column: column, row: row)
        grid[column + 1, row + 1] = TerminalCell(character, .display)
      }
    }
    guard view.frame == nil else { return }
    let message = " no display: the device works without it "
    grid.write(message, column: max(1, (size.columns - message.count) / 2), row: size.rows / 2, style: .inverted)
  }

  /// Lit and dark lamps differ in shape as well as in colour.
  private static func lamp(_ lamp: Lamp, _ view: TerminalView, column: Int, row: Int, _ grid: inout TerminalGrid) {
    let isLit = view.litLamps.contains(lamp)
    let colour: TerminalStyle =
      switch lamp {
      case .rec: .red
      case .status: .green
      case .lock: .amber
      case .buzzer: .strong
      }
    grid.write(isLit ? "●" : "○", column: column, row: row, style: isLit ? colour : .faint)
    grid.write(lamp.rawValue, column: column + 2, row: row, style: isLit ? .strong : .faint)
  }

  private static func statusAndLog(_ view: TerminalView, from row: Int, _ grid: inout TerminalGrid) {
    let locked = view.isLocked ? " LOCKED (hold: L) " : ""
    grid.write(locked, column: 1, row: row, style: .inverted)
    grid.write(view.status, column: 1 + (locked.isEmpty ? 0 : locked.count + 1), row: row, style: .strong)
    let space = grid.rows - row - 1
    guard space > 0 else { return }
    for (index, line) in view.log.suffix(space).enumerated() {
      let isLong = line.count > grid.columns - 2
      let shown = isLong ? line.prefix(max(0, grid.columns - 3)) + "…" : line
      grid.write(shown, column: 1, row: row + 1 + index, style: .faint)
    }
  }

  /// What to do about the size, and what matters most, in words; the keys work all the same.
  private static func tooSmall(_ view: TerminalView, _ grid: inout TerminalGrid) {
    let lamps = Lamp.lights.map { (view.litLamps.contains($0) ? "●" : "○") + $0.rawValue }.joined(separator: " ")
    var lines = wrapped(view.status, columns: grid.columns, maximum: 3)
    lines += wrapped(lamps + (view.isLocked ? " LOCKED" : ""), columns: grid.columns, maximum: 2)
    lines += wrapped(
      "This terminal has \(grid.columns)×\(grid.rows) cells: make it \(minimum.columns)×\(minimum.rows) or larger to see "
        + "the panel. Keys work: r REC, s STOP, space CENTRE, l LOCK, L unlock, q quit.",
      columns: grid.columns, maximum: grid.rows)
    for (row, line) in lines.prefix(grid.rows).enumerated() {
      grid.write(line, column: 0, row: row, style: row == 0 ? .strong : .plain)
    }
  }
}
