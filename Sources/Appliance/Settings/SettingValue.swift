internal import Hardware
internal import Sealing

/// The value of a setting, as typed on the console or kept in `settings.json`.
public enum SettingValue: Hashable, Sendable {
  case integer(Int)
  case number(Double)
  case text(String)
  case flag(Bool)

  /// Of a number.
  var amount: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .text, .flag: nil
    }
  }
}

extension SettingValue: CustomStringConvertible {
  /// The value as people type it: `192`, `1.5`, `wav`, `on`.
  public var description: String {
    switch self {
    case .integer(let value): String(value)
    case .number(let value): String(value)
    case .text(let value): value
    case .flag(let value): value ? "on" : "off"
    }
  }
}

/// What values a setting takes.
public enum SettingKind: Hashable, Sendable {
  case integer(ClosedRange<Int>)
  /// One of a few whole numbers, in ascending order.
  case integerChoice([Int])
  case choice([String])
  case number(ClosedRange<Double>)
  case flag
  /// A BCP 47 language tag such as `en` or `pt-BR` (`Languages.isTag`).
  case languageTag
  /// The absolute address of something, with one of these schemes; or empty.
  case address(schemes: [String])
  /// Addresses with blanks between them, each of which may have `Name=` before it; or empty. At most 2000 bytes.
  case addresses(schemes: [String])
  /// The absolute path of a file; or empty.
  case path
  /// A text of a form of its own.
  case form(SettingForm)
  /// Up to 1000 printable ASCII characters without blanks, never shown again; or empty.
  case secret
  /// Digits to be entered on the panel, never shown again; or empty.
  case pin

  /// The permitted values for people and for error messages: `0…60`, `aac|wav`, `on|off`.
  public var allowed: String {
    switch self {
    case .integer(let range): "\(range.lowerBound)…\(range.upperBound)"
    case .integerChoice(let values): values.map(String.init).joined(separator: "|")
    case .choice(let values): values.joined(separator: "|")
    case .number(let range): "\(range.lowerBound)…\(range.upperBound)"
    case .flag: "on|off"
    case .languageTag: "a language tag such as en or pt-BR"
    case .address(let schemes): "an address with \(schemes.map { $0 + "://" }.joined(separator: ", ")), or nothing"
    case .addresses(let schemes):
      "Name=address or addresses with \(schemes.map { $0 + "://" }.joined(separator: ", ")), or nothing"
    case .path: "the absolute path of a file, or nothing"
    case .form(let form): form.allowed
    case .secret: "up to 1000 letters, digits and signs without blanks, or nothing"
    case .pin: "\(PinGate.lengths.lowerBound) to \(PinGate.lengths.upperBound) digits, or nothing"
    }
  }

  /// Whether there may be something in it that lets somebody in.
  var isOfAddresses: Bool {
    switch self {
    case .address, .addresses: true
    default: false
    }
  }

  /// Whether nothing of it may be shown.
  public var isSecret: Bool { self == .secret || self == .pin }

  /// All words of an enumeration.
  static func words<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> SettingKind {
    .choice(Word.allCases.map(\.rawValue))
  }

  /// The words that people may type for it; none for free text and ranges of numbers.
  var words: [String] {
    switch self {
    case .choice(let words): words
    case .integerChoice(let numbers): numbers.map(String.init)
    case .flag: ["on", "off"]
    case .languageTag: DubState.spokenLanguages
    case .form(.zone): ZoneNames.all
    case .integer, .number, .address, .addresses, .path, .form, .secret, .pin: []
    }
  }

  /// What a value comes to in this kind's own type.
  enum Reading: Equatable {
    case value(SettingValue)
    case outOfRange
    case wrongType
  }

  /// Reads a value leniently where nothing is lost by it: `"48000"`, `48000.0` and `48000` are the same number,
  /// and a word is a flag when it says on or off.
  func read(_ value: SettingValue) -> Reading {
    switch self {
    case .integer(let range):
      guard let number = Self.integer(value) else { return .wrongType }
      return range.contains(number) ? .value(.integer(number)) : .outOfRange
    case .integerChoice(let values):
      guard let number = Self.integer(value) else { return .wrongType }
      return values.contains(number) ? .value(.integer(number)) : .outOfRange
    case .choice(let values):
      guard case .text(let word) = value else { return .wrongType }
      return values.contains(word) ? .value(.text(word)) : .outOfRange
    case .number(let range):
      guard let number = Self.number(value) else { return .wrongType }
      return range.contains(number) ? .value(.number(number)) : .outOfRange
    case .flag:
      if case .flag = value { return .value(value) }
      guard case .text(let word) = value else { return .wrongType }
      switch word.lowercased() {
      case "on", "true", "yes": return .value(.flag(true))
      case "off", "false", "no": return .value(.flag(false))
      default: return .wrongType
      }
    case .languageTag:
      guard case .text(let tag) = value else { return .wrongType }
      return Languages.isTag(tag) ? .value(.text(tag)) : .outOfRange
    case .address(let schemes):
      guard case .text(let text) = value else { return .wrongType }
      return text.isEmpty || AddressSyntax.isAbsolute(text, schemes: schemes) ? .value(.text(text)) : .outOfRange
    case .addresses:
      guard case .text(let text) = value else { return .wrongType }
      return text.utf8.count <= 2000 && DubSource.streams(in: text) != nil ? .value(.text(text)) : .outOfRange
    case .path:
      guard case .text(let text) = value else { return .wrongType }
      let isPath = text.hasPrefix("/") && text.utf8.count <= 1000 && !text.utf8.contains { $0 < 32 }
      return text.isEmpty || isPath ? .value(.text(text)) : .outOfRange
    case .form(let form):
      guard case .text(let text) = value else { return .wrongType }
      return form.canonical(text).map { .value(.text($0)) } ?? .outOfRange
    case .secret:
      // What is shown of it is no secret, and does not become one by being set again.
      guard case .text(let text) = value else { return .wrongType }
      let isPlain = text.utf8.count <= 1000 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      return isPlain && text != Self.hiddenSecret ? .value(.text(text)) : .outOfRange
    case .pin:
      // Of a number the zeros in front of it are lost.
      guard case .text(let text) = value else { return .wrongType }
      return text.isEmpty || PinGate.isPin(text) ? .value(.text(text)) : .outOfRange
    }
  }

  /// What stands for a secret that is set.
  static let hiddenSecret = "********"

  private static func integer(_ value: SettingValue) -> Int? {
    switch value {
    case .integer(let number): number
    case .number(let number): Int(exactly: number)
    case .text(let digits): Int(digits) ?? Double(digits).flatMap { Int(exactly: $0) }
    case .flag: nil
    }
  }

  private static func number(_ value: SettingValue) -> Double? {
    if case .text(let digits) = value { Double(digits) } else { value.amount }
  }
}

/// Texts that are more than words, and whose form somebody else knows.
public enum SettingForm: Hashable, Sendable {
  case zone
  case place
  case schedules
  case sources
  case recipients

  var allowed: String {
    switch self {
    case .zone: "a zone such as Europe/Berlin, or its POSIX rule such as CET-1CEST,M3.5.0,M10.5.0/3"
    case .place: "latitude and longitude in degrees, north and east positive, such as 52.52,13.40, or nothing"
    case .schedules: "up to 16 schedules with ; between them, such as 1 on mon-fri sunrise-30 09:00 every 15 for 2"
    case .sources:
      "up to \(MicrophoneOrder.most) names of microphones with commas between, such as Device,board, or nothing"
    case .recipients: "up to \(AgeRecipient.most) keys age1… of age-keygen with commas between, or nothing"
    }
  }

  private static func sources(_ text: String) -> String? {
    var names: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      var name = part.drop { $0 == " " }
      while name.last == " " { name.removeLast() }
      guard !name.isEmpty || text.isEmpty, name.utf8.count <= 64, !name.utf8.contains(where: { $0 < 32 || $0 == 127 })
      else { return nil }
      if !name.isEmpty, !names.contains(String(name)) { names.append(String(name)) }
    }
    return names.count <= MicrophoneOrder.most ? names.joined(separator: ",") : nil
  }

  /// The text as it is kept; nil if it is none.
  func canonical(_ text: String) -> String? {
    guard text.utf8.count <= 2000 else { return nil }
    switch self {
    case .zone: return Zone(text) == nil ? nil : text
    case .place: return text.isEmpty || Place(text) != nil ? text : nil
    case .schedules: return Schedules(text)?.text
    case .sources: return Self.sources(text)
    case .recipients: return AgeRecipient.list(text).map { $0.map(\.text).joined(separator: ",") }
    }
  }
}

/// Why a setting was refused: which one, what was asked, and what would be taken.
public enum SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownKey(String)
  case wrongType(key: String, value: SettingValue, allowed: String)
  case outOfRange(key: String, value: SettingValue, allowed: String)
  /// A value of the contract that this firmware cannot honour yet; taking it would be a lie.
  case unsupported(key: String, value: SettingValue, allowed: String)
  /// It cannot be so beside what another setting says.
  case excluded(key: String, by: String, hint: String)
  /// What is hidden of an address was given, and no such address is kept.
  case hidden(key: String)
  /// The board has not the keys that it is for.
  case noKeys(key: String, missing: String)

  /// The console's error code.
  public var code: String {
    switch self {
    case .unknownKey, .wrongType, .outOfRange, .excluded, .hidden: "bad-argument"
    case .unsupported, .noKeys: "unsupported"
    }
  }

  public var description: String {
    switch self {
    case .unknownKey(let key):
      "there is no setting '\(key)'; list them with 'settings'"
    case .wrongType(let key, let value, let allowed):
      "\(key) cannot be '\(value)': expected \(allowed)"
    case .outOfRange(let key, let value, let allowed):
      "\(key) cannot be \(value): allowed is \(allowed)"
    case .unsupported(let key, let value, let allowed):
      "\(key) = \(value) is not in this firmware; it takes \(allowed)"
    case .excluded(let key, let other, let hint):
      "\(key) cannot be set beside \(other), for what the device cannot read it cannot vouch for: \(hint)"
    case .hidden(let key):
      "\(key): \(HiddenAddress.mark) stands for what is not shown of an address, and none like this is kept; give all of it"
    case .noKeys(let key, let missing):
      "\(key) cannot be set: this board has no \(missing), and nobody could unlock the panel"
    }
  }
}
