internal import Hardware

/// A value of a board file, after its type was checked.
enum BoardValue: Hashable, Sendable {
  case integer(Int)
  /// Only of settings.
  case real(Double)
  case text(String)
  case flag(Bool)
  case texts([String])
}

/// A row of the schema: one key that a board file may set, and all that is known about it.
struct BoardKey: Sendable {
  enum Kind: Sendable {
    case integer(ClosedRange<Int>)
    /// One of some numbers.
    case number([Int])
    /// Text of at most 255 bytes without control characters.
    case text
    /// One of some words.
    case choice([String])
    case flag
    /// Up to 16 texts.
    case texts
  }

  /// Full name; `*` stands for the names of its family: buttons, lamps, subsystems.
  let path: [String]
  let kind: Kind
  /// Unit of a number, else empty.
  let unit: String
  /// What holds where no file sets the key; nil where something must (or may) be set.
  let standard: BoardValue?
  /// What it means, for people.
  let meaning: String

  /// It lets somebody in, and is shown nowhere.
  var isSecret: Bool { path == ["operator", "password"] }

  init(_ path: String, _ kind: Kind, unit: String = "", default standard: BoardValue? = nil, _ meaning: String) {
    self.path = path.split(separator: ".").map(String.init)
    self.kind = kind
    self.unit = unit
    self.standard = standard
    self.meaning = meaning
  }

  /// Full name, with `*` where a family's name goes.
  var name: String { path.joined(separator: ".") }

  /// What a value must be: `a whole number from 8000 to 192000 (Hz)`.
  var expectation: String {
    let suffix = unit.isEmpty ? "" : " (\(unit))"
    switch kind {
    case .integer(let range): return "a whole number from \(range.lowerBound) to \(range.upperBound)\(suffix)"
    case .number(let numbers): return "one of " + numbers.map(String.init).joined(separator: ", ") + suffix
    case .text: return "a text of at most 255 bytes on one line"
    case .choice(let words): return "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
    case .flag: return "true or false"
    case .texts: return "a list of at most 16 texts"
    }
  }

  /// The value of `node` if it is what the row expects.
  func accept(_ node: TOMLNode) -> BoardValue? {
    switch (kind, node.value) {
    case (.integer(let range), .integer(let number)): return range.contains(number) ? .integer(number) : nil
    case (.number(let numbers), .integer(let number)): return numbers.contains(number) ? .integer(number) : nil
    case (.text, .text(let text)): return Self.isPlain(text) ? .text(text) : nil
    case (.choice(let words), .text(let text)): return words.contains(text) ? .text(text) : nil
    case (.flag, .flag(let flag)): return .flag(flag)
    case (.texts, .array(let nodes)):
      guard nodes.count <= 16 else { return nil }
      var texts: [String] = []
      for node in nodes {
        guard case .text(let text) = node.value, Self.isPlain(text), !text.isEmpty else { return nil }
        texts.append(text)
      }
      return .texts(texts)
    default: return nil
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.count <= 255 && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
  }
}

extension TOMLNode {
  /// What was found, for a message: `the text "48k"`.
  var finding: String {
    switch value {
    case .table: "a table"
    case .array(let nodes): "a list of \(nodes.count)"
    case .text(let text): "the text " + text.quoted
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .dateTime: "a date or time"
    }
  }
}
