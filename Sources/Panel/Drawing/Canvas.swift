internal import Hardware

/// Where a text begins in its area.
enum Alignment: Hashable, Sendable {
  case leading
  case centre
  case trailing
}

/// A text that a screen has drawn, kept so that `panel.state` can say what is shown and tests can see that
/// nothing is cut or overlaps.
struct PlacedText: Hashable, Sendable {
  /// What was to be shown.
  var text: String
  /// What is shown: the text, or as much of it as fits.
  var shown: String
  /// The area that it was given.
  var area: Area
  /// The pixels that it lights, from the first to the last row and column; empty for blanks.
  var ink: Area
  /// False for names and messages of any length: an ellipsis is then no fault of the layout.
  var mustFit: Bool
}

/// A frame that is being drawn, and a record of the texts in it.
///
/// The last column stays dark: the bezel of many a display begins there.
struct Canvas {
  /// What may be drawn in: all but the last column.
  static let width = 127
  private(set) var texts: [PlacedText] = []
  var frame: Frame

  init(_ frame: Frame = Frame()) { self.frame = frame }

  /// Draws one line of text, its capitals centred between the top and bottom of `area`.
  ///
  /// - Parameters:
  ///   - fit: how a text that is too long is shortened; `.whole` marks texts that the layout must have room for
  ///     (they are cut at the end all the same rather than run over).
  /// - Returns: the pixels that it lights.
  @discardableResult
  mutating func text(
    _ text: String, _ font: Font = .small, in area: Area, align: Alignment = .leading, fit: Fit = .whole,
    ink: Ink = .lit
  ) -> Area {
    let area = Area(area.x, area.y, min(area.endX, Self.width) - area.x, area.height)
    let shown = fit.applied(to: text, font, in: area.width)
    let width = font.width(of: shown)
    let x =
      switch align {
      case .leading: area.x
      case .centre: area.x + (area.width - width) / 2
      case .trailing: area.endX - width
      }
    let y = area.y + (area.height - font.capHeight) / 2 - font.capTop
    let box = frame.write(shown, font, x: x, y: y, ink: ink)
    texts.append(PlacedText(text: text, shown: shown, area: area, ink: box, mustFit: fit == .whole))
    return box
  }

  /// Draws a timer such as `1h07m26s`: tall digits, and units small on the same baseline.
  mutating func timer(_ text: String, in area: Area) {
    let baseline = area.y + (area.height + Font.large.capHeight) / 2
    var x = area.x
    var box = Area(x, area.y, 0, 0)
    for character in text {
      let font: Font = character.isNumber ? .large : .body
      let glyph = String(character)
      box = box.union(frame.write(glyph, font, x: x, y: baseline - font.capHeight - font.capTop, ink: .lit))
      x += font.width + (character.isNumber ? 0 : 1)
    }
    texts.append(PlacedText(text: text, shown: text, area: area, ink: box, mustFit: true))
  }

  /// Draws a short text at twice its size, its capitals centred in `area`.
  mutating func doubled(_ text: String, _ font: Font, in area: Area) {
    let y = area.y + area.height / 2 - font.capHeight - 2 * font.capTop
    var x = area.x
    var box = Area(x, area.y, 0, 0)
    font.eachGlyph(of: text) { glyph, advance in
      for (offset, bits) in glyph.enumerated() where bits != 0 {
        let tall = Self.doubled(bits)
        let (top, left) = (tall.trailingZeroBitCount, x + 2 * offset)
        for column in [left, left + 1] { frame.paint(column: column, row: y, bits: tall) }
        box = box.union(Area(left, y + top, 2, UInt64.bitWidth - tall.leadingZeroBitCount - top))
      }
      x += 2 * advance
    }
    texts.append(PlacedText(text: text, shown: text, area: area, ink: box, mustFit: true))
  }

  /// Every row twice.
  private static func doubled(_ bits: UInt32) -> UInt64 {
    (0..<32).reduce(UInt64(0)) { bits & 1 << UInt32($1) == 0 ? $0 : $0 | 3 << UInt64(2 * $1) }
  }

  /// How wide `timer` draws a text.
  static func timerWidth(_ text: String) -> Int {
    text.reduce(0) { $0 + ($1.isNumber ? Font.large.width : Font.body.width + 1) }
  }

  /// Clears everything from a card's top to the bottom of the screen, and frames the card. Texts that it touches
  /// are no longer shown, nor are the halves of them above it.
  mutating func card(_ area: Area) {
    let cleared = Area(0, area.y - 1, frame.width, frame.height - area.y + 1)
    frame.fill(cleared, ink: .dark)
    for text in texts where text.ink.intersects(cleared) { frame.fill(text.ink, ink: .dark) }
    frame.outline(area)
    texts.removeAll { $0.ink.intersects(cleared) }
  }
}

extension Frame {
  /// Writes text with the cell of its first character at (`x`, `y`) and returns the pixels it lights.
  @discardableResult
  mutating func write(_ text: String, _ font: Font, x: Int, y: Int, ink: Ink = .lit) -> Area {
    var left = x
    var box = Area(x, y, 0, 0)
    font.eachGlyph(of: text) { glyph, advance in
      for (offset, bits) in glyph.enumerated() where bits != 0 {
        paint(column: left + offset, row: y, bits: UInt64(bits), ink: ink)
        let top = bits.trailingZeroBitCount
        box = box.union(Area(left + offset, y + top, 1, UInt32.bitWidth - bits.leadingZeroBitCount - top))
      }
      left += advance
    }
    return box
  }
}
