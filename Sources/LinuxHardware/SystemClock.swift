internal import Glibc
public import Hardware

/// The kernel's clocks. Any thread; a read is a vDSO call of some 20 ns.
public final class SystemClock: DeviceClock {
  public init() {}

  public var now: Instant { Instant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }
  public var wallNow: WallTime { WallTime(nanosecondsSince1970: Self.read(CLOCK_REALTIME)) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
