import Appliance
import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite struct LayoutTests {
  /// What is wrong with the texts of a drawn screen.
  static func faults(_ canvas: Canvas) -> [String] {
    let screen = Area(0, 0, canvas.frame.width, canvas.frame.height)
    var faults: [String] = []
    for (index, text) in canvas.texts.enumerated() {
      if !screen.contains(text.ink) { faults.append("\(text.shown) leaves the screen: \(text.ink)") }
      // Descenders and accents of foreign capitals may use the free row above and below.
      if !text.area.inset(0, -2).contains(text.ink) { faults.append("\(text.shown) leaves its area: \(text)") }
      if text.mustFit, text.shown != text.text { faults.append("\(text.text) is cut to \(text.shown)") }
      // Words that stand side by side need more than the gap between letters.
      let surroundings = Area(text.ink.x - 3, text.ink.y, text.ink.width + 6, text.ink.height)
      for other in canvas.texts[..<index] where !text.ink.isEmpty && other.ink.intersects(surroundings) {
        faults.append("\(text.shown) \(text.ink) collides with \(other.shown) \(other.ink)")
      }
    }
    if (0..<canvas.frame.height).contains(where: { canvas.frame[Canvas.width, $0] }) {
      faults.append("the last column is lit")
    }
    return faults
  }

  @Test("No text of a sample screen is cut, overlaps another or leaves its area", arguments: SampleScreens.all)
  func sample(sample: SampleScreen) {
    let faults = Self.faults(Screens.draw(sample.state, sample.readings, at: sample.now).canvas)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test("Nor is one in the other language or in large text", arguments: Look.allCases)
  func sample(look: Look) throws {
    for sample in try look.samples {
      let faults = Self.faults(Screens.draw(sample.state, sample.readings, at: sample.now).canvas)
      #expect(faults.isEmpty, "\(sample.name): \(faults.joined(separator: "\n"))")
    }
  }

  @Test("The row of the session is whole with every strategy, chosen and not", arguments: Language.allCases)
  func sessionRow(language: Language) throws {
    for choice in SessionChoice.allCases {
      var state = SampleScreens.state()
      try state.settings.set("session.strategy", to: .text(choice.rawValue))
      try state.settings.set("ui.language", to: .text(language.rawValue))
      let group = try #require(Mode.dictaphone.optionsMenu.firstIndex { $0.title == .microphone })
      let rows = Mode.dictaphone.optionsMenu[group].rows
      var readings = SampleScreens.readings()
      readings.options = rows.map { MenuRow($0, state) }
      for key in ["session.strategy", "session.talkBack"] {
        let row = try #require(rows.firstIndex { $0.key == key })
        // The last row is not in sight from the first.
        for selected in row < 5 ? [row, 0] : [row] {
          state.shown = ShownScreen(.options, options: OptionsMenu(group: group, selected: selected))
          let texts = Screens.draw(state, readings, at: .zero).canvas.texts
          let title = readings.options[row].title
          let value = readings.options[row].value
          #expect(texts.contains { $0.shown == title }, "\(title)")
          #expect(texts.contains { $0.shown == value || $0.shown == "◀ \(value) ▶" }, "\(title) \(value)")
        }
      }
    }
  }

  @Test("Whatever the state and the readings, texts stay whole, apart and in their areas")
  func anything() {
    var generator = SeededGenerator(seed: 1)
    for case_ in 0..<10_000 {
      let state = generator.state()
      let readings = generator.readings()
      let faults = Self.faults(Screens.draw(state, readings, at: Instant(nanoseconds: 1000)).canvas)
      guard faults.isEmpty else {
        Issue.record("case \(case_), \(state.modeName) on \(state.screen): \(faults.joined(separator: "\n"))")
        return
      }
    }
  }

  @Test("The lock icon is in sight on every screen while locked, and only then", arguments: Screen.allCases)
  func lockIcon(screen: Screen) {
    for activity in Activity.allCases {
      for hasNotice in [false, true] {
        var state = SampleScreens.state(activity)
        state.screen = screen
        if hasNotice { state.notice = Notice(severity: .error, code: "x", text: "Something is wrong.") }
        let open = Screens.render(state, SampleScreens.readings(), at: .zero)
        state.isLocked = true
        let locked = Screens.render(state, SampleScreens.readings(), at: .zero)
        var sign = Frame(width: 5, height: 8)
        var before = sign
        for x in 0..<5 {
          for y in 0..<7 {
            sign[x, y] = locked[122 + x, 1 + y]
            before[x, y] = open[122 + x, 1 + y]
          }
        }
        var expected = Frame(width: 5, height: 8)
        expected.icon(.lock, x: 0, y: 0)
        #expect(sign == expected, "\(activity)")
        #expect(before != expected, "\(activity)")
      }
    }
  }

  @Test("While a take is recorded or paused, every screen and card shows that and its time")
  func recordingInSight() {
    for screen in Screen.allCases {
      for (activity, word) in [(Activity.recording, "REC"), (.paused, "PAUSED")] {
        var state = SampleScreens.state(activity)
        state.screen = screen
        let texts = Screens.compose(state, SampleScreens.readings(), at: .zero).texts
        #expect(texts.contains(word))
        #expect(texts.contains("1h07m26s"))
        state.notice = Notice(severity: .warning, code: "x", text: "Storage is low.")
        let covered = Screens.compose(state, SampleScreens.readings(), at: .zero).texts
        #expect(covered.contains(word))
        #expect(covered.contains("1h07m26s"))
      }
    }
  }

  @Test("The lock hint goes when its time is over or the lock is off")
  func lockHint() {
    var state = SampleScreens.state()
    state.lock = Lock(isLocked: true, hintUntil: Instant(nanoseconds: 100))
    #expect(Screens.compose(state, Readings(), at: Instant(nanoseconds: 99)).name == "lockHint")
    #expect(Screens.compose(state, Readings(), at: Instant(nanoseconds: 100)).name == "idle")
    state.isLocked = false
    #expect(Screens.compose(state, Readings(), at: Instant(nanoseconds: 99)).name == "idle")
  }

  @Test("A notice is shown to its last word as long as it has up to 90 characters")
  func noticeIsWhole() {
    let text = "The microphone was unplugged. The take is saved: plug it in again, then press REC to go on"
    #expect(text.count == 90)
    var state = SampleScreens.state()
    state.notice = Notice(severity: .error, code: "device-lost", text: text)
    let shown = Screens.compose(state, Readings(), at: .zero).texts.joined(separator: " ")
    #expect(shown.contains(text))
  }
}
