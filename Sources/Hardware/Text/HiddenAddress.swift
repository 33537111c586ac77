/// Addresses as they may be shown, told and logged: without what lets somebody in.
///
/// Of `http://user:password@host/path?key=value`, a user's name and password go, and the value of every parameter: which of
/// them is a key, nobody can know. Scheme, host, path and the names of parameters that have a value stay.
public enum HiddenAddress {
  /// What stands for what is not shown.
  public static let mark = "***"

  /// A text with every address in it as it may be shown; what is no address stays as it is.
  ///
  /// - Parameter marksUser: whether the mark stands for name and password; else nothing does.
  public static func text(_ text: String, marksUser: Bool = true) -> String {
    var rest = Substring(text).utf8[...]
    var result: [UInt8] = []
    while let scheme = start(of: "://", in: rest) {
      let begin = rest.index(scheme, offsetBy: 3)
      result += rest[..<begin]
      var end = rest[begin...].firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: "\"") } ?? rest.endIndex
      while end > begin, closing.contains(rest[rest.index(before: end)]) { end = rest.index(before: end) }
      hide(rest[begin..<end], marksUser, &result)
      rest = rest[end...]
    }
    result += rest
    return String(decoding: result, as: UTF8.self)
  }

  /// What people put behind an address in a sentence.
  private static let closing = [UInt8]("'),.:;<>".utf8)

  private static func start(of words: String, in text: Substring.UTF8View) -> String.Index? {
    text.indices.first { text[$0] == UInt8(ascii: ":") && text[$0...].starts(with: words.utf8) }
  }

  /// What is behind `://`.
  private static func hide(_ address: Substring.UTF8View, _ marksUser: Bool, _ result: inout [UInt8]) {
    let target = address.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let authority = address[..<(target ?? address.endIndex)]
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      if marksUser { result += Array(mark.utf8) + [UInt8(ascii: "@")] }
      result += authority[authority.index(after: at)...]
    } else {
      result += authority
    }
    let rest = address[authority.endIndex...]
    let query = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    result += rest[..<query]
    var parameter = rest[query...]
    while let sign = parameter.first {
      result.append(sign)
      let end = parameter.dropFirst().firstIndex { separators.contains($0) } ?? parameter.endIndex
      let words = parameter[..<end].dropFirst()
      let name = words.firstIndex(of: UInt8(ascii: "=")).map { words[...$0] } ?? words.prefix(0)
      if !words.isEmpty { result += Array(name) + mark.utf8 }
      parameter = parameter[end...]
    }
  }

  /// What a parameter begins with.
  private static let separators = [UInt8]("?#&;".utf8)
}

// Setting again what was shown.
extension HiddenAddress {
  /// Addresses with blanks between them, each of which may have `Name=` before it, as somebody has given them who was shown
  /// those that are kept: where the mark stands for something, that is what it is.
  ///
  /// - Returns: `nil` if the mark stands for nothing that is kept.
  public static func restored(_ given: String, from kept: String) -> String? {
    guard given.split(separator: " ").contains(where: isHidden) else { return given }
    var known = kept.split(separator: " ").map { address(in: $0) }
    var words: [Substring] = []
    for word in given.split(separator: " ") {
      guard isHidden(word) else {
        words.append(word)
        continue
      }
      let wanted = address(in: word)
      guard let place = known.firstIndex(where: { text(String($0)) == wanted }) else { return nil }
      words.append(word[..<wanted.startIndex] + known.remove(at: place))
    }
    return words.joined(separator: " ")
  }

  private static func isHidden(_ word: Substring) -> Bool {
    word.utf8.indices.contains { word.utf8[$0...].starts(with: mark.utf8) } && text(String(word)) == word
  }

  /// A word without `Name=` before it.
  private static func address(in word: Substring) -> Substring {
    guard let equals = word.firstIndex(of: "="), !word[..<equals].contains("/") else { return word }
    return word[word.index(after: equals)...]
  }
}
