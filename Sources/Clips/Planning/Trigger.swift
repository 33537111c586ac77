public import Hardware

/// Somebody or something wants a clip.
public struct Trigger: Hashable, Sendable {
  /// What made it; the raw value is the receipt's word.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    case key
    case console
    /// A GPIO input other than a key.
    case input
    case sound
    case motion
    /// Continuous recording, and what a split goes on with.
    case continuous
    case timeLapse = "time-lapse"
  }

  /// Counted from 1 since the recorder was made.
  public var number: Int
  /// When it happened, by the kernel's clock where it is an edge.
  public var time: Instant
  public var cause: Cause

  public init(number: Int, time: Instant, cause: Cause) {
    self.number = number
    self.time = time
    self.cause = cause
  }
}

/// What became of a trigger; every one has an outcome.
public enum TriggerOutcome: Hashable, Sendable {
  /// A clip of its own began; `continues` names the one at whose end it starts.
  case started(clip: Int, continues: Int?)
  /// An open clip holds its range now.
  case joined(clip: Int)
  /// It came within the debounce time of trigger `of`, and is one with it.
  case bounced(of: Int)
  /// Nothing came of it; a stable code (`device-lost`, `busy`, `internal`) and a sentence.
  case refused(code: String, text: String)
}
