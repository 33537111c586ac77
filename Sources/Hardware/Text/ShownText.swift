extension StringProtocol {
  /// The text as it may stand in a line for people: what steers a terminal, or where its text goes, or is not seen at
  /// all, is a `?`.
  ///
  /// Names of files, and whatever else others have made, come to terminals, logs and sentences by this alone.
  public var shown: String {
    guard unicodeScalars.contains(where: \.steers) else { return String(self) }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars { result.append(scalar.steers ? "?" : scalar) }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Escape and line feed, C1, marks and overrides of the direction of writing, separators of lines; and what makes two
  /// names that look alike: blanks without width, fillers, the byte order mark, tags. Joiners and variation selectors
  /// are no such: people's languages and pictures are written with them.
  fileprivate var steers: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B, 0x200E...0x200F,
      0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0xE0000...0xE00FF:
      true
    default: false
    }
  }
}
