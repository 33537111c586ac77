internal import Appliance
internal import Hardware
internal import JSON

/// Reads single lines of scripts.
struct ScriptParser {
  let table: CommandCatalogue

  private static let actions = ["press", "hold", "mark", "fault", "expect", "screen", "picture", "call", "quit"]
  private static let subjects = ["mode", "led", "locked", "screen", "notice", "takes"]

  /// The action of a line; `nil` for an empty one.
  func line(_ text: String, number: Int) throws(Complaint) -> ScriptLine? {
    let content = Self.trimmed(Self.withoutComment(text))
    guard !content.isEmpty else { return nil }
    let (time, rest) = Self.firstWord(content)
    guard let at = Seconds.parse(time) else {
      throw Complaint("expected a time in seconds such as 0.5\(Self.found(time))")
    }
    let (verb, arguments) = Self.firstWord(rest)
    let action = try action(String(verb), arguments)
    return ScriptLine(number: number, at: at, action: action, text: String(rest))
  }

  private func action(_ verb: String, _ rest: Substring) throws(Complaint) -> ScriptAction {
    let words = rest.split(whereSeparator: Self.isBlank)
    switch verb {
    case "press":
      try expect(words.count == 1, "one key after \"press\"", words.dropFirst().first)
      return .press(try button(words[0]))
    case "hold":
      try expect(words.count == 2, "a key and seconds after \"hold\", such as LOCK 2.0", words.dropFirst(2).first)
      guard let duration = Seconds.parse(words[1]), duration > .zero else {
        throw Complaint("expected seconds such as 2.0\(Self.found(words[1]))")
      }
      return .hold(try button(words[0]), duration)
    case "mark": return .mark(title: rest.isEmpty ? nil : String(rest))
    case "fault":
      do {
        return .fault(try FaultGrammar.parse(rest))
      } catch {
        throw Complaint(error.description)
      }
    case "expect": return .expect(try expectation(words))
    case "screen":
      try expect(!rest.isEmpty, "the name of a PNG file after \"screen\"", nil)
      return .screen(path: String(rest))
    case "picture":
      try expect(!rest.isEmpty, "the name of a PNG file after \"picture\"", nil)
      return .picture(path: String(rest))
    case "call": return .call(try call(rest))
    case "quit":
      try expect(words.isEmpty, "nothing after \"quit\"", words.first)
      return .quit
    default:
      throw Complaint("expected one of \(Self.actions.joined(separator: ", "))\(Self.found(verb))")
    }
  }

  private func expectation(_ words: [Substring]) throws(Complaint) -> Expectation {
    let subject = words.first.map(String.init) ?? ""
    guard Self.subjects.contains(subject) else {
      throw Complaint("expected one of \(Self.subjects.joined(separator: ", ")) after \"expect\"\(Self.found(subject))")
    }
    let count = subject == "led" ? 3 : 2
    let form = subject == "led" ? "a lamp and a word, such as REC on," : "one word"
    try expect(words.count == count, "\(form) after \"expect \(subject)\"", words.dropFirst(count).first)
    let value = String(words[count - 1])
    switch subject {
    case "mode": return .mode(try mode(value))
    case "led":
      guard let lamp = Lamp.lights.first(where: { $0.rawValue == words[1].uppercased() }) else {
        throw Complaint(
          "expected one of the lamps \(Lamp.lights.map(\.rawValue).joined(separator: ", "))\(Self.found(words[1]))")
      }
      return .led(lamp, value)
    case "locked":
      guard value == "yes" || value == "no" else { throw Complaint("expected yes or no\(Self.found(value))") }
      return .locked(value == "yes")
    case "screen": return .screen(value)
    case "notice": return .notice(value == "none" ? nil : value)
    default:
      guard let takes = Int(value), takes >= 0 else {
        throw Complaint("expected a number of takes\(Self.found(value))")
      }
      return .takes(takes)
    }
  }

  /// What `panel.state` may say of the mode.
  private func mode(_ name: String) throws(Complaint) -> String {
    let known =
      (Activity.allCases.map(\.rawValue) + ["files", "options"]).map { "dictaphone.\($0)" }
      + ClipActivity.allCases.map { "clips.\($0.rawValue)" } + DubActivity.allCases.map { "dub.\($0.rawValue)" }
      + FeedActivity.allCases.map { "feed.\($0.rawValue)" }
    guard known.contains(name) else {
      throw Complaint("expected a mode, one of \(known.joined(separator: ", "))\(Self.found(name))")
    }
    return name
  }

  private func call(_ rest: Substring) throws(Complaint) -> CommandRequest {
    let (method, json) = Self.firstWord(rest)
    guard table.method(String(method)) != nil else {
      try expect(!method.isEmpty, "a method such as library.list after \"call\"", nil)
      throw Complaint(table.refusal(String(method)).message)
    }
    guard !json.isEmpty else { return CommandRequest(String(method)) }
    let parameters: JSONValue
    do {
      parameters = try JSONValue(parsing: json)
    } catch {
      throw Complaint("the parameters are not JSON: \(error.description)")
    }
    guard parameters.objectValue != nil || parameters.arrayValue != nil else {
      throw Complaint("expected parameters as a JSON object, found \(parameters.kindName)")
    }
    return CommandRequest(String(method), parameters)
  }

  private func button(_ word: Substring) throws(Complaint) -> Button {
    guard let button = Button.allCases.first(where: { $0.rawValue == word.uppercased() }) else {
      throw Complaint(
        "expected one of the keys \(Button.allCases.map(\.rawValue).joined(separator: ", "))\(Self.found(word))")
    }
    return button
  }

  private func expect(_ condition: Bool, _ what: String, _ instead: Substring?) throws(Complaint) {
    if !condition { throw Complaint("expected \(what)\(instead.map(Self.found) ?? "")") }
  }

  private static func found(_ word: some StringProtocol) -> String {
    word.isEmpty ? "" : ", found \"\(word.prefix(40).shown)\""
  }

  /// The part before a `#` that begins a word; within the JSON of a `call` a `#` between quotation marks is text.
  private static func withoutComment(_ text: String) -> Substring {
    let words = text.split(maxSplits: 2, whereSeparator: isBlank)
    let hasStrings = words.count == 3 && words[1] == "call"
    var previous: Character = " "
    var isQuoted = false
    var isEscaped = false
    for index in text.indices {
      let character = text[index]
      if character == "#", !isQuoted, isBlank(previous) { return text[..<index] }
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if hasStrings, character == "\"" {
        isQuoted.toggle()
      }
      previous = character
    }
    return text[...]
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t" || character == "\r" || character == "\r\n"
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }

  private static func firstWord(_ text: Substring) -> (Substring, Substring) {
    let word = text.prefix { !isBlank($0) }
    return (word, text.dropFirst(word.count).drop(while: isBlank))
  }
}
