/// Lays a table out in columns of fixed width, for terminals and logs.
struct Columns {
  enum Column {
    case left(Int)
    case right(Int)
  }

  private let columns: [Column]
  private(set) var text = ""

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a line; cells that are wider than their column push the rest aside rather than lose digits.
  mutating func add(_ cells: [String]) {
    var line = ""
    for (column, cell) in zip(columns, cells) {
      if !line.isEmpty { line += " " }
      switch column {
      case .left(let width): line += cell + String(repeating: " ", count: max(0, width - cell.count))
      case .right(let width): line += String(repeating: " ", count: max(0, width - cell.count)) + cell
      }
    }
    while line.last == " " { line.removeLast() }
    text += line + "\n"
  }

  /// A number with one digit after the point, `–` for nil; numbers too large for a table are cut.
  static func tenths(_ number: Double?) -> String {
    guard let number, number.isFinite else { return "–" }
    let tenths = Int((min(max(number, -1e9), 1e9) * 10).rounded())
    return (tenths < 0 ? "-" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }
}
