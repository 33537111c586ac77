public import Hardware
internal import Synchronization

/// Moves the virtual clock from one due time to the next and runs what is due, on one thread.
///
/// At one instant the steppers run in the order of their lanes, round after round, until nothing is due any more;
/// only then does the clock move. The same inputs therefore give the same run, whatever the machine's speed.
public final class VirtualScheduler: Scheduler, @unchecked Sendable {
  private struct Entry {
    let stepper: any Stepper
    let lane: Lane
    var due: Instant?
  }

  private var entries: [Entry] = []
  private let isStopped = Atomic<Bool>(false)
  /// Lanes that were woken and have not run since, one bit each; consoles wake from threads of their own.
  private let woken = Atomic<Int>(0)
  private let advance: (Instant) -> Void
  private var now = Instant.zero

  /// Rounds at one instant after which two steppers are taken to wake each other for ever.
  private static let roundLimit = 100_000

  /// - Parameter advance: sets the virtual clock.
  public init(advance: @escaping (Instant) -> Void) { self.advance = advance }

  public func add(_ stepper: any Stepper, to lane: Lane) {
    entries.append(Entry(stepper: stepper, lane: lane, due: now))
    entries.sort { $0.lane.rawValue < $1.lane.rawValue }
  }

  public func wake(_ lane: Lane) { woken.bitwiseOr(1 << lane.rawValue, ordering: .acquiringAndReleasing) }

  public func run() {
    while !isOver, let next = entries.compactMap(\.due).min() {
      if next > now {
        now = next
        advance(now)
      }
      settle()
    }
  }

  public func stop() { isStopped.store(true, ordering: .releasing) }

  private var isOver: Bool { isStopped.load(ordering: .acquiring) }

  /// Makes the members of woken lanes due now.
  private func admitWoken() {
    let lanes = woken.exchange(0, ordering: .acquiringAndReleasing)
    guard lanes != 0 else { return }
    for index in entries.indices where lanes & (1 << entries[index].lane.rawValue) != 0 { entries[index].due = now }
  }

  /// Runs everything that is due now, until nothing is.
  private func settle() {
    for _ in 0..<Self.roundLimit {
      var ran = false
      admitWoken()
      for index in entries.indices {
        guard let due = entries[index].due, due <= now, !isOver else { continue }
        entries[index].due = nil
        let next = entries[index].stepper.step(now: now)
        ran = true
        if let next { entries[index].due = max(next, now) }
        admitWoken()
      }
      if !ran { return }
    }
    preconditionFailure("the steppers wake each other without end at \(now.seconds) s")
  }
}
