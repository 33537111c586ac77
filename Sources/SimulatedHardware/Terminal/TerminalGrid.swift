/// How a cell of the terminal looks, in the sixteen colours that every terminal has.
public enum TerminalStyle: String, Hashable, Sendable, CaseIterable {
  case plain
  case faint
  case strong
  /// Lit pixels of the OLED, on black.
  case display
  case red
  case green
  case amber
  /// What must be seen: dark on light.
  case inverted

  /// The SGR parameters of ECMA-48 (8.3.117) that select it; each begins with a reset.
  func codes(hasColour: Bool) -> String {
    switch self {
    case .strong: "0;1"
    case .inverted: "0;7"
    case .faint where hasColour: "0;90"
    case .display where hasColour: "0;96;40"
    case .red where hasColour: "0;1;91"
    case .green where hasColour: "0;1;92"
    case .amber where hasColour: "0;1;93"
    default: "0"
    }
  }
}

/// A character cell of the terminal.
public struct TerminalCell: Hashable, Sendable {
  public var character: Character
  public var style: TerminalStyle

  public init(_ character: Character = " ", _ style: TerminalStyle = .plain) {
    self.character = character
    self.style = style
  }
}

/// A picture made of character cells; what is put outside is left out.
public struct TerminalGrid: Hashable, Sendable {
  public let columns: Int
  public let rows: Int
  /// Row by row from the top.
  public private(set) var cells: [TerminalCell]

  /// - Parameters: clamped to 1…1000 each.
  public init(columns: Int, rows: Int) {
    self.columns = min(1000, max(1, columns))
    self.rows = min(1000, max(1, rows))
    cells = Array(repeating: TerminalCell(), count: self.columns * self.rows)
  }

  public subscript(column: Int, row: Int) -> TerminalCell {
    get { contains(column, row) ? cells[row * columns + column] : TerminalCell() }
    set { if contains(column, row) { cells[row * columns + column] = newValue } }
  }

  /// The rows as text, without styles and without blanks at the end.
  public var lines: [String] {
    (0..<rows).map { row in
      var line = String(cells[row * columns..<(row + 1) * columns].map(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Writes text from a cell to the right, as far as `limit` cells or the edge.
  ///
  /// Control characters become spaces, so that a log line can do nothing to the terminal; so do characters whose
  /// width in cells differs between terminals (wide East Asian ones, emoji, combining marks on their own).
  mutating func write(_ text: String, column: Int, row: Int, style: TerminalStyle = .plain, limit: Int = .max) {
    var place = column
    for character in text.prefix(max(0, min(limit, columns - column))) {
      self[place, row] = TerminalCell(Self.isNarrow(character) ? character : " ", style)
      place += 1
    }
  }

  private func contains(_ column: Int, _ row: Int) -> Bool {
    column >= 0 && column < columns && row >= 0 && row < rows
  }

  private static func isNarrow(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.count <= 3 else { return false }
    switch first.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .nonspacingMark, .enclosingMark, .spacingMark:
      return false
    default: break
    }
    return first.value < 0x1100 || (0x1E00...0x28FF).contains(first.value)
  }
}
