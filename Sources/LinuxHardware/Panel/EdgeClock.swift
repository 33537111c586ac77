internal import Hardware

/// Puts the kernel's edge stamps on CLOCK_MONOTONIC.
///
/// libgpiod 2 asks for that clock. Version 1 cannot ask: kernels stamp with CLOCK_MONOTONIC since Linux 5.7 and with
/// CLOCK_REALTIME before (gpiolib, lineevent_irq_handler), and nothing says which. But an edge is read moments after it
/// happened, so the clock whose reading is nearer to the stamp is the one it was made with. Where both clocks read
/// alike (a board without a battery-backed clock that has just started), either answer is right.
enum EdgeClock {
  /// The time of an edge, never after `monotonic`: the stamp is from before it was read.
  ///
  /// - Parameters:
  ///   - stamp: the kernel's, ns.
  ///   - monotonic: CLOCK_MONOTONIC when it was read, ns.
  ///   - realtime: CLOCK_REALTIME at the same moment, ns.
  static func instant(stamp: Int64, monotonic: Int64, realtime: Int64) -> Instant {
    let toMonotonic = stamp.distanceMagnitude(to: monotonic)
    let toRealtime = stamp.distanceMagnitude(to: realtime)
    let converted = toMonotonic <= toRealtime ? stamp : stamp &- (realtime &- monotonic)
    return Instant(nanoseconds: min(converted, monotonic))
  }
}

extension Int64 {
  /// The distance, without overflow.
  fileprivate func distanceMagnitude(to other: Int64) -> UInt64 {
    self > other ? UInt64(bitPattern: self &- other) : UInt64(bitPattern: other &- self)
  }
}
