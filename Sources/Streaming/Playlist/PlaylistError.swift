/// A playlist or subtitle file that cannot be used: where, and why.
struct PlaylistError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The raw value is the code that programs are told.
  enum Kind: String, Hashable, Sendable {
    /// Something else altogether, such as a page for people.
    case notPlaylist = "not-hls"
    /// A list without anything that could be played.
    case malformed
    /// A list of nothing but addresses by which nothing can be fetched here.
    case address = "bad-address"
    /// Protected in a way that this device cannot undo.
    case encrypted
    /// Right, but there is nothing in it to be heard.
    case silent = "no-sound"
    /// Beyond the limits that keep memory bounded.
    case tooLarge = "too-large"
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

/// Lines of a playlist that were passed over or read as they were probably meant, in words for the log.
struct PlaylistRemarks: Hashable, Sendable {
  private(set) var all: [String] = []
  private static let most = 8
  /// Bytes of texts into which variables were put: four bytes of a list can stand for thousands.
  var expanded = 0
  var mayExpand: Bool { expanded <= 16 << 20 }

  mutating func add(_ line: Int, _ text: String) {
    if all.count < Self.most {
      all.append("line \(line): \(text)")
    } else if all.count == Self.most {
      all.append("and more of the kind")
    }
  }
}
