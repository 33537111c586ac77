/// The microphones that may be plugged in beside the board's own, by names that are the same whenever they come back.
public protocol MicrophoneSources: AnyObject {
  /// Those that are there now. Media lane; may take some ms.
  func names() -> [String]

  /// One of them; `nil`: it is not there. Media lane; takes some µs, for it is asked once a second.
  func microphone(named name: String) -> (any Microphone)?
}

/// The written order of microphones.
public enum MicrophoneOrder {
  /// What the board's own is called in it.
  public static let board = "board"
  /// Names that it may have.
  public static let most = 8
}

/// Why another microphone is heard; the raw value is in events.
public enum SourceChangeReason: String, Hashable, Sendable, CaseIterable {
  /// The one before went away.
  case lost
  /// A better one by the written order is there again.
  case returned
  /// Somebody has changed the order.
  case chosen
  /// The best of the order is not there.
  case absent
}
