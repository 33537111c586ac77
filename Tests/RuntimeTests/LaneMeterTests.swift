import Glibc
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

/// What schedulers tell of the lanes' steps.
@Suite struct LaneMeterTests {
  private final class Work: Stepper {
    private let body: (Instant) -> Instant?
    init(_ body: @escaping (Instant) -> Instant?) { self.body = body }
    func step(now: Instant) -> Instant? { body(now) }
  }

  @Test("In virtual time steps and wake-ups are counted, the same in every run, and nothing is measured")
  func virtual() {
    func run() -> [LaneCounters] {
      let scheduler = VirtualScheduler { _ in }
      var left = 3
      scheduler.add(
        Work { now in
          left -= 1
          if left == 1 { scheduler.wake(.storage) }
          return left > 0 ? now + .seconds(1) : nil
        }, to: .media)
      scheduler.add(Work { _ in nil }, to: .storage)
      scheduler.add(Work { _ in nil }, to: .storage)
      scheduler.run()
      return scheduler.signals.counters
    }
    let counters = run()
    #expect(counters == run())
    #expect(counters.map(\.lane) == [.media, .storage])
    #expect(counters.map(\.steps) == [3, 4])
    #expect(counters.map(\.wakeups) == [3, 2])
    #expect(counters.allSatisfy { $0.longestStep == nil && $0.longestStepCPU == nil })
  }

  @Test("On threads the longest step is measured: on the clock what it waits, of the processor what it works")
  func threads() throws {
    let clock = RealClock()
    let scheduler = ThreadedScheduler(clock: clock)
    var isOver = false
    scheduler.add(
      Work { now in
        guard !isOver else { return nil }
        isOver = true
        // Works for 20 ms of this thread's processor time: by the clock no less, whatever else the machine does.
        var usage = Self.processorTime()
        let end = usage + .milliseconds(20)
        while usage < end { usage = Self.processorTime() }
        scheduler.stop()
        return nil
      }, to: .control)
    scheduler.run()
    let control = try #require(scheduler.signals.counters.first { $0.lane == .control })
    #expect(control.steps == 1)
    #expect(control.wakeups == 1)
    #expect(try #require(control.longestStepCPU) >= .milliseconds(20))
    #expect(try #require(control.longestStep) >= .milliseconds(20))
  }

  @Test("system.info tells of every lane that has work")
  func told() throws {
    let bench = try RuntimeBench()
    try bench.run("2 call system.info\n3 quit")
    let lanes = try #require(bench.results("system.info").first?["lanes"]?.arrayValue)
    let names = lanes.compactMap { $0["name"]?.stringValue }
    #expect(Set(["control", "media", "storage", "display"]).isSubset(of: names))
    #expect(lanes.allSatisfy { ($0["steps"]?.integerValue ?? 0) >= ($0["wakeups"]?.integerValue ?? .max) })
    #expect(lanes.allSatisfy { $0["longestStepMilliseconds"] == .null })
  }

  private static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
