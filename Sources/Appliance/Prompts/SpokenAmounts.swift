/// Times as they are said: figures are the synthesiser's, the nouns behind them are inflected here.
enum SpokenAmounts {
  /// Longer than any card lasts.
  private static let longest = 999.0 * 3600

  /// `1 hour 5 minutes`, `12 seconds`, `2.5 seconds`: seconds are left out from an hour on, tenths from a minute on.
  static func duration(_ seconds: Double, in language: Language) -> String {
    let tenths = Int((min(longest, seconds.isNaN ? 0 : max(0, seconds)) * 10).rounded(.down))
    let (hours, minutes, rest) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    if tenths < 600, tenths % 10 > 0 { return fraction(tenths, in: language) }
    var words: [String] = []
    if hours > 0 { words.append(hour(hours, language)) }
    if minutes > 0 { words.append(minute(minutes, language)) }
    if rest > 0 && hours == 0 || words.isEmpty { words.append(second(rest, language)) }
    return words.joined(separator: " ")
  }

  /// `2.5 seconds`.
  private static func fraction(_ tenths: Int, in language: Language) -> String {
    switch language {
    case .english: "\(tenths / 10).\(tenths % 10) seconds"
    // A fraction rules the genitive.
    case .russian: "\(tenths / 10),\(tenths % 10) секунды"
    }
  }

  static func hour(_ number: Int, _ language: Language) -> String {
    switch language {
    case .english: english(number, "hour")
    case .russian: russian(number, "час", "часа́", "часо́в")
    }
  }

  static func minute(_ number: Int, _ language: Language) -> String {
    switch language {
    case .english: english(number, "minute")
    case .russian: russian(number, "минута", "минуты", "минут", isShe: true)
    }
  }

  static func second(_ number: Int, _ language: Language) -> String {
    switch language {
    case .english: english(number, "second")
    case .russian: russian(number, "секунда", "секунды", "секунд", isShe: true)
    }
  }

  static func english(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// `2 часа`; of a feminine noun the last figure is a word, because the synthesiser takes all nouns for masculine ones:
  /// `две минуты`, `20 одна минута`.
  static func russian(_ number: Int, _ one: String, _ few: String, _ many: String, isShe: Bool = false) -> String {
    let counted = Russian.count(number, one, few, many)
    let (tens, ones) = (number.magnitude % 100 / 10, number.magnitude % 10)
    guard isShe, tens != 1, ones == 1 || ones == 2, number >= 0 else { return counted }
    let word = ones == 1 ? "одна́ \(one)" : "две \(few)"
    return number > 2 ? "\(number - Int(ones)) \(word)" : word
  }
}
