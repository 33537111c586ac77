/// A text of the screens as it is said: keys by their names, units and abbreviations in words, figures left to the
/// synthesiser. Pure; any text gives one, whoever wrote it.
enum SpokenText {
  static func of(_ words: Translated, in language: Language) -> String { of(words.speech(in: language), in: language) }

  /// - Parameter text: of the catalogue, or a name that somebody gave.
  static func of(_ text: String, in language: Language) -> String {
    let lexicon = SpokenLexicon.of(language)
    var spoken: [String] = []
    var number: String?
    let tokens = text.split(whereSeparator: { $0.isWhitespace || $0 == "_" || $0 == "|" })
    for (index, token) in tokens.enumerated() {
      let (core, tail) = parted(token)
      if let number, let unit = lexicon.unit(core, behind: number) {
        spoken.append(unit + tail)
      } else if let word = word(core, lexicon, language) {
        // The point of an abbreviation ends no sentence, unless it stands where one ends.
        let isShort = tail.hasPrefix(".") && lexicon.isAbbreviation(core)
        spoken.append(word + (isShort && index + 1 < tokens.count ? String(tail.dropFirst()) : tail))
      } else if !tail.isEmpty, let last = spoken.popLast() {
        spoken.append(last + tail)
      }
      number = tail.isEmpty ? figure(core) : nil
    }
    return spoken.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// A word and the punctuation behind it; brackets and quotes are not said.
  private static func parted(_ token: Substring) -> (core: String, tail: String) {
    var core = token
    while let first = core.first, "(\"«[◀▶".contains(first) { core.removeFirst() }
    var tail = ""
    while let last = core.last, ".,:;!?)…\"»]◀▶".contains(last) {
      if ".,:;!?".contains(last) { tail = String(last) + tail }
      if last == "…" { tail = "." + tail }
      core.removeLast()
    }
    return (String(core), tail)
  }

  /// - Returns: `nil` for what is not said.
  private static func word(_ core: String, _ lexicon: SpokenLexicon, _ language: Language) -> String? {
    guard !core.isEmpty else { return nil }
    if let known = lexicon.word(core) { return known }
    if ["-", "–", "—", "+", "/", "·"].contains(core) { return nil }
    if let seconds = timer(core) { return SpokenAmounts.duration(seconds, in: language) }
    if core.hasPrefix("x"), let factor = figure(String(core.dropFirst())) { return lexicon.times(factor) }
    if core.hasPrefix("#") { return String(core.dropFirst()) }
    if let figure = figure(core) { return lexicon.signed(figure) }
    if core.hasSuffix("%"), let figure = figure(String(core.dropLast())) {
      return lexicon.signed(figure) + " " + (lexicon.unit("%", behind: figure) ?? "")
    }
    return days(core, lexicon) ?? span(core, lexicon) ?? core
  }

  /// A number with an optional sign, as it stands; `nil` if it is none.
  private static func figure(_ text: String) -> String? {
    let digits = text.drop { "+-−".contains($0) }
    guard digits.count >= text.count - 1, digits.first?.isASCII == true, digits.first?.isNumber == true,
      digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." || $0 == "," })
    else { return nil }
    return text
  }

  /// Seconds of `7m26s`, `1ч07м`.
  private static func timer(_ text: String) -> Double? {
    var (total, number, hasUnit, hasDigits) = (0, 0, false, false)
    for letter in text {
      if let digit = letter.isASCII ? letter.wholeNumberValue : nil {
        guard number < 100_000 else { return nil }
        number = number * 10 + digit
        hasDigits = true
        continue
      }
      guard hasDigits else { return nil }
      switch letter {
      case "h", "ч": total += number * 3600
      case "m", "м": total += number * 60
      case "s", "с": total += number
      default: return nil
      }
      (number, hasUnit, hasDigits) = (0, true, false)
    }
    return hasUnit && !hasDigits ? Double(total) : nil
  }

  /// `Mon-Fri`, `Mo,We,Fr`.
  private static func days(_ text: String, _ lexicon: SpokenLexicon) -> String? {
    let range = text.split(separator: "-").map { lexicon.day(String($0)) }
    if range.count == 2, let first = range[0], let last = range[1] { return "\(first) – \(last)" }
    let list = text.split(separator: ",").map { lexicon.day(String($0)) }
    guard !list.isEmpty, list.allSatisfy({ $0 != nil }) else { return nil }
    return list.compactMap { $0 }.joined(separator: ", ")
  }

  /// `06:30-08:00`.
  private static func span(_ text: String, _ lexicon: SpokenLexicon) -> String? {
    let ends = text.split(separator: "-", maxSplits: 1)
    guard ends.count == 2, ends.allSatisfy({ $0.contains(":") && $0.allSatisfy { $0.isNumber || $0 == ":" } })
    else { return nil }
    return "\(ends[0]) \(lexicon.until) \(ends[1])"
  }
}
