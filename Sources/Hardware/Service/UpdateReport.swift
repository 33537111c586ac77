/// Where an update file is.
public enum UpdateSource: Hashable, Sendable {
  /// The newest one on a stick; the system finds it.
  case stick
  /// A file by its whole path.
  case file(String)

  /// Longer paths are none of ours. Bytes.
  public static let limit = 1024

  /// A path that the system can be handed in one line; `nil` for what is none.
  public init?(path: String) {
    let bytes = path.utf8
    guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.limit, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    self = .file(path)
  }

  /// The line that asks for it.
  public var line: String {
    switch self {
    case .stick: "stick"
    case .file(let path): path
    }
  }
}

/// How far an update is, in the system's words.
public struct UpdateReport: Hashable, Sendable {
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// Nothing has been asked for since the start.
    case none
    /// It comes by the network.
    case fetching
    /// The whole file is read against its signature; nothing is written yet.
    case checking
    case writing
    /// Written; the next start is its first.
    case installed
    /// Nothing was written; the text begins with why.
    case refused
    /// Writing went wrong, or the new version did not prove itself: the one from before runs.
    case failed
    /// The version that runs is new, and has a minute to prove itself.
    case trial
    /// The version that runs is new, and has proved itself.
    case good

    /// Whether somebody is at it.
    public var isBusy: Bool { [.fetching, .checking, .writing, .trial].contains(self) }
  }

  public let phase: Phase
  /// 0 to 100, of the fetching or the writing.
  public let percent: Int
  public let text: String

  /// Longer is none of ours. Bytes.
  public static let limit = 512
  /// Nothing was told yet.
  public static let silent = UpdateReport(.none)

  public init(_ phase: Phase, percent: Int = 0, text: String = "") {
    self.phase = phase
    self.percent = min(max(percent, 0), 100)
    self.text = text
  }

  /// Reads a line `PHASE PERCENT TEXT`; `nil` if it is none.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.limit, let text = String(validating: bytes, as: UTF8.self), text.last == "\n" else {
      return nil
    }
    let words = text.dropLast().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, let phase = Phase(rawValue: String(words[0])), let percent = Int(words[1]),
      (0...100).contains(percent)
    else { return nil }
    self.init(phase, percent: percent, text: words.count > 2 ? String(words[2]) : "")
  }
}
