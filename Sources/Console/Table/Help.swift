extension CommandCatalogue {
  /// The list of words that somebody may use, one a line.
  ///
  /// - Parameter place: where they sit; nil: all of them.
  func overview(width: Int, for place: CallPlace? = nil) -> [String] {
    let words = self.words.filter { place?.allows($0) ?? true }
    let hidden = self.words.count - words.count
    let more =
      hidden > 0
      ? ["\(hidden) more are for those who log in, or for another role; \"help COMMAND\" tells which."] : []
    let column = (words.map { $0.name.count }.max() ?? 0) + 4
    let margin = String(repeating: " ", count: column)
    return words.flatMap {
      PeopleText.wrap($0.summary, width: width, first: PeopleText.pad("  " + $0.name, column), rest: margin)
    }
      + PeopleText.wrap(
        "\"help COMMAND\" tells more; TAB completes; the machine's methods, such as panel.press, work as well.",
        width: width) + more.flatMap { PeopleText.wrap($0, width: width) }
  }

  /// All about one word or method; `nil` if there is neither.
  func explanation(of name: String, width: Int) -> [String]? {
    guard let word = word(name) else { return nil }
    var lines =
      PeopleText.wrap("usage: \(word.usage)", width: width, rest: "  ")
      + PeopleText.wrap(word.summary + ".", width: width)
    if !word.aliases.isEmpty { lines.append("also: \(word.aliases.joined(separator: ", "))") }
    for argument in word.arguments {
      lines += Self.entry(argument.name.uppercased(), Self.sentence(argument), width: width)
    }
    if !word.discussion.isEmpty { lines += PeopleText.wrap(word.discussion, width: width) }
    guard let method = method(word.name) else {
      guard !word.methods.isEmpty else { return lines }
      return lines + PeopleText.wrap("calls: \(word.methods.joined(separator: ", "))", width: width, rest: "       ")
    }
    if let named = method.names { lines += Self.entry("NAME", Self.sentence(named), width: width) }
    lines += PeopleText.wrap("result: \(method.answer.outline)", width: width, rest: "  ")
    for line in method.answer.lines { lines += Self.entry(line.name, line.meaning, width: width) }
    return lines + PeopleText.wrap(method.row.conditions, width: width)
  }

  private static func entry(_ name: String, _ text: String, width: Int) -> [String] {
    PeopleText.wrap(
      text, width: width, first: PeopleText.pad("  " + name + " ", 12), rest: String(repeating: " ", count: 12))
  }

  static func sentence(_ parameter: Parameter) -> String {
    let fallback = parameter.fallback.map { "; \(PeopleText.plain($0)) if left out" } ?? ""
    return "\(parameter.summary) (\(parameter.expectation)\(fallback))"
  }
}

extension MethodRow {
  /// Who may call it, and what holds while something is being recorded, in a sentence.
  var conditions: String {
    let recording =
      switch whileRecording {
      case .allowed: "works while recording"
      case .queued: "comes after what is being recorded"
      case .refused: "is refused while recording"
      }
    return "least role: \(role.rawValue)\(isForAnybody ? ", or nobody" : ""); \(recording)"
  }
}
