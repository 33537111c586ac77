extension StringProtocol {
  /// Whether a text is in this one, byte for byte. Unlike `contains`, it does not bring the standard library's engine for
  /// regular expressions into the program, 1.3 MB of it.
  public func holds(_ text: some StringProtocol) -> Bool {
    let (bytes, wanted) = (Array(utf8), Array(text.utf8))
    guard bytes.count >= wanted.count else { return false }
    return (0...bytes.count - wanted.count).contains { start in
      wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
    }
  }
}
