extension CommandCatalogue {
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
      "prompt until session.human. \\(lqmynah console \\-\\-schema\\(rq prints all of this for programs.",
    ]
    for method in methods { lines += Self.section(method) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(_ method: MethodDescription) -> [String] {
    let list =
      method.parameters.map { $0.isOptional ? "\($0.name)?" : $0.name }
      + (method.names == nil ? [] : ["name: value, ..."])
    var lines = [
      ".TP", ".B " + Roff.text(method.method + (list.isEmpty ? "" : " {\(list.joined(separator: ", "))}")),
      Roff.text(capitalised(method.row.summary)) + ".",
    ]
    for parameter in method.parameters {
      lines += [".br", Roff.text("\(parameter.name): \(sentence(parameter))") + "."]
    }
    if let names = method.names { lines += [".br", Roff.text("name: \(sentence(names))") + "."] }
    lines += [".br", Roff.text("Result: \(method.answer.outline)") + "."]
    for line in method.answer.lines { lines += [".br", Roff.text("\(line.name): \(line.meaning)") + "."] }
    if !method.row.discussion.isEmpty { lines += [".br", Roff.text(method.row.discussion)] }
    return lines + [".br", Roff.text(capitalised(method.row.conditions)) + "."]
  }

  private static func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
