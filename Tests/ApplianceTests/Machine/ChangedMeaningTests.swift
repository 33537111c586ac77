import Appliance
import Hardware
import Testing

/// Keys whose tap means something else when they come up than when they went down: nobody has meant that.
@Suite struct ChangedMeaningTests {
  /// One key goes down, something happens, and it comes up in time for a tap.
  private func tap(_ key: Button, _ bench: inout Bench, meanwhile: (inout Bench) -> Void) {
    bench.down(key)
    bench.wait(60)
    meanwhile(&bench)
    bench.wait(60)
    bench.up(key)
  }

  @Test func `STOP that went down before REC does not end the take`() {
    var bench = Bench.doing(.idle)
    tap(.stop, &bench) { $0.tap(.rec) }
    #expect(bench.effects.orders.isEmpty)
    #expect(bench.state.activity == .recording)
    // The next one does.
    bench.tap(.stop)
    #expect(bench.state.activity == .saving)
  }

  @Test func `CENTRE that went down before REC sets no mark in the take`() {
    var bench = Bench.doing(.idle)
    tap(.centre, &bench) { $0.tap(.rec) }
    #expect(bench.effects.orders.isEmpty && bench.state.activity == .recording)
  }

  @Test func `CENTRE that was to pause what has ended meanwhile does not play it again`() {
    var bench = Bench.doing(.playing)
    tap(.centre, &bench) { $0.send(.player(.ended)) }
    #expect(bench.effects.orders.isEmpty && bench.state.activity == .idle)
  }

  @Test func `What means the same as before is done, whatever else has happened`() {
    var bench = Bench.doing(.playing)
    tap(.centre, &bench) { $0.send(.storage(.low)) }
    #expect(bench.effects.orders == [.player(.pause)])
  }

  @Test func `A key that is held in the options while REC begins a take does not change its level`() {
    var bench = Bench()
    let isThere = bench.goTo(option: "Brightness")
    #expect(isThere)
    bench.down(.left)
    bench.wait(900)
    bench.tap(.rec)
    let settings = bench.state.settings
    bench.wait(3000)
    #expect(bench.state.activity == .recording && bench.state.settings == settings)
    bench.up(.left)
    bench.tap(.left)
    #expect(bench.state.settings.inputGain == settings.inputGain - 1)
  }

  @Test func `LEFT that went down to scrub deletes no mark of the list that has opened since`() {
    var bench = Bench.doing(.playing)
    bench.send(.library(.marks(take: TakeReference.take(1).id, [MarkReference(id: "a", frame: 4800)])))
    bench.down(.down)
    bench.wait(300)
    bench.down(.left)
    bench.wait(1000)
    #expect(bench.state.screen == .marks && bench.effects.orders.isEmpty)
  }
}
