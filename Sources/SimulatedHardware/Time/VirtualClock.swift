public import Hardware
internal import Synchronization

/// A clock that moves only when it is advanced, for discrete-event runs.
///
/// Both clocks start at the same values in every run, so that names, stamps and bytes come out the same. Any thread
/// may read it; one thread moves it.
public final class VirtualClock: SimulatorClock {
  /// 2026-11-20T21:54:00Z, where the wall clock stands at the start of a run unless told otherwise.
  public static let defaultWallStart = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)

  private let monotonic: Atomic<Int64>
  private let wallOffset: Atomic<Int64>

  /// - Parameters:
  ///   - start: the first value of `now`.
  ///   - wallStart: the wall clock's reading at `start`.
  public init(start: Instant = .zero, wallStart: WallTime = VirtualClock.defaultWallStart) {
    monotonic = Atomic(start.nanoseconds)
    wallOffset = Atomic(wallStart.nanosecondsSince1970 &- start.nanoseconds)
  }

  public var now: Instant { Instant(nanoseconds: monotonic.load(ordering: .acquiring)) }

  public var wallNow: WallTime {
    WallTime(nanosecondsSince1970: now.nanoseconds &+ wallOffset.load(ordering: .acquiring))
  }

  /// Moves on to `instant`. An earlier one than `now` changes nothing: monotonic time never goes back.
  public func advance(to instant: Instant) {
    if instant > now { monotonic.store(instant.nanoseconds, ordering: .releasing) }
  }

  public func jumpWall(by duration: Duration) {
    _ = wallOffset.wrappingAdd(duration.nanoseconds, ordering: .acquiringAndReleasing)
  }
}
