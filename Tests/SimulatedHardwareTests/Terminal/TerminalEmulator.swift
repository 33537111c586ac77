@testable import SimulatedHardware

/// A terminal that understands just what the canvas may send: it stops the test at anything else.
struct TerminalEmulator {
  struct Unknown: Error {
    var sequence: String
  }

  struct Cell: Hashable {
    var character: Character = " "
    var codes = "0"
  }

  let columns: Int
  let rows: Int
  private(set) var cells: [Cell]
  private var codes = "0"
  private var column = 0
  private var row = 0

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  mutating func feed(_ text: String) throws {
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        guard character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
          throw Unknown(sequence: "control character")
        }
        if column < columns, row < rows { cells[row * columns + column] = Cell(character: character, codes: codes) }
        column += 1
        continue
      }
      guard rest.popFirst() == "[" else { throw Unknown(sequence: "not CSI") }
      let parameters = String(rest.prefix { $0.isNumber || $0 == ";" })
      rest = rest.dropFirst(parameters.count)
      switch rest.popFirst() {
      case "m": codes = parameters
      case "J" where parameters == "2": cells = Array(repeating: Cell(), count: columns * rows)
      case "H":
        let parts = parameters.split(separator: ";").compactMap { Int($0) }
        guard parts.count == 2 else { throw Unknown(sequence: parameters) }
        (row, column) = (parts[0] - 1, parts[1] - 1)
      default: throw Unknown(sequence: parameters)
      }
    }
  }

  func shows(_ grid: TerminalGrid, hasColour: Bool) -> Bool {
    zip(cells, grid.cells).allSatisfy { shown, wanted in
      shown.character == wanted.character && shown.codes == wanted.style.codes(hasColour: hasColour)
    }
  }
}
