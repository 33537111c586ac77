extension StringProtocol {
  /// The text as it may stand in a line for people: what steers a terminal, or where its text goes, is a `?`.
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
  /// Escape and line feed, C1, marks and overrides of the direction of writing, separators of lines.
  fileprivate var steers: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
