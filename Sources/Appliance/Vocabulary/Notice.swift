public import Hardware

/// A message that covers the screen until a key is pressed or its time is over.
public struct Notice: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    case information
    case warning
    /// Something the user relies on does not work.
    case error
  }

  public var severity: Severity
  /// Stable code for programs: `storage-full`, `device-lost`, `not-found`.
  public var code: String
  /// One sentence for people: what happened, to what, what to do.
  public var text: String
  /// When it goes away by itself; `nil`: stays until a key is pressed.
  public var expires: Instant?
  /// The device it is about: the notice goes when the device comes back.
  public var device: Device?

  public init(severity: Severity, code: String, text: String, expires: Instant? = nil, device: Device? = nil) {
    self.severity = severity
    self.code = code
    self.text = text
    self.expires = expires
    self.device = device
  }
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
