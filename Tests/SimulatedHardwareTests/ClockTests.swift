import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Simulated clocks")
struct ClockTests {
  @Test("A virtual clock starts at the same wall time in every run and only moves when told")
  func virtualClock() {
    let clock = VirtualClock()
    #expect(clock.now == .zero)
    #expect(clock.wallNow.iso8601 == "2026-11-20T21:54:00Z")
    clock.advance(to: .at(90))
    #expect(clock.wallNow.iso8601 == "2026-11-20T21:55:30Z")
    clock.advance(to: .at(10))
    #expect(clock.now == .at(90), "monotonic time never goes back")
  }

  @Test("A wall-clock jump leaves the monotonic clock alone")
  func jump() throws {
    let clock = VirtualClock()
    clock.advance(to: .at(5))
    try SimulatedFaults(clock: clock).inject(.clockJump(.seconds(-3600)), at: clock.now)
    #expect(clock.now == .at(5))
    #expect(clock.wallNow.iso8601 == "2026-11-20T20:54:05Z")
  }

  @Test("A real clock runs, and its wall clock jumps without the system's")
  func realClock() {
    let clock = RealClock()
    let before = (clock.now, clock.wallNow)
    clock.jumpWall(by: .seconds(86_400))
    let after = (clock.now, clock.wallNow)
    #expect(after.0 >= before.0)
    #expect(after.1.nanosecondsSince1970 - before.1.nanosecondsSince1970 >= 86_400_000_000_000)
  }
}
