import Appliance
import Hardware
import Testing

@Suite struct PoliteWorldTests {
  @Test(arguments: 1...8)
  func `Among things that work, every REC press counts and every take is saved`(seed: UInt64) {
    var world = PoliteWorld(seed: seed)
    for round in 0..<2000 where world.broken == nil {
      world.pressSomething()
      // Whoever finds it locked unlocks it, sooner or later.
      if round % 20 == 0, world.machine.state.isLocked { world.press(.lock, 2100) }
    }
    settle(&world)
    if let broken = world.broken { Issue.record("seed \(seed): \(broken)") }
    #expect(world.starts == world.saved)
    #expect(world.starts > 50)
    #expect(world.marks > 10)

    // After all that the device still does everything it is for.
    world.press(.rec, 80)
    #expect(world.machine.state.activity == .recording)
    world.press(.stop, 80)
    world.pass(10_000)
    #expect(world.machine.state.activity == .idle)
    world.press(.centre, 80)
    #expect(world.machine.state.activity == .playing)
    world.press(.stop, 80)
    world.press(.down, 80)
    #expect(world.machine.state.screen == .files)
    #expect(world.broken == nil)
  }

  /// Unlocks, ends what is going on, closes what is open.
  private func settle(_ world: inout PoliteWorld) {
    world.pass(10_000)
    if world.machine.state.isLocked { world.press(.lock, 2100) }
    for _ in 0..<4 where world.machine.state.activity != .idle || world.machine.state.screen != .main {
      world.press(.stop, 80)
      world.pass(10_000)
    }
  }
}
