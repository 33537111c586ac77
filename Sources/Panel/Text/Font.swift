internal import Hardware

/// A bitmap font whose characters are all of one width, but for those that fill it.
///
/// The glyphs are decoded once, on first use, from a table that `Scripts/make-fonts` has written.
struct Font: Sendable {
  /// Columns of a character's cell, the gap on its right included.
  let width: Int
  /// First row and number of rows of a capital letter in its cell.
  let capTop: Int
  let capHeight: Int
  /// `width` columns a glyph, the topmost row in bit 0. The first glyph is the box for what the font lacks.
  private let columns: [UInt32]
  /// Index of the glyph by Unicode scalar, for scalars below 0x2100; 0 where there is none.
  private let direct: [UInt16]
  /// Index of the glyph by character. Characters compare by canonical equivalence, so that и followed by a
  /// combining breve finds й.
  private let others: [Character: UInt16]

  /// - Parameters:
  ///   - height: rows of a character's cell, at most 32.
  ///   - glyphs: base 64 of, for each glyph, its code in two bytes and then its columns in as many as the height needs,
  ///     all little-endian.
  init(width: Int, height: Int, glyphs: String) {
    self.width = width
    var columns = [UInt32](repeating: 0, count: width)
    var direct = [UInt16](repeating: 0, count: 0x2100)
    var others: [Character: UInt16] = [:]
    var bytes = Base64.decode(glyphs)[...]
    func next(_ count: Int) -> UInt32 {
      defer { bytes = bytes.dropFirst(count) }
      return bytes.prefix(count).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    while !bytes.isEmpty {
      let code = next(2)
      let index = UInt16(columns.count / width)
      for _ in 0..<width { columns.append(next((height + 7) / 8)) }
      if code < direct.count { direct[Int(code)] = index }
      if let scalar = Unicode.Scalar(code) { others[Character(scalar)] = index }
    }
    let capital = Int(direct[0x48]) * width
    let ink = columns[capital..<capital + width].reduce(0, |)
    capTop = ink == 0 ? 0 : ink.trailingZeroBitCount
    capHeight = ink == 0 ? height : UInt32.bitWidth - ink.leadingZeroBitCount - capTop
    let box: UInt32 = ((1 << UInt32(capHeight)) - 1) << UInt32(capTop)
    let ends: UInt32 = (1 | 1 << UInt32(capHeight - 1)) << UInt32(capTop)
    for x in 0..<max(1, width - 1) { columns[x] = x == 0 || x == width - 2 ? box : ends }
    self.columns = columns
    self.direct = direct
    self.others = others
  }

  /// The columns of a character's glyph; a box if the font has none.
  func glyph(_ character: Character) -> ArraySlice<UInt32> {
    let start = index(of: character) * width
    return columns[start..<start + width]
  }

  /// Whether the font can show the character.
  func has(_ character: Character) -> Bool { index(of: character) != 0 }

  /// From the left edge of a character to that of the next. A glyph that fills its cell is given a gap.
  func advance(_ character: Character) -> Int { width + (glyph(character).last == 0 ? 0 : 1) }

  /// Pixels across a text, without the gap after its last character.
  func width(of text: some StringProtocol) -> Int {
    var width = 0
    eachGlyph(of: text) { _, advance in width += advance }
    return max(0, width - 1)
  }

  /// Calls `body` for every character in turn, with the columns of its glyph and its advance.
  ///
  /// Finding the characters of a text is most of the work of drawing it, and in most texts each scalar is one.
  func eachGlyph(of text: some StringProtocol, _ body: (ArraySlice<UInt32>, Int) -> Void) {
    func take(_ index: Int) {
      let glyph = columns[index * width..<(index + 1) * width]
      body(glyph, width + (glyph.last == 0 ? 0 : 1))
    }
    if text.unicodeScalars.allSatisfy(Font.standsAlone) {
      for scalar in text.unicodeScalars { take(Int(direct[Int(scalar.value)])) }
    } else {
      for character in text { take(index(of: character)) }
    }
  }

  /// Whether the scalar never joins with its neighbours to one character: Latin letters, Cyrillic ones and the dashes,
  /// quotes and dots of both. (CR does, with LF.)
  private static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0D, 0xA9, 0xAD, 0xAE: false
    case 0..<0x300, 0x400..<0x483, 0x2010..<0x2028: true
    default: false
    }
  }

  private func index(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    if let first = scalars.first, first.value < direct.count,
      scalars.index(after: scalars.startIndex) == scalars.endIndex
    {
      return Int(direct[Int(first.value)])
    }
    return Int(others[character] ?? 0)
  }
}
