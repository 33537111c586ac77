internal import Hardware
public import JSON

/// One parameter of a command: its name, what values it takes and what it is for.
public struct Parameter: Sendable {
  public enum Kind: Sendable, Hashable {
    /// Text of at most this many bytes, not empty.
    case text(limit: Int)
    /// The same, or empty.
    case anyText(limit: Int)
    /// The same in one word.
    case word(limit: Int)
    /// Text, and nothing repeats it.
    case secret(limit: Int)
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag
    /// One of these words.
    case choice([String])
    /// An array of these words.
    case list([String])
    /// The id of a take: its file name in `recordings/`.
    case take
    /// A BCP 47 language tag.
    case language
    /// The id of a clip: its file name in `clips/`.
    case clip
    /// Ids of clips, two or more.
    case clips
    /// Ids of takes, one or more.
    case takes
    /// Texts of at most so many bytes each.
    case texts(limit: Int)
    /// The name of a setting.
    case settingKey
    /// The value of a setting: text, number or flag.
    case settingValue
    /// A fault in the words of scripts: `microphone unplug`.
    case fault
    /// A command's word or method.
    case command
  }

  public let name: String
  public let kind: Kind
  public let isOptional: Bool
  /// Filled in when the parameter is left out.
  public let fallback: JSONValue?
  /// One line for help.
  public let summary: String

  public init(
    _ name: String, _ kind: Kind, optional: Bool = false, default fallback: JSONValue? = nil, _ summary: String
  ) {
    self.name = name
    self.kind = kind
    isOptional = optional || fallback != nil
    self.fallback = fallback
    self.summary = summary
  }

  /// What values it takes, in words: `an integer from 1 to 60000`, `one of REC, STOP`.
  public var expectation: String {
    switch kind {
    case .text(let limit), .word(let limit), .secret(let limit): "text of 1 to \(limit) bytes"
    case .anyText(let limit): "text of at most \(limit) bytes"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "a number from \(brief(range.lowerBound)) to \(brief(range.upperBound))"
    case .flag: "true or false"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .list(let words): "a list of \(words.joined(separator: ", "))"
    case .take: "the id of a take"
    case .clip: "the id of a clip"
    case .language: "a language tag such as es or pt-BR"
    case .clips: "the ids of two to 100 clips"
    case .takes: "the ids of one to 1500 takes"
    case .texts(let limit): "texts of 1 to \(limit) bytes"
    case .settingKey: "the name of a setting"
    case .settingValue: "text of at most 2000 bytes, a number, true or false"
    case .fault: "a fault, such as \"microphone unplug\""
    case .command: "a command"
    }
  }

  /// What values it takes, as JSON Schema.
  var document: JSONValue {
    let length: JSONValue = ["type": "string", "minLength": 1, "maxLength": 255]
    let file: JSONValue = ["type": "string", "minLength": 1, "maxLength": .integer(KernelName.longestText)]
    var document: JSONValue =
      switch kind {
      case .text(let limit), .word(let limit): ["type": "string", "minLength": 1, "maxLength": .integer(limit)]
      case .anyText(let limit): ["type": "string", "maxLength": .integer(limit)]
      case .secret(let limit): ["type": "string", "minLength": 1, "maxLength": .integer(limit), "writeOnly": true]
      case .integer(let range):
        ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
      case .number(let range):
        ["type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
      case .flag: Schema.flag.document
      case .choice(let words): Schema.choice(words).document
      case .list(let words): Schema.array(.choice(words)).document
      case .clips: ["type": "array", "items": file, "minItems": 2, "maxItems": 100]
      case .takes: ["type": "array", "items": file, "minItems": 1, "maxItems": 1500]
      case .texts(let limit):
        ["type": "array", "items": ["type": "string", "minLength": 1, "maxLength": .integer(limit)], "maxItems": 100]
      case .language, .fault: Schema.text.document
      case .take, .clip: file
      case .settingKey, .command: length
      case .settingValue: Schema.scalar.document
      }
    document["default"] = fallback
    return document
  }

  /// Reads what a person has typed. Words are taken in any case; whether a value is allowed is for who reads it.
  func read(_ words: [String]) throws(CommandFailure) -> JSONValue {
    let text = words.joined(separator: " ")
    switch kind {
    // What a setting takes is known to whoever knows the setting: 0042 may be a PIN, and 007 a microphone.
    case .text, .anyText, .word, .secret, .take, .clip, .language, .settingKey, .settingValue, .command, .fault:
      return .string(text)
    case .clips, .takes, .texts: return .array(words.map { .string($0) })
    case .integer:
      if let value = Int(text) { return .integer(value) }
    case .number:
      if let value = Double(text), value.isFinite { return .number(value) }
    case .flag:
      if let value = Self.flags[text.lowercased()] { return .bool(value) }
    case .choice(let choices): return .string(canonical(text, of: choices))
    case .list(let choices):
      let items = words.flatMap { $0.split(separator: ",") }
      return .array(items.map { .string(canonical(String($0), of: choices)) })
    }
    throw CommandFailure(.badArgument, "\(name) has to be \(expectation), not \"\(text)\"")
  }

  /// Whether what is given is to be repeated nowhere.
  var isSecret: Bool { if case .secret = kind { true } else { false } }

  /// Whether people name takes or clips in it.
  var namesRecordings: Bool {
    switch kind {
    case .take, .takes, .clip, .clips: true
    default: false
    }
  }

  /// Whether it takes all words to the end of the line.
  var takesTheRest: Bool {
    switch kind {
    case .text, .anyText, .secret, .list, .clips, .takes, .texts, .fault, .settingValue: true
    default: false
    }
  }

  private static let flags = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false]
}

/// The word of `choices` that equals `text` but for case, else `text` itself.
func canonical(_ text: String, of choices: [String]) -> String {
  choices.first { $0 == text } ?? choices.first { $0.lowercased() == text.lowercased() } ?? text
}

/// A number without a needless `.0`.
func brief(_ number: Double) -> String {
  Int(exactly: number).map(String.init) ?? number.description
}

/// At most 40 characters of a value, for messages.
func excerpt(_ value: JSONValue) -> String {
  let text = if case .number(let number) = value { brief(number) } else { value.text }
  return text.count <= 40 ? text : text.prefix(37) + "..."
}
