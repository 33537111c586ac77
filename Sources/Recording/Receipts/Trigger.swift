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
