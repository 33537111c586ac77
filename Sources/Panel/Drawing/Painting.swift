internal import Hardware

/// What painting does to the pixels that it touches.
enum Ink: Hashable, Sendable {
  case lit
  case dark
  case inverted
}

extension Frame {
  /// Paints the set bits of `bits` into column `x`, bit 0 in row `y` and on downwards.
  ///
  /// All drawing comes down to this: a page of the frame holds eight rows of a column in one byte, so that
  /// a glyph of up to 64 rows costs a few byte operations a column. What falls outside is left out.
  mutating func paint(column x: Int, row y: Int, bits: UInt64, ink: Ink = .lit) {
    guard x >= 0, x < width, y > -64, y < height else { return }
    var rest = y < 0 ? bits >> UInt64(-y) : bits
    let top = max(0, y)
    var index = top / 8 * width + x
    var shift = UInt64(top % 8)
    while rest != 0, index < pages.count {
      let byte = UInt8(truncatingIfNeeded: rest << shift)
      switch ink {
      case .lit: pages[index] |= byte
      case .dark: pages[index] &= ~byte
      case .inverted: pages[index] ^= byte
      }
      rest >>= 8 - shift
      shift = 0
      index += width
    }
  }

  /// Fills an area.
  mutating func fill(_ area: Area, ink: Ink = .lit) {
    for x in max(0, area.x)..<max(0, min(width, area.endX), area.x) {
      column(x, from: area.y, count: area.height, ink: ink)
    }
  }

  /// A run of `count` pixels down column `x`.
  mutating func column(_ x: Int, from y: Int, count: Int, ink: Ink = .lit) {
    var row = max(0, y)
    let end = min(height, y + count)
    while row < end {
      let rows = min(64, end - row)
      paint(column: x, row: row, bits: rows == 64 ? .max : (1 << UInt64(rows)) - 1, ink: ink)
      row += rows
    }
  }

  /// Every other pixel of an area, as a chequerboard: the one shade of grey that one bit has.
  mutating func shade(_ area: Area, ink: Ink = .lit) {
    for x in area.x..<area.endX {
      for y in area.y..<area.endY where (x + y) % 2 == 0 {
        paint(column: x, row: y, bits: 1, ink: ink)
      }
    }
  }

  /// The border of an area, one pixel thick, inside it.
  mutating func outline(_ area: Area, ink: Ink = .lit) {
    guard !area.isEmpty else { return }
    fill(Area(area.x, area.y, area.width, 1), ink: ink)
    fill(Area(area.x, area.endY - 1, area.width, area.height > 1 ? 1 : 0), ink: ink)
    column(area.x, from: area.y + 1, count: area.height - 2, ink: ink)
    if area.width > 1 { column(area.endX - 1, from: area.y + 1, count: area.height - 2, ink: ink) }
  }

  /// A filled area with its corner pixels left out: softer, and told from text at once.
  mutating func badge(_ area: Area) {
    guard !area.isEmpty else { return }
    fill(area.inset(1, 0))
    column(area.x, from: area.y + 1, count: area.height - 2)
    column(area.endX - 1, from: area.y + 1, count: area.height - 2)
  }

  /// A horizontal line of dots, every second pixel.
  mutating func dots(row y: Int, from x: Int, to endX: Int, every step: Int = 2) {
    for column in stride(from: x, to: endX, by: max(1, step)) { paint(column: column, row: y, bits: 1) }
  }

  /// A straight line with both ends (Bresenham's algorithm).
  mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int), ink: Ink = .lit) {
    let dx = abs(end.x - start.x)
    let dy = -abs(end.y - start.y)
    let stepX = start.x < end.x ? 1 : -1
    let stepY = start.y < end.y ? 1 : -1
    var error = dx + dy
    var (x, y) = start
    while true {
      paint(column: x, row: y, bits: 1, ink: ink)
      if x == end.x, y == end.y { return }
      let doubled = 2 * error
      if doubled >= dy {
        error += dy
        x += stepX
      }
      if doubled <= dx {
        error += dx
        y += stepY
      }
    }
  }

  /// An icon with its top left corner at (`x`, `y`).
  mutating func icon(_ icon: Icon, x: Int, y: Int, ink: Ink = .lit) {
    for (offset, bits) in icon.columns.enumerated() { paint(column: x + offset, row: y, bits: bits, ink: ink) }
  }

  /// Copies another frame with its top left corner at (`x`, `y`); its dark pixels overwrite.
  mutating func copy(_ other: Frame, x: Int, y: Int) {
    for column in 0..<other.width {
      for row in 0..<other.height {
        self[x + column, y + row] = other[column, row]
      }
    }
  }
}
