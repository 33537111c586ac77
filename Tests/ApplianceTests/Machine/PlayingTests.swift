import Appliance
import Hardware
import Testing

@Suite struct PlayingTests {
  @Test func `With nothing loaded, playback keys say so`() {
    for key in [Button.centre, .left, .right] {
      var bench = Bench()
      bench.tap(key)
      #expect(bench.effects.ignored == [.nothingLoaded])
      #expect(bench.state.notice?.severity == .information)
      #expect(bench.state.notice?.expires != nil)
    }
  }

  @Test func `The end of the take goes back to its beginning, stopped`() {
    var bench = Bench.doing(.playing)
    bench.send(.player(.ended))
    #expect(
      bench.effects == [
        .player(.load(id: "take1.m4a", playing: false, fromStart: true)),
        .announce(.modeChanged(from: "dictaphone.playing", to: "dictaphone.idle")),
      ])
  }

  @Test func `A take that breaks off says so, and stays`() {
    var bench = Bench.doing(.playing)
    bench.send(.player(.brokeOff(code: "damaged", text: "take1.m4a: nothing is left of it")))
    #expect(bench.state.notice?.severity == .error && bench.state.notice?.code == "damaged")
    bench.send(.player(.ended))
    #expect(bench.effects.orders == [.player(.load(id: "take1.m4a", playing: false, fromStart: true))])
    #expect(bench.state.loaded?.id == "take1.m4a")
    // It is about one that is not there any more.
    var other = Bench()
    other.send(.player(.brokeOff(code: "damaged", text: "")))
    #expect(other.effects.isEmpty)
  }

  @Test func `Scrubbing to the end ends the scrubbing`() {
    var bench = Bench.doing(.playing)
    bench.down(.right)
    bench.wait(700)
    #expect(bench.state.scrubbing == 1)
    bench.send(.player(.ended))
    #expect(bench.state.scrubbing == 0)
    #expect(
      bench.effects.orders == [
        .player(.scrub(direction: 0)), .player(.load(id: "take1.m4a", playing: false, fromStart: true)),
      ])
    #expect(bench.up(.right).isEmpty)
  }

  @Test func `The other direction takes the scrubbing over, and only its own release ends it`() {
    var bench = Bench.doing(.playing)
    bench.down(.left)
    bench.wait(700)
    bench.down(.right)
    bench.wait(700)
    #expect(bench.state.scrubbing == 1)
    #expect(bench.up(.left).isEmpty)
    #expect(bench.up(.right) == [.player(.scrub(direction: 0))])
  }

  @Test func `REC during a scrub while stopped ends the scrub and records`() {
    var bench = Bench.doing(.idle)
    bench.down(.left)
    bench.wait(700)
    bench.tap(.rec)
    #expect(
      bench.effects.orders == [.player(.scrub(direction: 0)), .recorder(.start(at: .ms(10_700)))])
  }

  @Test func `A speaker lost pauses playback where it is`() {
    var bench = Bench.doing(.playing)
    bench.send(.deviceLost(.speaker, text: "hw:0"))
    #expect(bench.state.activity == .playbackPaused)
    #expect(bench.effects.orders == [.player(.pause)])
    bench.tap(.centre)
    #expect(bench.effects.ignored == [.deviceMissing(.speaker)])
    bench.send(.deviceReturned(.speaker, text: "hw:0"))
    #expect(bench.state.notice == nil)
    bench.tap(.centre)
    #expect(bench.state.activity == .playing)
  }

  @Test func `A take that cannot be played leaves the player, with its reason`() {
    var bench = Bench.doing(.playing)
    bench.send(.player(.failed(code: "not-found", text: "Take 1 is gone.")))
    #expect(bench.state.activity == .idle)
    #expect(bench.state.loaded == nil)
    #expect(bench.effects.announcements.first == .error(code: "not-found", text: "Take 1 is gone."))
  }

  @Test func `A mark is announced with the take and frame that the player reports`() {
    var bench = Bench.doing(.playing)
    bench.tap(.rec)
    bench.send(.player(.marked(frame: 99)))
    #expect(bench.effects.announcements == [.mark(takeID: "take1.m4a", frame: 99)])
  }

  @Test func `REC while the take is still being opened says so: there is no place to mark yet`() {
    for key in [Button.rec, .mark] {
      var bench = Bench.doing(.idle)
      bench.send(.command(.play(id: "take7.m4a")))
      bench.tap(key)
      #expect(bench.effects.ignored == [.busy("opening")] && bench.effects.orders.isEmpty)
      #expect(bench.state.notice?.text == "The take is being opened: press REC again.")
      #expect(bench.state.activity == .playing)
      bench.send(.player(.loaded(.take(7), frame: 0)))
      #expect(bench.tap(key).orders == [.player(.mark(title: nil))])
    }
  }

  @Test func `The end of the take before does not stop the one just chosen`() {
    var bench = Bench.doing(.playing)
    bench.send(.command(.play(id: "take7.m4a")))
    bench.send(.player(.ended))
    #expect(bench.effects.isEmpty)
    #expect(bench.state.activity == .playing)
    bench.send(.player(.loaded(.take(7), frame: 0)))
    #expect(bench.state.loaded == .take(7))
    bench.send(.player(.ended))
    #expect(bench.state.activity == .idle)
  }

  @Test func `The take from before a restart is adopted, a stale answer is not`() {
    var bench = Bench()
    bench.send(.player(.loaded(.take(4), frame: 7)))
    #expect(bench.state.loaded == .take(4))
    bench.send(.player(.loaded(.take(5), frame: 7)))
    #expect(bench.state.loaded == .take(4))
  }
}
