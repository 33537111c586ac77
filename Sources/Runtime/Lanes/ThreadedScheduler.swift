public import Hardware
internal import Threads

/// Runs every lane on a thread of its own, against the real clock.
public final class ThreadedScheduler: Scheduler, @unchecked Sendable {
  public let signals: LaneSignals
  private let clock: any DeviceClock
  private var steppers: [Lane: [any Stepper]] = [:]
  private let wakeups: [Wakeup]
  private var threads: [WorkerThread] = []

  public init(clock: any DeviceClock) {
    self.clock = clock
    let wakeups = Lane.allCases.map { _ in Wakeup() }
    self.wakeups = wakeups
    signals = LaneSignals { wakeups[$0.rawValue].signal() }
  }

  public func add(_ stepper: any Stepper, to lane: Lane) { steppers[lane, default: []].append(stepper) }

  public func run() {
    for lane in Lane.allCases where lane != .control && steppers[lane] != nil {
      threads.append(WorkerThread(name: lane.threadName, niceness: lane.niceness) { [self] in run(lane) })
    }
    run(.control)
    for thread in threads { thread.join() }
    threads = []
  }

  /// One lane's loop: step everything, sleep until the earliest wish or a wake.
  private func run(_ lane: Lane) {
    let members = steppers[lane] ?? []
    let meter = signals.meter(of: lane)
    while !signals.hasStopped {
      let now = clock.now
      var next = Instant.distantFuture
      meter.countWakeup()
      meter.isWorking = true
      var before = LaneMeter.Reading.now
      for member in members {
        if let wish = member.step(now: now) { next = min(next, wish) }
        let after = LaneMeter.Reading.now
        meter.countStep(from: before, to: after)
        before = after
      }
      meter.isWorking = false
      wakeups[lane.rawValue].wait(until: next.nanoseconds)
    }
  }
}
