internal import Hardware

/// One row of the table of settings: all that is known of a setting. Options menu, console, completion, `settings.json`
/// and the manual's table come from these.
public struct Setting: Sendable {
  /// Which values of `kind` this firmware honours.
  public enum Support: Hashable, Sendable {
    case full
    /// The default only: what the setting steers is not built.
    case defaultOnly
  }

  /// Dotted name, stable: tests and scripts rely on it.
  public let key: String
  public let kind: SettingKind
  public let defaultValue: SettingValue
  /// One line for people, with the unit.
  public let summary: String
  /// From when on a change is felt.
  public let timing: SettingTiming
  /// What has to be told of a change; nothing where the machine and the screens look at the settings themselves.
  public let users: SettingUsers
  public let support: Support
  /// The property of `Settings` behind it.
  let property: any PartialKeyPath<Settings> & Sendable
  /// How the options menu shows it, where it does.
  let menu: SettingMenu?
  private let read: @Sendable (Settings) -> SettingValue
  private let write: @Sendable (inout Settings, SettingValue) -> Void

  init<Value: SettingType>(
    _ key: String, _ property: any WritableKeyPath<Settings, Value> & Sendable, _ kind: SettingKind, _ summary: String,
    _ timing: SettingTiming, _ users: SettingUsers = [], support: Support = .full, menu: SettingMenu? = nil
  ) {
    self.key = key
    self.property = property
    self.kind = kind
    self.summary = summary
    self.timing = timing
    self.users = users
    self.support = support
    self.menu = menu
    read = { $0[keyPath: property].settingValue }
    write = { settings, value in
      if let value = Value(settingValue: value) { settings[keyPath: property] = value }
    }
    defaultValue = Settings()[keyPath: property].settingValue
  }

  /// The values that are taken now, for people.
  public var allowed: String {
    switch (support, kind) {
    case (.defaultOnly, _): defaultValue.description
    default: kind.allowed
    }
  }

  /// The words that are taken now; none for a setting that takes numbers or free text.
  public var words: [String] {
    let all = kind.words
    switch support {
    case .full: return all
    case .defaultOnly: return all.isEmpty ? [] : [defaultValue.description]
    }
  }

  /// All values that are taken, where they are few; the steps of a row in the options menu.
  var steps: [SettingValue] {
    switch kind {
    case .choice: words.map { .text($0) }
    case .integerChoice(let numbers): numbers.map { .integer($0) }
    case .flag: [.flag(false), .flag(true)]
    case .form(.zone): words.map { .text($0) }
    case .integer, .number, .languageTag, .address, .addresses, .path, .form, .secret, .pin: []
    }
  }

  /// The value in some settings: for whoever keeps or obeys it.
  public func value(in settings: Settings) -> SettingValue { read(settings) }

  /// The value as it may be shown, told and logged: of a secret only whether there is one, of an address nothing that lets
  /// somebody in.
  public func shown(in settings: Settings) -> SettingValue { hidden(read(settings)) }

  /// A value that somebody has given, as it may be written down: it may be none that is taken.
  public func told(_ value: SettingValue) -> SettingValue { refused(value) }

  /// A value of this setting as it may be shown.
  public func shown(_ value: SettingValue) -> SettingValue { hidden(value) }

  private func hidden(_ value: SettingValue) -> SettingValue {
    guard value != .text("") else { return value }
    // A number may have been meant as one.
    if kind.isSecret { return .text(SettingKind.hiddenSecret) }
    guard kind.isOfAddresses, case .text(let text) = value else { return value }
    return .text(HiddenAddress.text(text))
  }

  /// Puts a value into settings, if it is one that is taken. On an error nothing has changed.
  func put(_ value: SettingValue, into settings: inout Settings) throws(SettingError) {
    // A refusal is shown and logged: a secret is not repeated in it.
    let told = refused(value)
    switch kind.read(try whole(value, in: settings)) {
    case .wrongType: throw .wrongType(key: key, value: told, allowed: allowed)
    case .outOfRange: throw .outOfRange(key: key, value: told, allowed: allowed)
    case .value(let own):
      guard supports(own) else { throw .unsupported(key: key, value: told, allowed: allowed) }
      write(&settings, own)
    }
  }

  /// A value that is refused: of what is no address nobody knows what in it is secret.
  private func refused(_ value: SettingValue) -> SettingValue {
    guard case .text(let text) = hidden(value), kind.isOfAddresses else { return hidden(value) }
    let mayHide = text.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return .text(mayHide ? HiddenAddress.mark : text)
  }

  /// A value in which what was hidden when it was shown is what it is.
  private func whole(_ value: SettingValue, in settings: Settings) throws(SettingError) -> SettingValue {
    guard kind.isOfAddresses, case .text(let given) = value, case .text(let kept) = read(settings) else { return value }
    guard let whole = HiddenAddress.restored(given, from: kept) else { throw .hidden(key: key) }
    return .text(whole)
  }

  private func supports(_ value: SettingValue) -> Bool {
    switch support {
    case .full: true
    case .defaultOnly: value == defaultValue
    }
  }
}

/// From when on a change of a setting is felt.
public enum SettingTiming: String, Hashable, Sendable, CaseIterable {
  case atOnce = "at once"
  case nextTake = "next take"
  /// A clip that is open goes on with those it began with.
  case nextClip = "next clip"
  /// What plays goes on with the connections it has.
  case nextConnection = "next connection"
}

/// Who is told when a setting changes.
public struct SettingUsers: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The recorder, and the microphone's history.
  public static let recorder = SettingUsers(rawValue: 1 << 0)
  /// The ring of pictures, and what makes clips.
  public static let clips = SettingUsers(rawValue: 1 << 1)
  /// The player of dubs, its network and its pictures.
  public static let dub = SettingUsers(rawValue: 1 << 2)
  /// What makes room for new clips.
  public static let retention = SettingUsers(rawValue: 1 << 3)
  /// The log.
  public static let log = SettingUsers(rawValue: 1 << 4)
  /// The player of takes and clips.
  public static let player = SettingUsers(rawValue: 1 << 5)

  /// What begins takes by itself.
  public static let schedules = SettingUsers(rawValue: 1 << 6)

  /// What settles the rate of microphone and speaker.
  public static let session = SettingUsers(rawValue: 1 << 7)

  /// What the feed keeps on the card.
  public static let feed = SettingUsers(rawValue: 1 << 8)

  /// What signs takes and clips.
  public static let proofs = SettingUsers(rawValue: 1 << 9)

  public static let all: SettingUsers = [
    .recorder, .clips, .dub, .retention, .log, .player, .schedules, .session, .feed, .proofs,
  ]
}

/// A type that settings can have.
protocol SettingType: Sendable {
  var settingValue: SettingValue { get }
  /// `nil` for a value of another type.
  init?(settingValue: SettingValue)
}

extension Int: SettingType {
  var settingValue: SettingValue { .integer(self) }
  init?(settingValue: SettingValue) {
    guard case .integer(let number) = settingValue else { return nil }
    self = number
  }
}

extension Double: SettingType {
  var settingValue: SettingValue { .number(self) }
  init?(settingValue: SettingValue) {
    guard case .number(let number) = settingValue else { return nil }
    self = number
  }
}

extension Bool: SettingType {
  var settingValue: SettingValue { .flag(self) }
  init?(settingValue: SettingValue) {
    guard case .flag(let flag) = settingValue else { return nil }
    self = flag
  }
}

extension String: SettingType {
  var settingValue: SettingValue { .text(self) }
  init?(settingValue: SettingValue) {
    guard case .text(let text) = settingValue else { return nil }
    self = text
  }
}

extension SettingType where Self: RawRepresentable, RawValue == String {
  var settingValue: SettingValue { .text(rawValue) }
  init?(settingValue: SettingValue) {
    guard case .text(let word) = settingValue else { return nil }
    self.init(rawValue: word)
  }
}

extension RecordingFormat: SettingType {}
extension VoiceOperation: SettingType {}
extension AutomaticMarks: SettingType {}
extension SourceReturn: SettingType {}
extension ExportFormat: SettingType {}
extension Skip: SettingType {}
extension Language: SettingType {}
extension ClipOverlap: SettingType {}
extension ClipRing: SettingType {}
extension DubMix: SettingType {}
extension DubLowPower: SettingType {}
extension DubPicture: SettingType {}
extension SessionChoice: SettingType {}
extension LogLevel: SettingType {}
