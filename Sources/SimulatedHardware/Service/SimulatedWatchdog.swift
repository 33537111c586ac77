public import Hardware
internal import Synchronization

/// A watchdog that remembers when it was fed, and can say when it would have bitten.
public final class SimulatedWatchdog: Watchdog, Sendable {
  private struct Core {
    var startedAt: Instant?
    var stoppedAt: Instant?
    var feeds: [Instant] = []
    var problem: DeviceError?
  }

  public let name: String
  private let clock: any DeviceClock
  private let period: Duration
  private let core = Mutex(Core())

  /// - Parameter period: the time within which it wants to be fed.
  public init(name: String = "simulated watchdog", clock: any DeviceClock, period: Duration) {
    self.name = name
    self.clock = clock
    self.period = period
  }

  public func start() throws(DeviceError) -> Duration {
    let now = clock.now
    let problem = core.withLock { core in
      if core.problem == nil { core.startedAt = now }
      return core.problem
    }
    if let problem { throw problem }
    return period
  }

  public func feed() throws(DeviceError) {
    let now = clock.now
    core.withLock { $0.feeds.append(now) }
  }

  public func stop() {
    let now = clock.now
    core.withLock { $0.stoppedAt = $0.startedAt == nil ? nil : now }
  }

  /// Refuses to be started from now on. Any thread.
  public func refuse(_ problem: DeviceError) { core.withLock { $0.problem = problem } }

  /// When it was fed. Any thread.
  public var feeds: [Instant] { core.withLock { $0.feeds } }

  /// When it was stopped; `nil` if it runs, or never did. Any thread.
  public var stoppedAt: Instant? { core.withLock { $0.stoppedAt } }

  /// When it would have reset the board, if at all: the first time that it was not fed for the whole period. Any thread.
  public var bite: Instant? {
    let now = clock.now
    return core.withLock { core in
      guard var last = core.startedAt else { return nil }
      for feed in core.feeds + [core.stoppedAt ?? now] {
        if feed - last > period { return last + period }
        last = feed
      }
      return nil
    }
  }
}
