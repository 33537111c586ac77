public import Hardware

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
  private var isStopped = false
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

  public func wake(_ lane: Lane) {
    for index in entries.indices where entries[index].lane == lane { entries[index].due = now }
  }

  public func run() {
    while !isStopped, let next = entries.compactMap(\.due).min() {
      if next > now {
        now = next
        advance(now)
      }
      settle()
    }
  }

  public func stop() { isStopped = true }

  /// Runs everything that is due now, until nothing is.
  private func settle() {
    for _ in 0..<Self.roundLimit {
      var ran = false
      for index in entries.indices {
        guard let due = entries[index].due, due <= now, !isStopped else { continue }
        entries[index].due = nil
        let next = entries[index].stepper.step(now: now)
        ran = true
        // A wake during the step wins over the step's own wish.
        if let next { entries[index].due = min(entries[index].due ?? .distantFuture, max(next, now)) }
      }
      if !ran { return }
    }
    preconditionFailure("the steppers wake each other without end at \(now.seconds) s")
  }
}
