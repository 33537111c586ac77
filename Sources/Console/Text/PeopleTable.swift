/// A table for people: a line of titles, then a line for each row, in columns that fit the width where they can.
public struct PeopleTable<Row> {
  /// One column.
  public struct Column {
    let title: String
    let alignsRight: Bool
    let shrinks: Bool
    let cell: (Row) -> String

    /// - Parameters:
    ///   - alignsRight: as numbers are.
    ///   - shrinks: gives way when the table is too wide.
    public init(
      _ title: String, alignsRight: Bool = false, shrinks: Bool = false, cell: @escaping (Row) -> String
    ) {
      self.title = title
      self.alignsRight = alignsRight
      self.shrinks = shrinks
      self.cell = cell
    }
  }

  private let columns: [Column]

  public init(_ columns: [Column]) { self.columns = columns }

  /// - Parameter width: columns of the terminal.
  public func lines(_ rows: [Row], width: Int) -> [String] {
    let cells = [columns.map(\.title)] + rows.map { row in columns.map { $0.cell(row) } }
    var widths = columns.indices.map { column in cells.map { Console.columns($0[column]) }.max() ?? 0 }
    // A column of which there is nothing to say takes no room.
    let shown = columns.indices.filter { widths[$0] > 0 }
    let total = widths.reduce(0, +) + 2 * (shown.count - 1)
    if total > width, let shrinking = columns.firstIndex(where: \.shrinks) {
      widths[shrinking] = max(8, widths[shrinking] - (total - width))
    }
    return cells.map { row in
      let line = shown.map { column in
        let text = Self.clipped(row[column], widths[column])
        return columns[column].alignsRight
          ? String(repeating: " ", count: max(0, widths[column] - Console.columns(text))) + text
          : PeopleText.pad(text, widths[column])
      }.joined(separator: "  ")
      return String(line.reversed().drop(while: { $0 == " " }).reversed())
    }
  }

  private static func clipped(_ text: String, _ width: Int) -> String {
    guard Console.columns(text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
      used += Console.columns(character)
      if used > width - 3 { break }
      result.append(character)
    }
    return result + "..."
  }
}
