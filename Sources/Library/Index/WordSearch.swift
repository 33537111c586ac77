/// Words that people look for, each of which must occur somewhere in a text, without regard to case.
///
/// Bytes are compared, not characters: ten thousand names are gone through while somebody waits.
public struct WordSearch: Hashable, Sendable {
  private let words: [[UInt8]]
  /// Whether a word may be the first of `Take 42`, which is how a take is shown that nobody has named.
  let asksForTakes: Bool

  private static let take = Array("take".utf8)

  /// - Parameter query: words with space between them; none of them matches everything.
  public init(_ query: String) {
    words = query.lowercased().split { $0.isWhitespace }.map { Array($0.utf8) }
    asksForTakes = words.contains { Self.take.starts(with: $0) }
  }

  /// There is no word that could be missing.
  var matchesAll: Bool { words.isEmpty }

  /// Whether all words occur in a text that is in lower case already.
  public func matches(lowercased text: String) -> Bool {
    words.allSatisfy { Self.contains(text, $0) }
  }

  /// Whether a take that nobody has named is meant: `take` finds them all, `take 4` those whose number begins so.
  ///
  /// - Parameter text: what else it is found by, in lower case.
  func matches(take number: Int, or text: String) -> Bool {
    if words.count == 2, words[0] == Self.take, words[1].allSatisfy({ (0x30...0x39).contains($0) }) {
      return String(number).utf8.starts(with: words[1])
    }
    return words.allSatisfy { Self.take.starts(with: $0) || Self.contains(text, $0) }
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
