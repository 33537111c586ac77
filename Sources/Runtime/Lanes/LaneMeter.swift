internal import Glibc
internal import Synchronization

/// What the steps of a lane cost.
public struct LaneCounters: Hashable, Sendable {
  public var lane: Lane
  /// Calls of its steppers.
  public var steps: Int
  /// How often the lane went from sleep to work.
  public var wakeups: Int
  /// The longest step on the clock, and of the thread's processor time; `nil` in virtual time, where steps take none.
  public var longestStep: Duration?
  public var longestStepCPU: Duration?
}

/// Counts the steps of a lane and measures them. Written by the lane's own thread; any may read.
final class LaneMeter: Sendable {
  private let lane: Lane
  private let steps = Atomic<Int>(0)
  private let wakeups = Atomic<Int>(0)
  /// Nanoseconds; −1: not measured.
  private let longest = Atomic<Int>(-1)
  private let longestCPU = Atomic<Int>(-1)
  /// The same of the processor, each since it was restarted last.
  private let peaks = (0..<LaneMeter.places).map { _ in Peak() }
  /// A step is under way.
  private let works = Atomic<Bool>(false)

  /// Maxima that are restarted apart from each other; a power of two.
  static let places = 16

  private final class Peak: Sendable {
    let nanoseconds = Atomic<Int>(-1)
  }

  init(_ lane: Lane) { self.lane = lane }

  /// Begins a maximum anew. A step that is under way counts. Any thread.
  func restart(_ place: Int) { peaks[place].nanoseconds.store(-1, ordering: .relaxed) }

  /// The longest step since then, of the processor; `nil` in virtual time. Any thread.
  func longestCPU(at place: Int) -> Duration? {
    let nanoseconds = peaks[place].nanoseconds.load(ordering: .relaxed)
    return nanoseconds < 0 ? nil : .nanoseconds(Int64(nanoseconds))
  }

  /// Any thread.
  var counters: LaneCounters {
    let duration = { (nanoseconds: Int) -> Duration? in
      nanoseconds < 0 ? nil : .nanoseconds(Int64(nanoseconds))
    }
    return LaneCounters(
      lane: lane, steps: steps.load(ordering: .relaxed), wakeups: wakeups.load(ordering: .relaxed),
      longestStep: duration(longest.load(ordering: .relaxed)),
      longestStepCPU: duration(longestCPU.load(ordering: .relaxed)))
  }

  func countWakeup() { wakeups.add(1, ordering: .relaxed) }

  /// Whether the lane is in a step. Any thread.
  var isWorking: Bool {
    get { works.load(ordering: .relaxed) }
    set { works.store(newValue, ordering: .relaxed) }
  }

  /// Counts a step that is not measured.
  func countStep() { steps.add(1, ordering: .relaxed) }

  /// Counts a step that took the time between two readings.
  func countStep(from start: Reading, to end: Reading) {
    countStep()
    raise(longest, to: end.monotonic - start.monotonic)
    let processor = end.processor - start.processor
    raise(longestCPU, to: processor)
    for peak in peaks { raise(peak.nanoseconds, to: processor) }
  }

  /// One thread writes: what is read here is not changed by another, but for a restart, which may miss the step that ends now.
  private func raise(_ maximum: borrowing Atomic<Int>, to value: Int) {
    if value > maximum.load(ordering: .relaxed) { maximum.store(value, ordering: .relaxed) }
  }

  /// Both clocks of the calling thread, in nanoseconds.
  struct Reading {
    let monotonic: Int
    let processor: Int

    static var now: Reading {
      Reading(monotonic: read(CLOCK_MONOTONIC), processor: read(CLOCK_THREAD_CPUTIME_ID))
    }

    private static func read(_ clock: clockid_t) -> Int {
      var time = timespec()
      clock_gettime(clock, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
  }
}
