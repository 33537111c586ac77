internal import Synchronization

/// What the lanes of a run share with the parts that work on them: the way to wake them, the end of the run, and how
/// long their steps take. It is there before the first part is made, and holds none of them.
///
/// Any thread, any time.
public final class LaneSignals: Sendable {
  private let signal: @Sendable (Lane) -> Void
  private let isStopped = Atomic<Bool>(false)
  private let meters = Lane.allCases.map(LaneMeter.init)

  /// - Parameter signal: makes a lane's steppers run; must not hold the scheduler.
  init(signal: @escaping @Sendable (Lane) -> Void) { self.signal = signal }

  /// Makes the lane's steppers run as soon as possible.
  public func wake(_ lane: Lane) { signal(lane) }

  /// The same as a closure, for parts that need not know which lane is theirs.
  public func waker(of lane: Lane) -> @Sendable () -> Void {
    { [signal] in signal(lane) }
  }

  /// Ends the run after the steps under way.
  public func stop() {
    isStopped.store(true, ordering: .releasing)
    for lane in Lane.allCases { signal(lane) }
  }

  /// What the steps of the lanes have cost so far; of lanes that have work.
  public var counters: [LaneCounters] { meters.map(\.counters).filter { $0.steps > 0 } }

  /// Lanes that are in a step at this moment.
  public var working: [Lane] { Lane.allCases.filter { meters[$0.rawValue].isWorking } }

  /// For the thread that runs the lane.
  func meter(of lane: Lane) -> LaneMeter { meters[lane.rawValue] }

  /// Whether the run is to end.
  var hasStopped: Bool { isStopped.load(ordering: .acquiring) }
}
