/// Names of takes and clips for people.
public enum TakeNames {
  /// `Take 42` of `000042_2026-11-20T21-54-00Z`, which is what a take is called until somebody names it, and `Clip 43` in
  /// the language; a name that somebody gave is left as it is.
  public static func shown(_ name: String, in language: Language = .english) -> String {
    if language != .english, name.hasPrefix("Clip "), let number = Int(name.dropFirst(5)) {
      return clip(number, in: language)
    }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count >= 6, parts[0].allSatisfy(\.isNumber), isTime(parts[1]),
      let number = Int(parts[0])
    else { return name }
    return take(number, in: language)
  }

  /// What a take is called until somebody names it.
  public static func take(_ number: Int, in language: Language) -> String {
    Translated("Take \(number)", "Запись \(number)").text(in: language)
  }

  /// What a clip is called.
  public static func clip(_ number: Int, in language: Language) -> String {
    Translated("Clip \(number)", "Клип \(number)").text(in: language)
  }

  /// Whether it is like `2026-11-20T21-54-00Z`.
  private static func isTime(_ text: Substring) -> Bool {
    let shape = "0000-00-00T00-00-00Z"
    return text.count == shape.count
      && zip(text, shape).allSatisfy { $1 == "0" ? $0.isNumber : $0 == $1 }
  }
}
