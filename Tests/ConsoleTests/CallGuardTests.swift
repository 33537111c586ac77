import Console
import Hardware
import JSON
import Testing

/// Knows one operator, whose password is their name backwards.
private final class FakeGuard: CallGuard {
  let isOn = true
  private(set) var calls: [GuardedCall] = []
  private(set) var actor: String?

  func logIn(
    _ name: String, _ password: String, from console: String,
    reply: @escaping (Result<SignedIn, CommandFailure>) -> Void
  ) {
    guard password == String(name.reversed()) else { return reply(.failure(CommandFailure(.denied, "wrong"))) }
    reply(.success(SignedIn(name: name, role: name == "boss" ? .technician : .viewer)))
  }

  func noteLogOut(_ who: SignedIn, from console: String, isIdle: Bool) {}
  func note(_ call: GuardedCall) { calls.append(call) }

  func act(as who: String?, _ work: () -> Void) {
    actor = who
    work()
    actor = nil
  }
}

@Suite struct CallGuardTests {
  private func bench() -> (Bench, FakeGuard) {
    let bench = Bench()
    let guardian = FakeGuard()
    bench.device.guardian = guardian
    bench.start()
    _ = bench.take()
    return (bench, guardian)
  }

  @Test("Before a login TAB and help offer what is answered then, and nothing is looked up")
  func strangers() {
    let (bench, guardian) = bench()
    bench.type("p\t")
    #expect(bench.screen() == ["page"])
    bench.type("\u{15}list \t\u{15}play 00\t")
    #expect(!bench.take().contains("000001"))
    bench.type("\u{15}play 7\r")
    #expect(bench.screen().contains { $0.contains("(denied)") })
    #expect(bench.device.identified.isEmpty && bench.device.calls.isEmpty)
    bench.type("help\r")
    let help = bench.take()
    #expect(help.contains("  login ") && help.contains("  whoami "))
    #expect(!help.contains("  settings ") && help.contains("more are for those who log in"))
    #expect(guardian.calls.map(\.method) == ["player.play"])
  }

  @Test("A password is not shown, not kept, and may be mended while it is typed; ^C gives up")
  func passwords() {
    let (bench, _) = bench()
    bench.type("login boss\r")
    #expect(bench.screen() == ["login boss", "password:"])
    bench.type("ssobx\u{7F}\r")
    #expect(bench.screen() == ["", "boss, technician", "mynah>"])
    bench.type("\u{1B}[A")
    #expect(bench.take() == "\u{7}")
    bench.type("login boss\rss\u{3}")
    #expect(!bench.take().contains("ss\r"))
    bench.type("whoami\r")
    #expect(bench.screen().contains("boss, technician"))
  }

  @Test("Each role is offered what it may; logging out takes history and events away")
  func roles() {
    let (bench, _) = bench()
    bench.type("login ann\rnna\r")
    bench.type("status\rmark\r")
    #expect(bench.device.calls.map(\.method) == ["recorder.status"])
    _ = bench.take()
    bench.type("se\t")
    // Of settings there is something to see for everybody who has logged in.
    #expect(bench.take().contains("settings "))
    bench.type("\u{15}events\rlogout\r")
    _ = bench.take()
    bench.deliver(EventHub().publish(.onMark, [:], at: .zero))
    #expect(bench.take().isEmpty)
    bench.type("\u{1B}[A\u{1B}[A\u{1B}[A")
    #expect(!bench.take().contains("status"))
  }
}
