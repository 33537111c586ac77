import Appliance
import Hardware
import Testing

@Suite struct LockTests {
  private func locked(_ activity: Activity, stopWorks: Bool = false) -> Bench {
    var bench = Bench.doing(activity)
    bench.send(.command(.set(["lock.stopWorks": .flag(stopWorks)])))
    bench.tap(.lock)
    return bench
  }

  @Test func `Locking shows how to unlock, for two seconds`() {
    var bench = Bench.doing(.recording)
    bench.down(.lock)
    let until = bench.now + .seconds(2)
    #expect(bench.effects == [.setTimer(.lockHintExpires, at: until), .announce(.lock(true))])
    #expect(bench.state.lock.hintUntil == until)
    bench.now = until
    bench.send(.timer(.lockHintExpires))
    #expect(bench.state.lock.hintUntil == nil)
    #expect(bench.state.isLocked)
  }

  @Test func `The hold that locked does not unlock`() {
    var bench = Bench.doing(.idle)
    bench.hold(.lock, 5000)
    #expect(bench.state.isLocked)
  }

  @Test(arguments: Button.allCases.filter { $0 != .lock }, Activity.allCases)
  func `A locked key does nothing and says why`(key: Button, activity: Activity) {
    var bench = locked(activity)
    bench.hold(key, 3000)
    #expect(bench.effects.ignored == [.locked])
    #expect(bench.effects.orders.isEmpty)
    #expect(bench.state.activity == activity)
    #expect(bench.effects.contains { if case .setTimer(.lockHintExpires, _) = $0 { true } else { false } })
  }

  @Test func `A tap on LOCK under the lock is refused and shows the hint`() {
    var bench = locked(.idle)
    bench.tap(.lock)
    #expect(bench.effects.ignored == [.locked])
  }

  @Test(arguments: [Activity.recording, .paused])
  func `By setting, a held STOP ends the take, as of its press`(activity: Activity) {
    var bench = locked(activity, stopWorks: true)
    let pressed = bench.now
    #expect(bench.tap(.stop).ignored == [.locked])
    let held = bench.now
    bench.hold(.stop, 700)
    #expect(bench.effects.orders == [.recorder(.stop(at: held, reason: .user))])
    #expect(bench.effects.ignored.isEmpty)
    #expect(bench.state.isLocked)
    #expect(held > pressed)
  }

  @Test func `A key that is down when the lock comes loses its meaning`() {
    var bench = Bench.doing(.playing)
    bench.down(.left)
    bench.wait(700)
    bench.down(.lock)
    #expect(bench.effects.orders == [.player(.scrub(direction: 0))])
    #expect(bench.wait(600).orders.isEmpty)
    #expect(bench.up(.left).isEmpty)
  }

  @Test func `A tap that the lock overtakes is no tap, and not the user's mistake`() {
    var bench = Bench.doing(.playing)
    bench.down(.left)
    bench.wait(50)
    bench.tap(.lock)
    #expect(bench.up(.left).isEmpty)
  }

  @Test func `A key that is held from before the lock to after it stays dead`() {
    var bench = Bench.doing(.recording)
    bench.down(.right)
    bench.tap(.lock)
    bench.hold(.lock, 2000)
    #expect(!bench.state.isLocked)
    bench.wait(2000)
    #expect(bench.state.settings.inputGain == 1)
  }

  @Test func `A STOP that was pressed under the lock does not act when the lock goes`() {
    var bench = locked(.recording, stopWorks: true)
    bench.down(.stop)
    bench.wait(100)
    bench.send(.command(.unlock))
    #expect(bench.up(.stop).isEmpty)
    #expect(bench.state.activity == .recording)
  }

  @Test func `A key pressed under the lock stays dead until it is pressed anew`() {
    var bench = locked(.playing)
    bench.down(.left)
    bench.wait(100)
    bench.hold(.lock, 2000)
    #expect(!bench.state.isLocked)
    #expect(bench.wait(1000).isEmpty)
    bench.up(.left)
    bench.tap(.left)
    #expect(bench.effects.orders == [.player(.seek(by: -10))])
  }

  @Test func `The console is not locked out`() {
    var bench = locked(.idle)
    bench.send(.command(.record))
    #expect(bench.state.activity == .recording)
    bench.send(.command(.unlock))
    #expect(!bench.state.isLocked)
    #expect(bench.effects.announcements == [.lock(false)])
  }

  @Test func `What the recorder reports still counts`() {
    var bench = locked(.recording)
    bench.send(.recorder(.stopping(.storageFull)))
    bench.send(.recorder(.saved(.take(2), .storageFull)))
    #expect(bench.state.activity == .idle)
    #expect(bench.state.isLocked)
  }
}
