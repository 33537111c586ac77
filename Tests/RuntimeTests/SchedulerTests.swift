import Hardware
import Runtime
import SimulatedHardware
import Synchronization
import TestSupport
import Testing
import Threads

/// A stepper made of a closure.
private final class ClosureStepper: Stepper {
  private let body: (Instant) -> Instant?
  init(_ body: @escaping (Instant) -> Instant?) { self.body = body }
  func step(now: Instant) -> Instant? { body(now) }
}

/// What happened, in order.
private final class Trace: Sendable {
  private let entries = Mutex<[String]>([])
  var all: [String] { entries.withLock { $0 } }
  func note(_ entry: String) { entries.withLock { $0.append(entry) } }
}

/// Counts up and lets another thread wait for a number.
private final class Counter: Sendable {
  private let value = Atomic<Int>(0)
  private let wakeup = Wakeup()

  var count: Int { value.load(ordering: .acquiring) }

  func increase() {
    _ = value.wrappingAdd(1, ordering: .acquiringAndReleasing)
    wakeup.signal()
  }

  /// Waits for `limit` events, a minute at most.
  func wait(for limit: Int) {
    let clock = RealClock()
    let end = clock.now + .seconds(60)
    while count < limit, clock.now < end { wakeup.wait(until: (clock.now + .milliseconds(100)).nanoseconds) }
  }
}

@Suite struct VirtualSchedulerTests {
  @Test("At one instant lanes run in their order, however they were added")
  func lanesInOrder() {
    let trace = Trace()
    let scheduler = VirtualScheduler { _ in }
    for lane in Lane.allCases.reversed() {
      for place in 0..<2 {
        scheduler.add(
          ClosureStepper { now in
            trace.note("\(lane)\(place)@\(now.nanoseconds)")
            return now < .at(1) ? .at(1) : nil
          }, to: lane)
      }
    }
    scheduler.run()
    let names = Lane.allCases.flatMap { ["\($0)0", "\($0)1"] }
    #expect(trace.all == names.map { "\($0)@0" } + names.map { "\($0)@1000000000" })
  }

  @Test("A wake during a step runs the lane in the same instant, an earlier lane in the next round")
  func wakeDuringStep() {
    let trace = Trace()
    let scheduler = VirtualScheduler { _ in }
    scheduler.add(
      ClosureStepper { now in
        trace.note("control@\(now.nanoseconds)")
        return nil
      }, to: .control)
    scheduler.add(
      ClosureStepper { [unowned scheduler] now in
        trace.note("media@\(now.nanoseconds)")
        guard now < .at(1) else {
          scheduler.wake(.control)
          scheduler.wake(.storage)
          return nil
        }
        return .at(1)
      }, to: .media)
    scheduler.add(
      ClosureStepper { now in
        trace.note("storage@\(now.nanoseconds)")
        return nil
      }, to: .storage)
    scheduler.run()
    let second = 1_000_000_000
    #expect(
      trace.all == [
        "control@0", "media@0", "storage@0", "media@\(second)", "storage@\(second)", "control@\(second)",
      ])
  }

  @Test("A lane that wakes itself runs again before the clock moves, and a wish in the past means now")
  func selfWake() {
    let trace = Trace()
    let clock = VirtualClock()
    let scheduler = VirtualScheduler { clock.advance(to: $0) }
    var rounds = 0
    scheduler.add(
      ClosureStepper { [unowned scheduler] now in
        rounds += 1
        trace.note("\(now.nanoseconds)")
        switch rounds {
        case 1...3:
          scheduler.wake(.media)
          return .at(2)
        case 4: return .at(2)
        case 5...7: return .at(1)
        default: return nil
        }
      }, to: .media)
    scheduler.run()
    #expect(trace.all == Array(repeating: "0", count: 4) + Array(repeating: "2000000000", count: 4))
    #expect(clock.now == .at(2))
  }

  @Test("After stop no stepper runs any more, not even in the same instant")
  func stopAtOnce() {
    let trace = Trace()
    let scheduler = VirtualScheduler { _ in }
    scheduler.add(
      ClosureStepper { [unowned scheduler] now in
        trace.note("control")
        scheduler.stop()
        return now
      }, to: .control)
    scheduler.add(
      ClosureStepper { now in
        trace.note("media")
        return now
      }, to: .media)
    scheduler.run()
    #expect(trace.all == ["control"])
  }

  @Test("The same steppers give the same run")
  func determinism() {
    let run = {
      let trace = Trace()
      let clock = VirtualClock()
      let scheduler = VirtualScheduler { clock.advance(to: $0) }
      for (number, lane) in Lane.allCases.enumerated() {
        var random = SeededGenerator(seed: UInt64(number))
        scheduler.add(
          ClosureStepper { [unowned scheduler] now in
            trace.note("\(lane)@\(now.nanoseconds)")
            if Int.random(in: 0..<10, using: &random) == 0, let other = Lane.allCases.randomElement(using: &random) {
              scheduler.wake(other)
            }
            return now < .at(1) ? now + .microseconds(Int.random(in: 1...20_000, using: &random)) : nil
          }, to: lane)
      }
      scheduler.run()
      return trace.all
    }
    let first = run()
    #expect(first.count > 200)
    #expect(first == run())
  }

  @Test("Other threads may wake lanes at any time; none is lost")
  func wakesFromThreads() {
    let clock = VirtualClock()
    let scheduler = VirtualScheduler { clock.advance(to: $0) }
    let mailbox = Mailbox<Int> { [unowned scheduler] in scheduler.wake(.storage) }
    let posted = Counter()
    var received = 0
    scheduler.add(
      ClosureStepper { [unowned scheduler] now in
        // Time goes on until everything has come.
        if received == 4000 { scheduler.stop() }
        return now + .milliseconds(1)
      }, to: .control)
    scheduler.add(
      ClosureStepper { _ in
        received += mailbox.drain().count
        return nil
      }, to: .storage)
    let threads = (0..<4).map { number in
      WorkerThread(name: "poster \(number)") {
        for index in 0..<1000 { mailbox.post(index) }
        posted.increase()
      }
    }
    scheduler.run()
    for thread in threads { thread.join() }
    #expect(received == 4000)
    #expect(posted.count == 4)
  }
}

@Suite struct ThreadedSchedulerTests {
  @Test("Each lane's steppers run on one thread, wakes are not lost, and stop ends the run")
  func lanesOnThreads() {
    let clock = RealClock()
    let scheduler = ThreadedScheduler(clock: clock)
    let threads = Mutex<[Lane: Set<UInt>]>([:])
    let counters = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, Counter()) })
    for lane in Lane.allCases {
      let counter = counters[lane]
      for _ in 0..<2 {
        scheduler.add(
          ClosureStepper { _ in
            threads.withLock { _ = $0[lane, default: []].insert(currentThread()) }
            counter?.increase()
            return nil
          }, to: lane)
      }
    }
    let runner = WorkerThread(name: "runner") { scheduler.run() }
    for lane in Lane.allCases { counters[lane]?.wait(for: 2) }
    for round in 1...50 {
      for lane in Lane.allCases { scheduler.wake(lane) }
      for lane in Lane.allCases { counters[lane]?.wait(for: 2 + round) }
    }
    scheduler.stop()
    runner.join()
    let seen = threads.withLock { $0 }
    for lane in Lane.allCases {
      #expect(seen[lane]?.count == 1, "\(lane)")
      #expect((counters[lane]?.count ?? 0) >= 52, "\(lane)")
    }
    #expect(Set(seen.values.flatMap { $0 }).count == Lane.allCases.count)
  }

  @Test("A wish for a time is kept without a wake")
  func timedSteps() {
    let scheduler = ThreadedScheduler(clock: RealClock())
    let counter = Counter()
    scheduler.add(
      ClosureStepper { [unowned scheduler] now in
        counter.increase()
        if counter.count == 20 { scheduler.stop() }
        return now + .milliseconds(1)
      }, to: .media)
    scheduler.run()
    #expect(counter.count >= 20)
  }

  @Test("A stop from before the run ends it at once")
  func stopBeforeRun() {
    let scheduler = ThreadedScheduler(clock: RealClock())
    scheduler.add(ClosureStepper { _ in nil }, to: .storage)
    scheduler.stop()
    scheduler.run()
  }
}
