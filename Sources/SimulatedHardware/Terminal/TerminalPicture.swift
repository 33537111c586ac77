internal import Hardware

/// The OLED in Unicode: terminal cells are about twice as high as wide, so both ways keep its proportions.
enum TerminalPicture {
  /// Eight pixels a cell, two across and four down, as Braille patterns (U+2800 plus a bit a dot; the Unicode
  /// standard, chapter 21.1).
  static func braille(_ frame: Frame, column: Int, row: Int) -> Character {
    let bits: [(x: Int, y: Int, bit: UInt32)] = [
      (0, 0, 0x01), (0, 1, 0x02), (0, 2, 0x04), (1, 0, 0x08), (1, 1, 0x10), (1, 2, 0x20), (0, 3, 0x40), (1, 3, 0x80),
    ]
    var code: UInt32 = 0x2800
    for (x, y, bit) in bits where frame[column * 2 + x, row * 4 + y] { code |= bit }
    return Unicode.Scalar(code).map(Character.init) ?? " "
  }

  /// Two pixels a cell, one above the other.
  static func halfBlock(_ frame: Frame, column: Int, row: Int) -> Character {
    switch (frame[column, row * 2], frame[column, row * 2 + 1]) {
    case (false, false): " "
    case (true, false): "▀"
    case (false, true): "▄"
    case (true, true): "█"
    }
  }

  /// Cells that a frame takes.
  static func size(of frame: Frame, isLarge: Bool) -> (columns: Int, rows: Int) {
    isLarge ? (frame.width, (frame.height + 1) / 2) : ((frame.width + 1) / 2, (frame.height + 3) / 4)
  }
}
