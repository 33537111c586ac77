import Hardware
import TestSupport
import Testing

@testable import Appliance

/// Schedules by the eight keys.
@Suite struct ScheduleMenuTests {
  private func bench(_ schedules: String = "") -> Bench {
    var bench = Bench()
    bench.send(.command(.set(["recording.schedules": .text(schedules)])))
    return bench
  }

  /// The list, by keys alone.
  private func list(_ schedules: String = "") -> Bench {
    var bench = bench(schedules)
    let isThere = bench.goTo(option: "Schedules")
    #expect(isThere)
    bench.tap(.centre)
    #expect(bench.state.screen == .schedules)
    return bench
  }

  private func value(_ bench: Bench) -> String {
    guard let draft = bench.state.shown.schedules.draft else { return "" }
    return draft.texts[draft.selected].title.english + " " + draft.texts[draft.selected].value.english
  }

  @Test func `With nothing but keys a schedule is added, and what comes next is told once`() {
    var bench = list()
    bench.tap(.centre)
    #expect(bench.state.screen == .schedule)
    #expect(value(bench) == "Days daily")
    bench.tap(.right)
    #expect(value(bench) == "Days Mon-Fri")
    bench.tap(.down)
    bench.tap(.down)
    bench.tap(.right)
    #expect(value(bench) == "at 06:05")
    // 5 minutes as it goes down, then half hours.
    bench.hold(.left, 1300)
    #expect(value(bench) == "at 04:00")
    #expect(bench.state.settings.schedules == "")
    bench.tap(.stop)
    #expect(bench.state.screen == .schedules)
    #expect(bench.state.settings.schedules == "1 on mon,tue,wed,thu,fri 04:00 07:00")
    #expect(bench.effects.contains(.saveSettings) && bench.effects.contains(.applySettings(.schedules)))
    bench.send(.schedule(.planned(.nextSchedule(Translated("Mon 04:00")))))
    #expect(bench.state.notice?.text == "Next: Mon 04:00.")
    bench.send(.timer(.noticeExpires))
    bench.now = bench.now + .seconds(4)
    bench.send(.timer(.noticeExpires))
    bench.send(.schedule(.planned(.nextSchedule(Translated("Tue 04:00")))))
    #expect(bench.state.notice == nil)
  }

  @Test func `LEFT and RIGHT switch one off and on; held they delete it and bring it back`() {
    var bench = list("3 on daily 06:00 07:00; 5 off sat 08:00 09:00")
    bench.tap(.left)
    #expect(bench.state.settings.schedules == "3 off daily 06:00 07:00; 5 off sat 08:00 09:00")
    #expect(bench.tap(.left).ignored == [.atLimit])
    bench.tap(.down)
    bench.tap(.right)
    #expect(bench.state.settings.schedules == "3 off daily 06:00 07:00; 5 on sat 08:00 09:00")
    bench.hold(.left, 650)
    #expect(bench.state.settings.schedules == "3 off daily 06:00 07:00")
    #expect(bench.state.notice?.text == "Sat 08:00-09:00 is deleted: hold RIGHT brings it back.")
    // Its number goes to another one meanwhile.
    bench.send(.command(.set(["recording.schedules": .text("5 on sun 10:00 11:00")])))
    bench.hold(.right, 650)
    #expect(bench.state.settings.schedules == "5 on sun 10:00 11:00; 6 on sat 08:00 09:00")
    #expect(bench.hold(.right, 650).ignored == [.atLimit])
    // Add, and zone and place, are no schedules.
    bench.hold(.down, 2000)
    #expect(bench.hold(.left, 650).ignored == [.atLimit])
    #expect(bench.tap(.right).ignored == [.atLimit])
  }

  @Test func `Every value has its keys: the sun, parts of the time, single days`() {
    var bench = list("1 on daily 06:00 07:00")
    bench.tap(.centre)
    bench.tap(.down)
    bench.tap(.right)
    #expect(value(bench) == "From sunrise")
    bench.tap(.down)
    bench.tap(.left)
    #expect(value(bench) == "before 5 min")
    bench.hold(.left, 5000)
    #expect(value(bench) == "before 360 min")
    #expect(bench.tap(.left).ignored == [.atLimit])
    for _ in 0..<3 { bench.tap(.down) }
    #expect(value(bench) == "Every all the time")
    #expect(bench.tap(.left).ignored == [.atLimit])
    for _ in 0..<5 { bench.tap(.right) }
    #expect(value(bench) == "Every 15 min")
    bench.tap(.down)
    bench.hold(.right, 5000)
    #expect(value(bench) == "for 10 min")
    for _ in 0..<7 {
      bench.tap(.down)
      bench.tap(.left)
    }
    // One day stays.
    #expect(value(bench) == "Sun on")
    bench.tap(.centre)
    #expect(bench.state.settings.schedules == "1 on sun sunrise-360 07:00 every 15 for 10")
  }

  @Test func `Zone and place are set by tenths and whole degrees, and count when they are left`() {
    var bench = list()
    bench.tap(.down)
    bench.tap(.centre)
    #expect(value(bench) == "Zone UTC")
    bench.tap(.right)
    bench.tap(.down)
    #expect(value(bench) == "Latitude not set")
    bench.hold(.right, 1000)
    #expect(value(bench) == "Latitude 3.0")
    bench.tap(.left)
    bench.tap(.down)
    bench.hold(.left, 40_000)
    bench.tap(.right)
    #expect(bench.state.settings.place == "")
    bench.hold(.up, 700)
    #expect(bench.state.screen == .guide)
    #expect(bench.state.settings.zone == ZoneNames.all[1])
    let place = Place(bench.state.settings.place)
    #expect(place?.latitude == 2.9 && (-180...180).contains(place?.longitude ?? 999))
  }

  @Test func `A schedule that begins its take keeps nothing of another one that is being edited`() throws {
    var bench = list()
    bench.tap(.centre)
    bench.tap(.right)
    #expect(bench.state.screen == .schedule)
    let key = try #require(Occurrence.Key("1@1795211700"))
    bench.send(.schedule(.begin(key)))
    #expect(bench.state.activity == .recording && bench.state.settings.schedules == "")
    #expect(bench.state.shown.schedules.draft == nil)
  }

  @Test func `REC records from the editor and changes no setting; what is edited when the power goes is kept`() {
    for schedules in ["", "1 on daily 06:00 07:00"] {
      var bench = list(schedules)
      bench.tap(.centre)
      bench.tap(.right)
      #expect(bench.state.screen == .schedule && value(bench) == "Days Mon-Fri")
      #expect(bench.tap(.rec).orders.count == 1)
      #expect(bench.state.activity == .recording && bench.state.screen == .main)
      #expect(bench.state.settings.schedules == schedules && !bench.effects.contains(.saveSettings))
      #expect(bench.state.shown.schedules.draft == nil)
    }
    // One that cannot record leaves the editor as it is.
    var without = list()
    without.send(.deviceLost(.microphone, text: "hw:1"))
    without.tap(.centre)
    without.tap(.centre)
    #expect(without.state.screen == .schedule)
    without.tap(.rec)
    #expect(without.effects.ignored == [.deviceMissing(.microphone)] && without.state.screen == .schedule)
    var other = list()
    other.tap(.centre)
    other.send(.command(.shutDown))
    #expect(other.state.settings.schedules == "1 on daily 06:00 07:00")
  }

  @Test func `The guide over the list and the editor tells their keys, and leads back to the list`() {
    for (presses, line) in [(0, "hold LEFT: delete"), (1, "hold RIGHT: much more")] {
      var bench = list("1 on daily 06:00 07:00")
      for _ in 0..<presses { bench.tap(.centre) }
      bench.hold(.up, 700)
      #expect(bench.state.screen == .guide)
      #expect(bench.state.keyGuide.contains { $0.text == line }, "\(bench.state.keyGuide.map(\.text))")
      bench.tap(.stop)
      #expect(bench.state.screen == .schedules)
      bench.tap(.stop)
      #expect(bench.state.screen == .main)
      bench.hold(.up, 700)
      #expect(!bench.state.keyGuide.contains { $0.text == line })
      bench.tap(.stop)
      #expect(bench.state.screen == .main)
    }
  }

  @Test func `There are sixteen at most`() {
    let full = (1...16).map { "\($0) off daily 06:00 07:00" }.joined(separator: "; ")
    var bench = list(full)
    for _ in 0..<16 { bench.tap(.down) }
    #expect(bench.tap(.centre).ignored == [.atLimit])
    #expect(bench.state.screen == .schedules && bench.state.settings.schedules == full)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `Whatever is pressed, what is kept is valid, STOP leads out, and REC records`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bench = list("1 on daily 06:00 07:00; 2 on sat sunset sunrise")
    let keys: [Button] = [.up, .down, .down, .left, .left, .right, .right, .centre, .stop]
    for round in 0..<6_000 {
      bench.hold(keys[random.below(keys.count)], random.below(4) == 0 ? Int64(600 + random.below(1500)) : 80)
      if random.below(12) == 0 { bench.send(.command(.showScreen(.schedules))) }
      let text = bench.state.settings.schedules
      if Schedules(text)?.text != text
        || (bench.state.shown.schedules.draft != nil) != (bench.state.screen == .schedule)
      {
        Issue.record("seed \(seed), round \(round): \(text)")
        return
      }
      var out = bench
      for _ in 0..<4 where out.state.screen != .main || out.state.activity != .idle { out.tap(.stop) }
      if out.state.screen != .main {
        Issue.record("seed \(seed), round \(round): no way out of \(bench.state.screen)")
        return
      }
      bench.tap(.down)
      if round % 50 == 0 {
        var recording = bench
        recording.tap(.stop)
        recording.tap(.stop)
        recording.tap(.rec)
        if recording.state.activity != .recording {
          Issue.record("seed \(seed), round \(round): REC does not record")
          return
        }
      }
    }
  }
}
