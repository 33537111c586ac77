/// Columns that a text takes on a terminal.
func columns(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns($1) } }

/// Columns of one character: 2 for East Asian wide ones and pictures, 0 for marks without a base, else 1.
func columns(_ character: Character) -> Int {
  guard let scalar = character.unicodeScalars.first else { return 0 }
  switch scalar.value {
  case 0..<0x300: return 1
  // Unicode 15, EastAsianWidth.txt: the blocks that are W or F throughout, or nearly so.
  case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
    0x20000...0x3FFFD:
    return 2
  default: return joins(scalar) ? 0 : 1
  }
}

/// Whether a scalar changes the character before it instead of standing for itself.
func joins(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.isGraphemeExtend || scalar.properties.generalCategory == .format
}
