/// Sentences of other rooms as screens and voices say them: what logs and programs need beside the words is long there.
public enum PlainWords {
  /// Without the system's numbers, and of an address in front of a reason only whose it is:
  /// `a.example: it does not answer`.
  public static func of(_ text: String) -> String { words(text, namesHost: true) }

  /// Without such an address: what the reason is about stands beside it.
  public static func reason(_ text: String) -> String { words(text, namesHost: false) }

  private static func words(_ text: String, namesHost: Bool) -> String {
    var words: [String] = []
    var rest = text.split(separator: " ")[...]
    while let word = rest.popFirst() {
      if word == "errno", let before = words.last, before.hasSuffix(","), let number = rest.first,
        number.first?.isNumber == true
      {
        // `(missing, errno 19):`
        words[words.count - 1] = String(before.dropLast() + number.drop { $0.isNumber })
        rest.removeFirst()
      } else if !rest.isEmpty, let host = host(before: word) {
        if namesHost { words.append(host + ":") }
      } else {
        words.append(String(word))
      }
    }
    return words.joined(separator: " ")
  }

  /// Of an address with a colon behind it.
  private static func host(before word: Substring) -> String? {
    guard word.hasSuffix(":") else { return nil }
    for scheme in ["https://", "http://"] where word.hasPrefix(scheme) {
      let host = word.dropFirst(scheme.count).dropLast().prefix { $0 != "/" }
      return host.isEmpty ? nil : String(host)
    }
    return nil
  }
}
