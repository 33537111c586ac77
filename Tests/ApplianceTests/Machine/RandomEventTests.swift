import Appliance
import Hardware
import Testing

@Suite struct RandomEventTests {
  @Test(arguments: [1, 20_261_121, 0xDEAD_BEEF, 77] as [UInt64])
  func `A quarter of a million random events keep every promise`(seed: UInt64) {
    var events = RandomEvents(seed: seed)
    var machine = Machine()
    var now = Instant.ms(1000)
    var seen: [Activity: Int] = [:]
    for round in 0..<260_000 {
      now = now + events.pause()
      let before = machine.state
      let event = events.next(before, at: now)
      let effects = machine.handle(event, at: now)
      let invariants = Invariants(before: before, after: machine.state, event: event, effects: effects, now: now)
      if let broken = invariants.broken {
        Issue.record("seed \(seed), event \(round): \(broken)\n\(event)\n\(effects)\n\(before)")
        return
      }
      seen[machine.state.activity, default: 0] += 1
      if round % 1000 == 0, !canStillRecord(machine, at: now) {
        Issue.record("seed \(seed), event \(round): REC no longer records\n\(before)")
        return
      }
    }
    // The stream is worth something only if it gets about.
    #expect(Activity.allCases.allSatisfy { seen[$0, default: 0] > 1000 }, "\(seen)")
  }

  @Test func `The same events give the same effects and states`() {
    var machines = (Machine(), Machine())
    var events = RandomEvents(seed: 9)
    var now = Instant.zero
    for _ in 0..<20_000 {
      now = now + events.pause()
      let event = events.next(machines.0.state, at: now)
      let same = machines.0.handle(event, at: now) == machines.1.handle(event, at: now)
      if !same || machines.0.state != machines.1.state {
        Issue.record("two machines parted at \(event)")
        return
      }
    }
  }

  /// Whatever happened, a healthy and unlocked device records when REC is pressed.
  private func canStillRecord(_ machine: Machine, at now: Instant) -> Bool {
    var machine = machine
    _ = machine.handle(.command(.shutDown), at: now)
    if machine.state.hasOpenTake { _ = machine.handle(.recorder(.saved(.take(2), .user)), at: now) }
    if machine.state.isLocked { _ = machine.handle(.command(.unlock), at: now) }
    _ = machine.handle(.deviceReturned(.microphone, text: ""), at: now)
    _ = machine.handle(.storage(.ample), at: now)
    let effects = machine.handle(.gesture(Gesture(.press, .rec, pressedAt: now)), at: now)
    return effects.contains(.recorder(.start(at: now))) && machine.state.activity == .recording
  }
}
