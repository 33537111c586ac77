import Hardware
import TestSupport
import Testing

@testable import Appliance

/// Date, time and zone by the eight keys.
@Suite struct ClockTests {
  private static func time(_ text: String) -> WallTime { WallTime(iso8601: text) ?? WallTime(seconds: 0) }

  /// The editor, opened by keys, of a clock that shows this.
  private func bench(_ text: String = "2026-11-23T20:58:30Z", zone: String = "UTC") -> Bench {
    var bench = Bench()
    bench.send(.command(.set(["clock.zone": .text(zone)])))
    let isThere = bench.goTo(option: "Date, time")
    #expect(isThere)
    bench.tap(.centre)
    #expect(bench.effects.contains(.clock(.tell)))
    #expect(bench.state.screen == .clock)
    bench.send(.clock(.shows(Self.time(text))))
    return bench
  }

  private func texts(_ bench: Bench) -> [String] {
    guard let draft = bench.state.shown.clock else { return [] }
    return ClockDraft.Field.allCases.map { draft.text(of: $0) }
  }

  @Test func `What is set is told only when the clock shows it`() {
    var bench = bench(zone: "Europe/Berlin")
    #expect(texts(bench) == ["2026", "11", "23", "21", "58", "Europe/Berlin"])
    for _ in 0..<3 { bench.tap(.right) }
    bench.tap(.up)
    bench.tap(.centre)
    #expect(bench.effects.contains(.clock(.set(Self.time("2026-11-23T21:58:00Z")))))
    #expect(bench.state.notice == nil && bench.state.screen == .clock)
    // Not twice, nor something else meanwhile.
    #expect(bench.tap(.centre).ignored == [.busy("clock")])
    bench.send(.clock(.set(Self.time("2026-11-23T21:58:00.1Z"))))
    #expect(bench.state.notice?.text == "The clock shows 2026-11-23 22:58.")
    #expect(bench.state.screen == .options && bench.state.options.row == .clock)
  }

  @Test func `A clock that does not follow is told, and can be tried again`() {
    var bench = bench()
    bench.tap(.up)
    bench.tap(.centre)
    bench.send(.clock(.failed(code: "internal", text: "mynah-clock.service")))
    #expect(bench.state.notice?.text == "The clock was not set: try again, or see the log.")
    #expect(bench.effects.announcements == [.error(code: "internal", text: "mynah-clock.service")])
    bench.tap(.centre)
    bench.tap(.centre)
    #expect(bench.effects.contains(.clock(.set(Self.time("2027-11-23T20:58:00Z")))))
  }

  @Test func `A zone alone is a setting, and leaves the clock alone`() {
    var bench = bench()
    for _ in 0..<5 { bench.tap(.right) }
    #expect(bench.tap(.right).ignored == [.atLimit])
    bench.hold(.down, 1300)
    #expect(bench.state.shown.clock?.zone.hasPrefix("A") == true)
    while bench.state.shown.clock?.zone != "Asia/Kolkata" { bench.tap(.down) }
    #expect(texts(bench)[3...4] == ["02", "28"])
    bench.tap(.centre)
    #expect(!bench.effects.contains { if case .clock = $0 { true } else { false } })
    #expect(bench.state.settings.zone == "Asia/Kolkata" && bench.effects.contains(.saveSettings))
    #expect(bench.state.notice?.text == "Zone: Asia/Kolkata.")
  }

  @Test func `STOP, REC and the options leave the clock as it is`() {
    for key in [Button.stop, .rec] {
      var bench = bench()
      bench.tap(.up)
      let effects = bench.tap(key)
      #expect(!effects.contains { if case .clock = $0 { true } else { false } })
      #expect(bench.state.shown.clock == nil)
      #expect(bench.state.screen == (key == .stop ? .options : .main))
    }
  }

  @Test func `The guide leads back to what was being set`() {
    var bench = bench()
    bench.tap(.up)
    bench.hold(.up, 700)
    #expect(bench.state.keyGuide.contains { $0.text == "CENTRE: set the clock" })
    bench.tap(.stop)
    #expect(texts(bench).first == "2027")
  }

  @Test func `A clock that is not set begins with 2026, within what clocks can hold`() {
    var bench = bench("1970-01-01T00:00:07Z")
    #expect(texts(bench) == ["2026", "01", "01", "00", "00", "UTC"])
    bench.hold(.down, 3000)
    #expect(texts(bench).first == "2025")
    #expect(bench.tap(.down).ignored == [.atLimit])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `Whatever is pressed, what would be set is a time that the clock can hold`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var draft = ClockDraft(WallTime(seconds: 1_700_000_000 + random.below(2_000_000_000)), zone: "Europe/London")
    for round in 0..<20_000 {
      if random.below(4) == 0 {
        _ = draft.go(by: random.below(2) == 0 ? -1 : 1)
      } else {
        _ = draft.change(by: random.below(2) == 0 ? -1 : 1, isFast: random.below(3) == 0)
      }
      let shown = ClockDraft.Field.allCases.map { draft.text(of: $0) }
      guard let time = draft.wish.time else { continue }
      let zone = Zone(draft.zone) ?? .utc
      let year = zone.day(at: time).year
      guard (2025...2099).contains(year), ZoneNames.rule(draft.zone) != nil else {
        Issue.record("seed \(seed), round \(round): \(shown)")
        return
      }
      // But for the hour that is skipped in spring it shows what was chosen.
      let text = zone.dateText(time, in: .english)
      let chosen = "\(shown[0])-\(shown[1])-\(shown[2]) \(shown[3]):\(shown[4])"
      if text != chosen, !["01", "02", "03", "00", "23"].contains(shown[3]) {
        Issue.record("seed \(seed), round \(round): \(chosen) became \(text)")
        return
      }
    }
  }
}
