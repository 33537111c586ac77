internal import Hardware

/// The line of text on the test card: `00:00:12.345 #370`, in digits of 5 × 7 dots.
enum TestCardText {
  static let width = 5
  static let height = 7
  private static let colon = 10
  private static let point = 11
  private static let hash = 12
  private static let space = 13

  /// Rows from the top; the highest of five bits is the left dot.
  private static let glyphs: [[UInt8]] = [
    [0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E], [0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E],
    [0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F], [0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E],
    [0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02], [0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E],
    [0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E], [0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
    [0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E], [0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C],
    [0x00, 0x0C, 0x0C, 0x00, 0x0C, 0x0C, 0x00], [0x00, 0x00, 0x00, 0x00, 0x00, 0x0C, 0x0C],
    [0x0A, 0x0A, 0x1F, 0x0A, 0x1F, 0x0A, 0x0A], [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
  ]

  /// Glyphs of a picture's line; always as many, so that a shorter number leaves nothing of a longer one.
  static func line(_ moment: PictureMoment) -> [Int] {
    let milliseconds = Int(moment.time.nanoseconds / 1_000_000)
    func digits(_ value: Int, _ count: Int) -> [Int] {
      var rest = max(0, value)
      var digits: [Int] = []
      for _ in 0..<count {
        digits.insert(rest % 10, at: 0)
        rest /= 10
      }
      return digits
    }
    return digits(milliseconds / 3_600_000, 2) + [colon] + digits(milliseconds / 60_000 % 60, 2) + [colon]
      + digits(milliseconds / 1000 % 60, 2) + [point] + digits(milliseconds % 1000, 3) + [space, hash]
      + digits(moment.number, 8)
  }

  /// Whether a dot is set; `x` may be one past the glyph, where the gap is.
  static func isSet(_ glyph: Int, _ x: Int, _ y: Int) -> Bool {
    x < width && glyphs[glyph][y] & (0x10 >> UInt8(x)) != 0
  }
}
