internal import JSON

/// A line that a person has typed, as words: separated by blanks; `"…"` holds blanks, `\"` and `\\` within it.
struct CommandLine {
  let words: [String]
  /// The last word goes on: the line does not end with a blank.
  let isLastOpen: Bool

  init(_ line: String) {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
        word = word ?? ""
      } else if !isQuoted, character == " " || character == "\t" {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    isLastOpen = word != nil
    if let word { words.append(word) }
    self.words = words
  }

  /// The arguments of `word` as an object: in the order of its usage, or as `name=value`.
  static func arguments(_ words: [String], of word: Word) throws(CommandFailure) -> JSONValue {
    var members: [String: JSONValue] = [:]
    var remaining = word.arguments[...]
    var index = 0
    while index < words.count {
      if let (argument, value) = named(words[index], word), members[argument.name] == nil {
        members[argument.name] = try read([value], argument, word)
        remaining.removeAll { $0.name == argument.name }
        index += 1
        continue
      }
      guard let argument = remaining.popFirst() else {
        throw CommandFailure(.badArgument, "\"\(words[index].prefix(40))\" is too much; usage: \(word.usage)")
      }
      let end = argument.takesTheRest ? words.count : index + 1
      members[argument.name] = try read(Array(words[index..<end]), argument, word)
      index = end
    }
    if let missing = remaining.first(where: { !$0.isOptional }) {
      throw CommandFailure(
        .badArgument, "\(missing.name.uppercased()) is missing, \(missing.expectation); usage: \(word.usage)")
    }
    for argument in word.arguments where members[argument.name] == nil { members[argument.name] = argument.fallback }
    return .object(members)
  }

  private static func read(
    _ words: [String], _ argument: Parameter, _ word: Word
  ) throws(CommandFailure) -> JSONValue {
    let value = try argument.read(words)
    try argument.check(value, of: word.name)
    return value
  }

  private static func named(_ text: String, _ word: Word) -> (Parameter, String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    guard let argument = word.arguments.first(where: { $0.name == text[..<equals] }) else { return nil }
    return (argument, String(text[text.index(after: equals)...]))
  }
}
