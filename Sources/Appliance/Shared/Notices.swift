public import Hardware

/// A message that covers the screen until a key is pressed or its time is over.
public struct Notice: Hashable, Sendable {
  /// The code of what says that a mark was set.
  public static let mark = "mark"

  public enum Severity: String, Hashable, Sendable {
    case information
    case warning
    /// Something the user relies on does not work.
    case error
  }

  public var severity: Severity
  /// Stable code for programs: `storage-full`, `device-lost`, `not-found`.
  public var code: String
  /// What happened, to what, what to do.
  public var sentence: Sentence
  /// When it goes away by itself; `nil`: stays until a key is pressed.
  public var expires: Instant?
  /// The device it is about: the notice goes when the device comes back.
  public var device: Device?
  /// What a key does as long as it is shown.
  public enum Offer: Hashable, Sendable {
    /// LEFT brings back what was deleted.
    case undelete
    /// RIGHT has the update on the stick installed.
    case install
    /// RIGHT starts the board anew.
    case restart
  }
  public var offer: Offer?

  public init(
    severity: Severity, code: String, _ sentence: Sentence, expires: Instant? = nil, device: Device? = nil
  ) {
    self.severity = severity
    self.code = code
    self.sentence = sentence
    self.expires = expires
    self.device = device
  }

  /// What another room has said.
  public init(severity: Severity, code: String, text: String) {
    self.init(severity: severity, code: code, .told(code: code, text))
  }

  /// Whether it tells of something that failed once: not of what is still so, nor what stays until somebody has seen it.
  var isOfThePast: Bool {
    severity == .error && expires != nil && code != "storage-full" && (device == nil || device == .speaker)
  }

  /// The sentence as the console says it.
  public var text: String { sentence.words.english }
}

extension Notice.Severity: Comparable {
  private var rank: Int {
    switch self {
    case .information: 0
    case .warning: 1
    case .error: 2
    }
  }

  public static func < (left: Notice.Severity, right: Notice.Severity) -> Bool { left.rank < right.rank }
}

/// The message on the screen, one at a time: a graver one is never hidden by a lesser.
public struct Notices: Hashable, Sendable {
  public private(set) var shown: Notice?
  /// One that stays until somebody has seen it, and that another one hides.
  private var hidden: Apart<Notice>?

  public init(showing notice: Notice? = nil) { shown = notice }

  /// Shows a message, unless a graver one is being shown.
  mutating func raise(_ notice: Notice, _ effects: inout [Effect]) {
    if let shown, shown.severity > notice.severity { return }
    let wasTimed = shown?.expires != nil
    if let shown, shown.expires == nil, shown.device == nil { hidden = .value(shown) }
    shown = notice
    if let expires = notice.expires {
      effects.append(.setTimer(.noticeExpires, at: expires))
    } else if wasTimed {
      effects.append(.cancelTimer(.noticeExpires))
    }
  }

  /// - Parameter code: of the notice that says so; it may not have been shown.
  mutating func offer(_ offer: Notice.Offer, with code: String) { if shown?.code == code { shown?.offer = offer } }

  /// Takes the message away, if it is one of those that are meant.
  mutating func dismiss(_ effects: inout [Effect], where isMeant: (Notice) -> Bool = { _ in true }) {
    guard let notice = shown, isMeant(notice) else { return }
    uncover()
    if notice.expires != nil { effects.append(.cancelTimer(.noticeExpires)) }
  }

  /// Its timer has run out; one that a later message has overtaken means nothing.
  mutating func expire(at now: Instant) {
    if let expires = shown?.expires, expires <= now { uncover() }
  }

  private mutating func uncover() {
    shown = nil
    if case .value(let notice) = hidden { shown = notice }
    hidden = nil
  }
}
