public import Hardware

extension Instant {
  /// Seconds from the origin of the run.
  public static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }
}
