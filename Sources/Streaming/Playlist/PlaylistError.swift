/// A playlist or subtitle file that cannot be used: where, and why.
struct PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// Not what it claims to be, or against RFC 8216.
    case malformed
    /// Right, but not for this device: another protection or version.
    case unsupported
    /// Beyond the limits that keep memory bounded.
    case tooLarge
  }

  var kind: Kind
  /// Its address or path.
  var subject: String
  /// From 1; 0 for the whole.
  var line: Int
  var reason: String

  init(_ kind: Kind, subject: String, line: Int, reason: String) {
    self.kind = kind
    self.subject = subject
    self.line = line
    self.reason = reason
  }

  var description: String { line > 0 ? "\(subject), line \(line): \(reason)" : "\(subject): \(reason)" }
}

/// What is read of a playlist at most: a hostile or broken server must not fill the memory.
struct PlaylistLimits: Hashable, Sendable {
  var bytes = 4 << 20
  var entries = 100_000
  var lineBytes = 16 << 10
  /// Variants, renditions and variables, each.
  var descriptions = 1000
}
