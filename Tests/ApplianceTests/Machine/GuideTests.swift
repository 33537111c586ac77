import Hardware
import Testing

@testable import Appliance

@Suite struct GuideTests {
  @Test func `The guide says what the keys do in the state beneath it`() {
    let bench = Bench.doing(.recording, screen: .guide)
    #expect(
      bench.state.keyGuide.map(\.text) == [
        "REC: pause", "STOP: stop and save", "CENTRE: mark", "hold CENTRE: options", "LEFT: input level -1 dB",
        "RIGHT: input level +1 dB", "UP: source", "hold UP: guide", "LOCK: lock",
        "hold UP: voice on, off (3 s)", "hold LOCK: unlock (2 s)",
      ])
  }

  @Test func `The guide of the list says how to delete`() {
    let lines = Bench.doing(.idle).state.keyGuide(on: .files)
    #expect(lines.contains { $0.key == .right && $0.isHeld && $0.meaning == "delete" })
  }

  @Test func `What a guide says of a tap is no refusal`() {
    for activity in Activity.allCases {
      for screen in Screen.allCases where screen != .guide && screen != .receipt {
        let bench = Bench.doing(activity, screen: screen)
        for line in bench.state.keyGuide where !line.isHeld {
          var pressed = bench
          pressed.tap(line.key)
          let isMeaningless = pressed.effects.ignored.contains { if case .noMeaning = $0 { true } else { false } }
          #expect(!isMeaningless, "\(activity) \(screen) \(line.text)")
        }
      }
    }
  }

  @Test func `UP and DOWN scroll the guide, and another key closes it`() {
    var bench = Bench.doing(.idle)
    bench.hold(.up, 700)
    #expect(bench.state.screen == .guide)
    #expect(bench.tap(.up).ignored == [.atLimit])
    bench.hold(.down, 5000)
    #expect(bench.state.shown.guideLine == bench.state.keyGuide.count - 1)
    bench.tap(.left)
    #expect(bench.state.screen == .main)
    #expect(bench.effects.orders.isEmpty)
  }

  @Test func `A held STOP is told with the mode that it goes to`() {
    var bench = Bench {
      $0.dub.isAvailable = true
      $0.clips.isAvailable = true
      $0.feed.isAvailable = true
    }
    for name in ["clips", "dubbing", "the feed", "dictaphone"] {
      let line = bench.state.keyGuide.first { $0.key == .stop && $0.isHeld }
      #expect(line?.meaning == "go to \(name)")
      bench.hold(.stop, 700)
    }
  }
}
