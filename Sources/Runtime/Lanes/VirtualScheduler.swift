internal import CLinux
public import Hardware
internal import Synchronization

/// Moves the virtual clock from one due time to the next and runs what is due, on one thread.
///
/// A lane wakes once at an instant, whatever it is called for there. Steps take no time, and are counted only.
///
/// At one instant the steppers run in the order of their lanes, round after round, until nothing is due any more;
/// only then does the clock move. The same inputs therefore give the same run, whatever the machine's speed.
public final class VirtualScheduler: Scheduler, @unchecked Sendable {
  private struct Entry {
    let stepper: any Stepper
    let lane: Lane
    let meter: LaneMeter
    var due: Instant?
  }

  public let signals: LaneSignals
  private var entries: [Entry] = []
  private let woken: WokenLanes
  private let advance: (Instant) -> Void
  private var now = Instant.zero

  /// Rounds at one instant after which two steppers are taken to wake each other for ever.
  private static let roundLimit = 100_000

  /// - Parameter advance: sets the virtual clock.
  public init(advance: @escaping (Instant) -> Void) {
    self.advance = advance
    let woken = WokenLanes()
    self.woken = woken
    signals = LaneSignals { woken.insert($0) }
  }

  public func add(_ stepper: any Stepper, to lane: Lane) {
    entries.append(Entry(stepper: stepper, lane: lane, meter: signals.meter(of: lane), due: now))
    entries.sort { $0.lane.rawValue < $1.lane.rawValue }
  }

  public func run() {
    while !isOver, let next = entries.compactMap(\.due).min() {
      if next > now {
        now = next
        advance(now)
      }
      settle()
    }
  }

  private var isOver: Bool { signals.hasStopped }

  /// Makes the members of woken lanes due now.
  private func admitWoken() {
    let lanes = woken.take()
    guard !lanes.isEmpty else { return }
    for index in entries.indices where lanes.contains(entries[index].lane) { entries[index].due = now }
  }

  /// Runs everything that is due now, until nothing is.
  private func settle() {
    var awake = WokenLanes.Lanes(bits: 0)
    for _ in 0..<Self.roundLimit {
      var ran = false
      admitWoken()
      for index in entries.indices {
        guard let due = entries[index].due, due <= now, !isOver else { continue }
        entries[index].due = nil
        if awake.insert(entries[index].lane) { entries[index].meter.countWakeup() }
        entries[index].meter.countStep()
        let next = step(entries[index])
        ran = true
        if let next { entries[index].due = max(next, now) }
        admitWoken()
      }
      if !ran { return }
    }
    preconditionFailure("the steppers wake each other without end at \(now.seconds) s")
  }

  /// One step, between two marks for the gate's counter of instructions (Tests/Gate).
  private func step(_ entry: Entry) -> Instant? {
    mynah_step_begins(entry.lane.rawValue, Int(now.nanoseconds))
    defer { mynah_step_ends(entry.lane.rawValue) }
    return entry.stepper.step(now: now)
  }
}

/// Lanes that were woken and have not run since; consoles wake from threads of their own.
private final class WokenLanes: Sendable {
  /// One bit a lane.
  struct Lanes {
    private(set) var bits: Int
    var isEmpty: Bool { bits == 0 }
    func contains(_ lane: Lane) -> Bool { bits & (1 << lane.rawValue) != 0 }

    /// Whether it was not there.
    mutating func insert(_ lane: Lane) -> Bool {
      defer { bits |= 1 << lane.rawValue }
      return !contains(lane)
    }
  }

  private let bits = Atomic<Int>(0)

  func insert(_ lane: Lane) { bits.bitwiseOr(1 << lane.rawValue, ordering: .acquiringAndReleasing) }

  func take() -> Lanes { Lanes(bits: bits.exchange(0, ordering: .acquiringAndReleasing)) }
}
