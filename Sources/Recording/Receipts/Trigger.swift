public import Hardware

/// Somebody or something wants a clip.
public struct Trigger: Hashable, Sendable {
  /// Counted from 1 since the recorder was made.
  public var number: Int
  /// When it happened, by the kernel's clock where it is an edge.
  public var time: Instant
  public var cause: TriggerSource

  public init(number: Int, time: Instant, cause: TriggerSource) {
    self.number = number
    self.time = time
    self.cause = cause
  }
}
