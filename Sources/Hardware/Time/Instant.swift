/// A point on the device's one clock, CLOCK_MONOTONIC, in nanoseconds.
///
/// Every sample block, button edge and event carries one. In the simulator it is a point on the virtual clock.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's own origin (boot on Linux, the start of the run in the simulator).
  public var nanoseconds: Int64

  /// The clock's origin.
  public static let zero = Instant(nanoseconds: 0)
  /// Later than anything that happens: "never".
  public static let distantFuture = Instant(nanoseconds: .max)

  @_noLocks @_noAllocation
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Seconds since the clock's origin, for people and for the `t` of events.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (left: Instant, right: Duration) -> Instant {
    Instant(nanoseconds: left.nanoseconds &+ right.nanoseconds)
  }

  public static func - (left: Instant, right: Duration) -> Instant {
    Instant(nanoseconds: left.nanoseconds &- right.nanoseconds)
  }

  public static func - (left: Instant, right: Instant) -> Duration {
    .nanoseconds(left.nanoseconds &- right.nanoseconds)
  }
}

extension Duration {
  /// Whole nanoseconds; durations on a device (up to 292 years) always fit.
  public var nanoseconds: Int64 {
    let parts = components
    return parts.seconds &* 1_000_000_000 &+ parts.attoseconds / 1_000_000_000
  }

  /// Seconds as a floating-point number, for display and for filters.
  public var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
