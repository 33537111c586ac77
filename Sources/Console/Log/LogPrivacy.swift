/// Takes out of a line of the log what tells whose sound and whose network it was: names of files, and addresses.
///
/// Rather too much than too little: a name may hold blanks, so that all before its extension goes with it.
public enum LogPrivacy {
  private static let name = "(name)"
  private static let address = "(address)"
  private static let extensions: Set<Substring> = [
    "m4a", "wav", "flac", "mp4", "jpg", "mp3", "ogg", "oga", "opus", "aac", "aif", "aiff", "amr", "mkv", "mka", "webm",
    "mov", "m4b", "wma", "caf", "json", "bak", "age",
  ]
  /// Documents of the device itself.
  private static let own = ["settings.json", "state.json", "schedules.json", "operators.json", "secrets.json"]

  /// - Parameter isOfNetwork: whether host names may stand in it bare.
  public static func strip(_ text: String, isOfNetwork: Bool) -> String {
    var kept: [Substring] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if hasScheme(word) || isAddress(word) || (isOfNetwork && isHost(word)) {
        kept.append(Substring(address + word.suffix(where: { ",;)".contains($0) })))
      } else if let end = endOfName(in: word) {
        // What stands before a name of ours is no part of it; of others nobody knows.
        if !isOurs(word) { kept = [] }
        kept.append(Substring(name) + word[end...])
      } else {
        kept.append(word)
      }
    }
    return kept.joined(separator: " ")
  }

  /// Where the file's name in it ends, if there is one.
  private static func endOfName(in word: Substring) -> Substring.Index? {
    guard !own.contains(where: { word.hasPrefix($0) }), let dot = word.lastIndex(of: ".") else { return nil }
    var rest = word[word.index(after: dot)...].prefix { $0.isLetter || $0.isNumber }
    // The last full stop may be that of the sentence.
    if rest.isEmpty, let inner = word[..<dot].lastIndex(of: ".") {
      rest = word[word.index(after: inner)..<dot]
    }
    return extensions.contains(Substring(rest.lowercased())) ? rest.endIndex : nil
  }

  /// A name as the device gives them: six digits and a time.
  private static func isOurs(_ word: Substring) -> Bool {
    let file = word.split(separator: "/").last ?? word
    return file.prefix { $0.isNumber }.count >= 6 && file.dropFirst(6).first == "_"
  }

  private static func hasScheme(_ word: Substring) -> Bool {
    word.split(separator: ":", omittingEmptySubsequences: false).dropFirst().contains { $0.hasPrefix("//") }
  }

  /// Four numbers with dots, or groups of hexadecimal digits with colons.
  private static func isAddress(_ word: Substring) -> Bool {
    let core = word.drop { "[(".contains($0) }.prefix { $0.isHexDigit || $0 == "." || $0 == ":" }
    let numbers = core.split(separator: ":").first?.split(separator: ".") ?? []
    if numbers.count == 4, numbers.allSatisfy({ UInt8($0) != nil }) { return true }
    return core.count { $0 == ":" } >= 3
  }

  /// Letters on both sides of a dot.
  private static func isHost(_ word: Substring) -> Bool {
    let parts = word.split(separator: ".")
    return parts.count > 1
      && zip(parts, parts.dropFirst()).contains { $0.last?.isLetter == true && $1.first?.isLetter == true }
  }
}

extension StringProtocol {
  /// The longest end of it whose characters are all such.
  fileprivate func suffix(where isMeant: (Character) -> Bool) -> SubSequence {
    self[(lastIndex { !isMeant($0) }.map { index(after: $0) } ?? startIndex)...]
  }
}
