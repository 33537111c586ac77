extension CommandTable {
  /// The list of words, one a line.
  func overview(width: Int) -> [String] {
    let column = (words.map { $0.name.count }.max() ?? 0) + 4
    let margin = String(repeating: " ", count: column)
    return words.flatMap {
      PeopleText.wrap($0.summary, width: width, first: PeopleText.pad("  " + $0.name, column), rest: margin)
    }
      + PeopleText.wrap(
        "\"help COMMAND\" tells more; TAB completes; the machine's methods, such as panel.press, work as well.",
        width: width)
  }

  /// All about one word or method; `nil` if there is neither.
  func explanation(of name: String, width: Int) -> [String]? {
    guard let word = word(name) else { return nil }
    var lines = ["usage: \(word.usage)"] + PeopleText.wrap(word.summary + ".", width: width)
    if !word.aliases.isEmpty { lines.append("also: \(word.aliases.joined(separator: ", "))") }
    for argument in word.arguments {
      lines += PeopleText.wrap(
        Self.sentence(argument), width: width, first: PeopleText.pad("  " + argument.name.uppercased(), 12),
        rest: String(repeating: " ", count: 12))
    }
    if !word.discussion.isEmpty { lines += PeopleText.wrap(word.discussion, width: width) }
    if word.methods != [word.name] {
      lines += PeopleText.wrap("calls: \(word.methods.joined(separator: ", "))", width: width, rest: "       ")
    } else if let definition = definition(word.name) {
      lines += PeopleText.wrap("result: \(definition.result)", width: width, rest: "  ")
    }
    return lines
  }

  static func sentence(_ parameter: Parameter) -> String {
    let fallback = parameter.fallback.map { "; \(PeopleText.plain($0)) if left out" } ?? ""
    return "\(parameter.summary) (\(parameter.expectation)\(fallback))"
  }

  /// The sections of the manual page that describe the console, in roff (man(7)).
  public func manPageSection() -> String {
    var lines = [".SH CONSOLE COMMANDS", "At the prompt of a serial line or of \\(lqmynah console\\(rq:"]
    for word in words {
      lines += [".TP", ".B " + Roff.text(word.usage), Roff.text(Self.capitalised(word.summary)) + "."]
      for argument in word.arguments {
        lines += [".br", Roff.text("\(argument.name.uppercased()): \(Self.sentence(argument))") + "."]
      }
      if !word.discussion.isEmpty { lines += [".br", Roff.text(word.discussion)] }
    }
    lines += [
      ".SH CONSOLE METHODS",
      "A line that begins with { is a JSON\\-RPC 2.0 request; the answer is one line, and there is neither echo nor",
      "prompt until session.human.",
    ]
    for definition in definitions {
      let parameters = definition.parameters.map { $0.isOptional ? "\($0.name)?" : $0.name }
      let list = parameters + (definition.isOpen ? ["name: value, ..."] : [])
      lines += [
        ".TP", ".B " + Roff.text(definition.method + (list.isEmpty ? "" : " {\(list.joined(separator: ", "))}")),
        Roff.text(Self.capitalised(definition.summary)) + ".",
      ]
      for parameter in definition.parameters {
        lines += [".br", Roff.text("\(parameter.name): \(Self.sentence(parameter))") + "."]
      }
      lines += [".br", Roff.text("Result: \(definition.result)") + "."]
      if !definition.discussion.isEmpty { lines += [".br", Roff.text(definition.discussion)] }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
