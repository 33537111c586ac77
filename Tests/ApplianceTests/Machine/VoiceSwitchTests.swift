import Hardware
import Testing

@testable import Appliance

/// The voice, switched on by somebody who cannot read that there is one.
@Suite struct VoiceSwitchTests {
  @Test(arguments: Activity.allCases)
  func `UP held on for three seconds switches the voice on, and off again, whatever goes on`(activity: Activity) {
    var bench = Bench.doing(activity)
    bench.hold(.up, 2900)
    #expect(!bench.state.settings.hasVoice)
    bench = Bench.doing(activity)
    bench.hold(.up, 3300)
    #expect(bench.state.settings.hasVoice)
    #expect(bench.state.notice?.text == "The voice is on.")
    #expect(bench.effects.contains(.saveSettings))
    bench.hold(.up, 9000)
    #expect(bench.state.settings.hasVoice, "in the guide a held UP scrolls")
    var again = Bench.doing(activity)
    again.hold(.up, 3300)
    again.send(.command(.showScreen(.main)))
    again.hold(.up, 9000)
    #expect(!again.state.settings.hasVoice, "once a hold")
    #expect(again.state.notice?.text == "The voice is off." || again.state.notice == nil)
  }

  @Test func `In every mode, and under no lock`() {
    for bench in [Bench.clips(), .dubbing(.idle), .dubbing(.playing)] {
      var bench = bench
      bench.hold(.up, 3300)
      #expect(bench.state.settings.hasVoice)
    }
    var locked = Bench()
    locked.tap(.lock)
    locked.hold(.up, 5000)
    #expect(!locked.state.settings.hasVoice)
  }

  @Test(arguments: Language.allCases)
  func `The first thing it says is that it is there, then where one is`(language: Language) {
    var bench = Bench { $0.settings.language = language }
    bench.hold(.up, 3300)
    let prompt = Prompter.greeting(bench.state, PromptFigures())
    #expect(prompt.language == language)
    #expect(prompt.text.hasPrefix(language == .english ? "The voice is on. " : "Голос включён. "), "\(prompt.text)")
    #expect(prompt.text.contains(language == .english ? "Keys and info" : "Кнопки и сведения"), "\(prompt.text)")
  }

  @Test func `During a take it says so when the take is over`() {
    var bench = Bench.doing(.recording)
    bench.hold(.up, 3300)
    var gate = PromptGate()
    #expect(gate.pass(Prompter.greeting(bench.state, PromptFigures()), bench.state).isEmpty)
    bench.send(.command(.stop))
    bench.send(.recorder(.saved(.take(2), .user)))
    #expect(gate.pass(nil, bench.state).map(\.text) == ["The voice is on."])
  }

  @Test func `The guide names it wherever it works`() {
    for state in [Bench.doing(.idle).state, Bench.clips().state, Bench.dubbing().state] {
      #expect(state.keyGuide.contains { $0.text == "hold UP: voice on, off (3 s)" })
    }
  }
}
