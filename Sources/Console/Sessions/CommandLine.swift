internal import Appliance
internal import Hardware
internal import JSON

/// A line that a person has typed, as words: separated by blanks; `"…"` holds blanks, `\"` and `\\` within it. Other
/// backslashes are what they are: names of files have them, `Mein Cafe\xCC\x81.wav`.
struct CommandLine {
  let words: [String]
  /// The last word goes on: the line does not end with a blank.
  let isLastOpen: Bool
  /// Characters of the last word as they stand in the line, quotes and all; 0 if it does not go on.
  let typedCount: Int

  init(_ line: String) {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    var count = 0
    for character in line {
      count += 1
      if isEscaped {
        if character != "\"", character != "\\" { word = (word ?? "") + "\\" }
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
        count = 0
      } else {
        word = (word ?? "") + String(character)
      }
    }
    isLastOpen = word != nil
    typedCount = count
    if let word { words.append(word) }
    self.words = words
  }

  /// A setting that is shown nowhere, and a value for it, also as `key=lock.pin value=0042`; or what lets somebody in at an
  /// address.
  var holdsSecret: Bool {
    words.contains { word in
      let parts = word.split(separator: "=")
      let isNamed = parts.contains { Settings.row(of: String($0))?.kind.isSecret ?? false }
      return isNamed && (words.count > 2 || parts.count > 1) || HiddenAddress.text(word) != word
    }
  }

  /// The text as a word of a line.
  ///
  /// - Parameter isWhole: nothing more belongs to it.
  static func word(_ text: String, isWhole: Bool) -> String {
    guard text.contains(where: { " \t\"".contains($0) }) else { return text }
    let inner = text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined()
    return "\"\(inner)\(isWhole ? "\"" : "")"
  }

  /// The arguments of `word` as an object: in the order of its usage, or as `name=value`; flags as `--name`, too.
  static func arguments(_ words: [String], of word: WordDescription) throws(CommandFailure) -> JSONValue {
    var members: [String: JSONValue] = [:]
    var remaining = word.arguments[...]
    var index = 0
    while index < words.count {
      if let (argument, value) = named(words[index], word), members[argument.name] == nil {
        members[argument.name] = try argument.read([value])
        remaining.removeAll { $0.name == argument.name }
        index += 1
        continue
      }
      guard let argument = remaining.popFirst() else {
        guard !word.isConfidential else {
          throw CommandFailure(.badArgument, "there is too much on the line; usage: \(word.usage)")
        }
        throw CommandFailure(.badArgument, "\"\(words[index].prefix(40))\" is too much; usage: \(word.usage)")
      }
      let end = argument.takesTheRest ? words.count : index + 1
      members[argument.name] = try argument.read(Array(words[index..<end]))
      index = end
    }
    if let missing = remaining.first(where: { !$0.isOptional }) {
      throw CommandFailure(
        .badArgument, "\(missing.name.uppercased()) is missing, \(missing.expectation); usage: \(word.usage)")
    }
    return .object(members)
  }

  private static func named(_ text: String, _ word: WordDescription) -> (Parameter, String)? {
    // A flag may be given as on the command line: --follow.
    if text.hasPrefix("--"),
      let flag = word.arguments.first(where: { $0.kind == .flag && $0.name == text.dropFirst(2) })
    {
      return (flag, "on")
    }
    guard let equals = text.firstIndex(of: "=") else { return nil }
    guard let argument = word.arguments.first(where: { $0.name == text[..<equals] }) else { return nil }
    return (argument, String(text[text.index(after: equals)...]))
  }
}
