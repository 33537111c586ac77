internal import Hardware
internal import JSON

/// Text messages of the dubbing protocol (PROTOCOL.md, "Text messages").
enum ServiceText: Hashable, Sendable {
  case hello(language: String, codecs: [String], inFlight: Int, resumeAfter: Int)
  case welcome(languages: [String], inFlight: Int)
  case segment(ServiceRequest, dueIn: Int)
  case ack(Int)
  case cancel(Int)
  case refused(sequence: Int, code: String, message: String)
  case languages([String])

  static let largestMessage = 64 << 10
  /// More languages than this are left out: the list is kept.
  private static let mostLanguages = 200

  /// Reads what a service says. Messages that only clients send are errors.
  init(parsing text: String) throws(ServiceFault) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: text, limits: JSONLimits(bytes: Self.largestMessage, depth: 8, values: 10_000))
    } catch {
      throw .text("\(error)")
    }
    guard let type = value["type"]?.stringValue else { throw .text("no type") }
    switch type {
    case "welcome":
      let version = try Self.integer("version", of: type, in: value)
      guard version == 1 else { throw .version(version) }
      let limit = try Self.integer("inFlight", of: type, in: value)
      guard limit >= 1 else { throw .member("inFlight", of: type) }
      self = .welcome(languages: try Self.languages(of: type, in: value), inFlight: min(2, limit))
    case "languages":
      self = .languages(try Self.languages(of: type, in: value))
    case "refused":
      guard let code = value["code"]?.stringValue else { throw .member("code", of: type) }
      self = .refused(
        sequence: try Self.integer("sequence", of: type, in: value), code: Self.words(code, most: 20),
        message: Self.words(value["message"]?.stringValue ?? "", most: 200))
    default:
      throw .text("unknown type \(Self.words(type, most: 20))")
    }
  }

  /// A service's words as they may stand in a line for people. A character may have any number of marks on it.
  private static func words(_ text: String, most: Int) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(most))).shown
  }

  private static func integer(_ name: String, of type: String, in value: JSONValue) throws(ServiceFault) -> Int {
    guard let number = value[name]?.integerValue else { throw .member(name, of: type) }
    return number
  }

  private static func languages(of type: String, in value: JSONValue) throws(ServiceFault) -> [String] {
    guard let names = value["languages"]?.arrayValue else { throw .member("languages", of: type) }
    // What is no language tag (RFC 5646) costs itself only: the others can be spoken all the same.
    return Array(names.lazy.compactMap(\.stringValue).filter(isTag).prefix(mostLanguages))
  }

  /// Subtags of 1 to 8 letters or digits, 35 characters in all.
  private static func isTag(_ name: String) -> Bool {
    let isPlain = name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
    }
    return isPlain && (2...35).contains(name.utf8.count)
      && name.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { (1...8).contains($0.count) }
  }

  /// The message.
  var text: String {
    let value: JSONValue =
      switch self {
      case .hello(let language, let codecs, let inFlight, let resumeAfter):
        [
          "type": "hello", "version": 1, "language": .string(language), "codecs": .array(codecs.map(JSONValue.string)),
          "inFlight": .integer(inFlight), "resumeAfter": .integer(resumeAfter),
        ]
      case .welcome(let languages, let inFlight):
        [
          "type": "welcome", "version": 1, "languages": .array(languages.map(JSONValue.string)),
          "inFlight": .integer(inFlight),
        ]
      case .segment(let request, let dueIn):
        [
          "type": "segment", "sequence": .integer(request.sequence), "pts": .integer(Int(request.pts)),
          "duration": .integer(request.duration), "dueIn": .integer(dueIn), "language": .string(request.language),
          "text": .string(request.text), "textLanguage": .string(request.textLanguage),
          "sound": .bool(!request.sound.isEmpty),
        ]
      case .ack(let sequence): ["type": "ack", "sequence": .integer(sequence)]
      case .cancel(let sequence): ["type": "cancel", "sequence": .integer(sequence)]
      case .refused(let sequence, let code, let message):
        [
          "type": "refused", "sequence": .integer(sequence), "code": .string(code), "message": .string(message),
        ]
      case .languages(let names): ["type": "languages", "languages": .array(names.map(JSONValue.string))]
      }
    return value.text
  }
}
