internal import Glibc
public import Hardware
internal import Synchronization

/// The system's clocks, with a wall clock that can be made to jump without touching the system's own.
public final class RealClock: SimulatorClock {
  private let wallOffset = Atomic<Int64>(0)

  public init() {}

  /// CLOCK_MONOTONIC, the same origin as that of real drivers, so that both kinds can be mixed.
  public var now: Instant { Instant(nanoseconds: read(CLOCK_MONOTONIC)) }

  public var wallNow: WallTime {
    WallTime(nanosecondsSince1970: read(CLOCK_REALTIME) &+ wallOffset.load(ordering: .acquiring))
  }

  public func jumpWall(by duration: Duration) {
    _ = wallOffset.wrappingAdd(duration.nanoseconds, ordering: .acquiringAndReleasing)
  }

  private func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // Fails only for clocks that the kernel does not have; these two always exist.
    _ = clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
