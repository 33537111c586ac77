import Glibc
import Synchronization
import Testing

@testable import Threads

@Suite("Wakeup")
struct WakeupTests {
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  @Test("a signal that came before makes the next wait return at once, and only that one")
  func keepsOneSignal() {
    let wakeup = Wakeup()
    wakeup.signal()
    wakeup.signal()
    wakeup.wait(until: .max)
    let deadline = Self.now() + 1_000_000
    wakeup.wait(until: deadline)
    #expect(Self.now() >= deadline)
  }

  @Test("a time that has passed, even before the clock's origin, does not sleep")
  func passedTime() {
    let wakeup = Wakeup()
    wakeup.wait(until: -1)
    wakeup.wait(until: 0)
    wakeup.wait(until: Self.now())
  }

  @Test("two threads that wake each other 20,000 times lose no signal")
  func losesNothing() {
    let (ping, pong) = (Wakeup(), Wakeup())
    let turns = Atomic<Int>(0)
    let other = WorkerThread(name: "pong") {
      for _ in 0..<20_000 {
        ping.wait(until: .max)
        turns.add(1, ordering: .relaxed)
        pong.signal()
      }
    }
    for turn in 1...20_000 {
      ping.signal()
      pong.wait(until: .max)
      #expect(turns.load(ordering: .relaxed) == turn)
    }
    other.join()
  }
}
