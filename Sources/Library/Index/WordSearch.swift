/// Words that people look for, each of which must occur somewhere in a text, without regard to case.
///
/// Bytes are compared, not characters: ten thousand names are gone through while somebody waits.
public struct WordSearch: Hashable, Sendable {
  private let words: [[UInt8]]

  /// - Parameter query: words with space between them; none of them matches everything.
  public init(_ query: String) {
    words = query.lowercased().split { $0.isWhitespace }.map { Array($0.utf8) }
  }

  /// Whether all words occur in a text that is in lower case already.
  public func matches(lowercased text: String) -> Bool {
    words.allSatisfy { Self.contains(text, $0) }
  }

  private static func contains(_ text: String, _ word: [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard let first = word.first else { return true }
      guard bytes.count >= word.count else { return false }
      let last = bytes.count - word.count
      var start = 0
      while start <= last {
        if bytes[start] == first {
          var length = 1
          while length < word.count, bytes[start + length] == word[length] { length += 1 }
          if length == word.count { return true }
        }
        start += 1
      }
      return false
    }
  }
}
