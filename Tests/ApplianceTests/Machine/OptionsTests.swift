import Hardware
import Testing

@testable import Appliance

@Suite struct OptionsTests {
  /// The menu of the first mode that has a row of this label.
  private func menu(at label: String = "Quality") -> Bench {
    let mode = Mode.allCases.first { $0.optionsRows.contains { $0.title.words.english == label } }
    var bench: Bench =
      switch mode {
      case .dub: .dubbing(.idle)
      case .clips: .clips()
      case .feed: .feeding(.idle)
      case .dictaphone, nil: Bench()
      }
    if !bench.goTo(option: label) { Issue.record("no row \(label) in the menu") }
    return bench
  }

  @Test func `A change is taken, announced and kept`() {
    var bench = menu(at: "Format")
    bench.tap(.right)
    #expect(
      bench.effects == [
        .announce(.settingChanged(key: "recording.format", value: .text("wav"))), .saveSettings,
        .applySettings(.recorder),
      ])
    #expect(bench.state.settings.recordingFormat == .wav)
    for _ in 0..<6 { bench.tap(.right) }
    #expect(bench.state.settings.recordingFormat == .mulaw)
    #expect(bench.effects.ignored == [.atLimit])
  }

  @Test func `A preset announces every setting it changes`() {
    var bench = menu()
    bench.tap(.left)
    #expect(
      bench.effects.announcements == [
        .settingChanged(key: "recording.bitrateKbps", value: .integer(128)),
        .settingChanged(key: "recording.sampleRate", value: .integer(44_100)),
        .settingChanged(key: "recording.channels", value: .integer(1)),
      ])
    #expect(bench.effects.filter { $0 == .saveSettings }.count == 1)
    #expect(OptionsRow.preset.words(in: bench.state.settings).english == "Low")
  }

  @Test func `Every row steps to both its ends, within what the settings allow`() throws {
    for row in Mode.allCases.flatMap(\.optionsRows) where row.isValue && row.title.words.english != "Source" {
      var bench = menu(at: row.title.words.english)
      for key in [Button.right, .left, .right] {
        for _ in 0..<30 { bench.tap(key) }
        #expect(bench.effects.ignored == [.atLimit], "\(row.title)")
        #expect(!row.words(in: bench.state.settings).english.isEmpty)
        var copy = Settings()
        for described in Settings.table {
          try copy.set(described.key, to: #require(bench.state.settings.value(of: described.key)))
        }
        #expect(copy == bench.state.settings)
      }
    }
  }

  @Test func `The source steps to the microphone that is there, which comes first from then on`() {
    var bench = menu(at: "Source")
    bench.send(.command(.set(["recording.source": .text(" a , b,a ")])))
    #expect(bench.state.settings.sources == "a,b")
    #expect(bench.tap(.right).orders == [.recorder(.stepSource(by: 1))])
    #expect(bench.tap(.left).orders == [.recorder(.stepSource(by: -1))])
    bench.send(.recorder(.sourceBeside("b")))
    #expect(bench.state.settings.sources == "b,a")
    #expect(bench.effects.contains(.saveSettings))
    bench.send(.sourceChanged(to: "b", from: "a", .chosen))
    #expect(bench.state.notice?.text == "Microphone: b.")
    #expect(bench.state.words(of: bench.state.options.row).english == "b")
    bench.send(.sourceChanged(to: "board", from: "b", .lost))
    #expect(bench.state.notice?.text == "Microphone b is lost: board is heard.")
    #expect(bench.state.words(of: bench.state.options.row).english == "board")
  }

  @Test func `A bit rate between two steps goes to the next one`() {
    var bench = menu(at: "Bit rate")
    bench.send(.command(.set(["recording.bitrateKbps": .integer(200)])))
    #expect(OptionsRow.preset.words(in: bench.state.settings).english == "Custom")
    bench.tap(.right)
    #expect(bench.state.settings.recordingBitrateKbps == 224)
  }

  @Test func `A group ends at both ends, CENTRE closes the menu, STOP goes back to the groups and then closes it`() {
    for key in [Button.stop, .centre] {
      var bench = menu()
      #expect(bench.tap(.up).ignored == [.atLimit])
      bench.hold(.down, 8000)
      #expect(bench.state.options.selected == bench.state.options.rows.count - 1)
      bench.tap(key)
      if key == .stop {
        #expect(bench.state.options.group == nil && bench.state.options.row.title == .sound)
        bench.tap(.stop)
      }
      #expect(bench.state.modeName == "dictaphone.idle")
      #expect(bench.effects.orders.isEmpty)
    }
  }

  @Test(arguments: Mode.allCases)
  func `Every row is a few presses away: eight at most in a list, no title twice`(mode: Mode) {
    #expect(mode.optionsMenu.count <= 8)
    for group in mode.optionsMenu {
      #expect(group.rows.count <= 8)
      #expect(group.rows.allSatisfy { $0.rows.isEmpty }, "two levels")
    }
    let titles = mode.optionsRows.map(\.title)
    #expect(Set(titles).count == titles.count)
    if mode == .dub { #expect(mode.optionsMenu.first == .setting(\.dubLanguage)) }
  }

  @Test func `A setting that has a place in the menu is in one`() {
    let keys = Set(Mode.allCases.flatMap(\.optionsRows).compactMap(\.key))
    for setting in Settings.table where setting.menu != nil { #expect(keys.contains(setting.key), "\(setting.key)") }
  }

  @Test func `RIGHT opens a group and LEFT leaves the menu, held no more than that; a group keeps its place`() {
    var bench = Bench()
    bench.hold(.centre, 700)
    let before = bench.state.settings
    bench.hold(.right, 3000)
    #expect(bench.state.options.group?.title == .sound && bench.state.options.selected == 0)
    #expect(bench.state.settings == before)
    bench.tap(.down)
    bench.tap(.down)
    bench.tap(.stop)
    bench.tap(.right)
    #expect(bench.state.options.row.title == .bitRate)
    bench.tap(.stop)
    bench.hold(.left, 3000)
    #expect(bench.state.screen == .main && bench.effects.orders.isEmpty)
  }

  @Test func `The guide over the options tells their keys, and leads back to the row`() {
    var bench = menu(at: "Limiter")
    bench.hold(.up, 700)
    #expect(bench.state.keyGuide.contains { $0.text == "RIGHT: more, open" })
    bench.tap(.stop)
    #expect(bench.state.screen == .options && bench.state.options.row.title == .limiter)
  }

  @Test func `The hold that opened the menu does nothing else in it`() {
    var bench = Bench.doing(.playing)
    bench.hold(.centre, 3000)
    #expect(bench.state.modeName == "dictaphone.options")
    #expect(bench.state.activity == .playing)
  }

  @Test func `UP goes to the speed of playing, also from a speed between two steps`() {
    var bench = Bench.doing(.playing)
    bench.send(.command(.set(["playback.rate": .number(1.05)])))
    bench.tap(.up)
    #expect(bench.state.options.row.key == "playback.rate")
    bench.tap(.right)
    #expect(bench.state.settings.playbackRate == 1.1)
    #expect(bench.effects.contains(.applySettings(.player)))
    #expect(bench.state.activity == .playing)
    // Whoever came straight here leaves straight away.
    bench.tap(.stop)
    #expect(bench.state.screen == .main)
  }
}
