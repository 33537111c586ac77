import Appliance
import Hardware
import Testing

@testable import Panel

@Suite struct ScreenTests {
  private func texts(_ state: State, _ readings: Readings = SampleScreens.readings()) -> [String] {
    Screens.compose(state, readings, at: .zero).texts
  }

  @Test("The card of a take has badge, name, timer, size, format, both levels, time left and marks")
  func infoCard() {
    let shown = texts(SampleScreens.state(.recording))
    for word in ["REC", "Take 43", "1h07m26s", "97.1 MB", "AAC 192k", "L", "-6.3", "R", "-12.8", "12h04m left", "3"] {
      #expect(shown.contains(word), "\(word)")
    }
  }

  @Test("Ready is said only if a REC press would be recorded")
  func ready() {
    #expect(texts(SampleScreens.state()).contains("Ready"))
    let spoils: [(inout State) -> Void] = [
      { $0.health.hasMicrophone = false }, { $0.health.isStorageFull = true }, { $0.health.isStorageMissing = true },
    ]
    for spoil in spoils { #expect(!texts(SampleScreens.state(.idle, spoil)).contains("Ready")) }
  }

  @Test("A take without a name yet is a new take, not the one before")
  func unnamed() {
    var state = SampleScreens.state(.recording)
    state.dictaphone = DictaphoneState(.recording)
    let shown = texts(state)
    #expect(shown.contains("New take"))
    #expect(!shown.contains("Take 42"))
  }

  @Test("The meter's bar is as long as the level says, to the pixel", arguments: [-80.0, -60, -43.2, -20, -6, -0.1, 0])
  func bar(level: Double) {
    let reading = LevelReading(rmsDB: level, peakDB: level, holdDB: -.infinity)
    let readings = SampleScreens.readings { $0.levels = [reading, LevelReading()] }
    let frame = Screens.render(SampleScreens.state(.recording), readings, at: .zero)
    let lit = (7..<99).prefix { frame[$0, 29] }.count
    #expect(abs(Double(lit) - MeterScale.deflection(level) * 92) <= 0.5)
  }

  @Test("The progress bar follows the position, and ends at the end")
  func progress() {
    for (position, expected) in [(0.0, 0), (50, 61), (100, 123), (200, 123), (-5, 0)] {
      let readings = SampleScreens.readings {
        $0.positionSeconds = position
        $0.durationSeconds = 100
        $0.markSeconds = []
      }
      let frame = Screens.render(SampleScreens.state(.playing), readings, at: .zero)
      #expect((2..<125).filter { frame[$0, 33] }.count == expected)
    }
  }

  @Test("The list of clips tells their times in the device's zone and language, and so do their names")
  func clipTimes() throws {
    // 2026-11-20T21:54:00Z.
    let readings = SampleScreens.clipReadings {
      for id in $0.clips.cards.keys { $0.clips.cards[id]?.made = WallTime(seconds: 1_795_211_640) }
    }
    for (settings, time, name) in [
      ([:], "20 Nov 21:54", "Clip 12"), (["clock.zone": .text("Asia/Tokyo")], "21 Nov 06:54", "Clip 12"),
      (["clock.zone": .text("Asia/Tokyo"), "ui.language": .text("ru")], "21.11 06:54", "Клип 12"),
    ] as [([String: SettingValue], String, String)] {
      var state = SampleScreens.clipState { $0.screen = .files }
      try state.settings.set(settings)
      let shown = texts(state, readings)
      #expect(shown.contains(time) && shown.contains(name), "\(shown)")
    }
    // One whose name does not say when it was made has no time.
    let without = SampleScreens.clipReadings {
      for id in $0.clips.cards.keys { $0.clips.cards[id]?.made = nil }
    }
    #expect(!texts(SampleScreens.clipState { $0.screen = .files }, without).contains { $0.contains(":54") })
  }

  @Test("Where something else plays, REC is said to record only if it would")
  func recordHint() {
    let samples = SampleScreens.all.filter { texts($0.state, $0.readings).contains("REC records") }
    #expect(samples.contains { $0.state.mode == .dub } && samples.contains { $0.state.mode == .feed })
    for sample in samples {
      for (spoil, words) in [
        ({ (state: inout State) in state.health.hasMicrophone = false }, "No mic"),
        ({ (state: inout State) in state.health.isStorageFull = true }, "Card full"),
        ({ (state: inout State) in state.health.isStorageMissing = true }, "No card"),
      ] {
        var state = sample.state
        spoil(&state)
        let shown = texts(state, sample.readings)
        #expect(!shown.contains("REC records") && shown.contains(words), "\(sample.name): \(shown)")
      }
    }
  }

  @Test("The list keeps the chosen take in sight, wherever it is")
  func chosenInSight() {
    for count in [1, 4, 5, 6, 10_000] {
      for selected in Set([0, 1, 2, count / 2, count - 2, count - 1]) where (0..<count).contains(selected) {
        var state = SampleScreens.state()
        state.screen = .files
        let start = max(0, selected - 16)
        let window = (start..<min(count, start + 32)).map {
          TakeReference(id: "\($0)", displayName: "take no. \($0)", frames: 0, sampleRate: 48_000)
        }
        state.dictaphone.files = FileList(count: count, selected: selected, windowStart: start, window: window)
        #expect(texts(state).contains("take no. \(selected)"))
        #expect(texts(state).contains("\(selected + 1)/\(count)"))
        #expect(texts(state).filter { $0.hasPrefix("take") }.count == min(5, count))
      }
    }
  }

  @Test("The guide scrolls to its last line")
  func guideEnd() {
    let readings = SampleScreens.readings { $0.guideTop = 1000 }
    var state = SampleScreens.state()
    state.screen = .guide
    #expect(texts(state, readings).contains("Takes"))
    #expect(Screens.compose(state, Readings(), at: .zero).name == "guide")
  }

  @Test("Clip mode says what is held, how fast pictures come, what was lost, and how much room is left")
  func clipCard() {
    let shown = texts(SampleScreens.clipState(), SampleScreens.clipReadings { $0.clips.lostFrames = 7 })
    for word in ["720p30 H.264", "Ready", "5.0/5 s", "30.0 fps", "7 lost", "1h24m left"] {
      #expect(shown.contains(word), "\(word) in \(shown)")
    }
    let running = SampleScreens.clipState { $0.clips.captures = Captures(open: [OpenClip(number: 1, ends: .zero)]) }
    for word in ["REC", "3.4", "0m06s", "STOP ends now"] {
      #expect(texts(running, SampleScreens.clipReadings()).contains(word), "\(word)")
    }
  }

  @Test("Of a camera that sends more than the ring has room for, the screen says how many seconds fit")
  func whatFits() {
    for (held, window, words) in [(2.2, 5.0, "fits 2.2 s"), (27.4, 60, "fits 27.4 s"), (5, 5, "5.0/5 s")] {
      let readings = SampleScreens.clipReadings {
        $0.clips.heldSeconds = held
        $0.clips.windowSeconds = window
      }
      #expect(texts(SampleScreens.clipState(), readings).contains(words))
      // While it fills nobody knows yet.
      let filling = SampleScreens.clipState { $0.clips.isReady = false }
      #expect(!texts(filling, readings).contains { $0.hasPrefix("fits") })
      let line = Screens.statusLine(SampleScreens.clipState(), readings)
      #expect(line.contains("no more fits of") == (held < window), "\(line)")
    }
  }

  @Test("Ready is said in clip mode only while there is a camera and room")
  func clipsReady() {
    let spoils: [(inout State) -> Void] = [
      { $0.health.hasCamera = false }, { $0.health.isStorageFull = true }, { $0.health.isStorageMissing = true },
    ]
    for spoil in spoils {
      #expect(!texts(SampleScreens.clipState(spoil), SampleScreens.clipReadings()).contains("Ready"))
    }
  }

  @Test("Dithering keeps the brightness of a picture, and its shape")
  func dithering() throws {
    let grey = try #require(GreyPicture(width: 64, height: 36, luma: [UInt8](repeating: 64, count: 64 * 36)))
    let lit = grey.dithered(width: 64, height: 36).count { $0 }
    #expect(abs(Double(lit) / (64 * 36) - 0.25) < 0.02)
    let halves = try #require(
      GreyPicture(width: 64, height: 36, luma: (0..<64 * 36).map { $0 % 64 < 32 ? 0 : 255 }))
    let points = halves.dithered(width: 32, height: 18)
    #expect(points.enumerated().allSatisfy { $0.element == ($0.offset % 32 >= 16) })
    #expect(GreyPicture(width: 2, height: 2, luma: [1, 2, 3]) == nil)
  }

  @Test("A delete is asked for by the name of the take")
  func deleteQuestion() {
    var state = SampleScreens.state()
    state.screen = .files
    state.dictaphone.files = SampleScreens.files(isConfirmingDelete: true)
    let picture = Screens.compose(state, SampleScreens.readings(), at: .zero)
    #expect(picture.name == "deleteQuestion")
    #expect(picture.texts.contains("Take 40"))
    #expect(!picture.texts.contains("Take 41"))
  }

  @Test("The guide cuts none of its words, whatever the keys mean")
  func guideIsWhole() {
    var states: [State] = Activity.allCases.map { SampleScreens.state($0) }
    states += DubActivity.allCases.map { SampleScreens.dubState($0) }
    states += FeedActivity.allCases.map { SampleScreens.feedState($0) }
    states += [SampleScreens.clipState(), SampleScreens.clipState { $0.clips.playback = Playback(.playing) }]
    for var state in states {
      state.clips.isAvailable = true
      state.dub.isAvailable = true
      for screen in Screen.allCases {
        let rows = state.keyGuide(on: screen).map {
          MenuRow(($0.isHeld ? "hold " : "") + $0.key.rawValue, $0.meaning)
        }
        state.screen = .guide
        for top in rows.indices {
          let drawn = Screens.draw(
            state,
            SampleScreens.readings {
              $0.guide = rows
              $0.guideTop = top
            }, at: .zero)
          for text in drawn.canvas.texts { #expect(text.shown == text.text, "\(text.text) is cut to \(text.shown)") }
          let shown = Set(drawn.canvas.texts.map(\.shown))
          #expect(shown.contains(rows[top].title) && shown.contains(rows[top].value))
        }
      }
    }
  }

  @Test("A trifle leaves the screen beneath it in sight; an error does not")
  func trifle() {
    var state = SampleScreens.state(.recording)
    state.notice = Notice(severity: .information, code: "mark", text: "Mark at 1h07m26s.")
    let picture = Screens.compose(state, SampleScreens.readings(), at: .zero)
    #expect(picture.name == "notice")
    for word in ["Take 43", "1h07m26s", "-6.3", "Mark at 1h07m26s."] {
      #expect(picture.texts.contains(word), "\(word)")
    }
    state.notice?.severity = .error
    #expect(!texts(state).contains("-6.3"))
  }

  @Test("The gain of the next take is seen before it begins")
  func gain() {
    let armed = SampleScreens.state { $0.settings = SampleScreens.settings(gain: 20) }
    #expect(texts(armed).contains("gain +20 dB"))
    #expect(Screens.statusLine(armed, SampleScreens.readings()).contains("gain +20 dB"))
    #expect(!texts(SampleScreens.state()).contains { $0.hasPrefix("gain") })
  }

  @Test("Of a long sentence the card of buffering shows the end, where the next try stands")
  func nextTry() {
    let state = SampleScreens.dubState(.buffering) {
      $0.dub.play?.isLinkLost = true
      $0.dub.play?.reason =
        "streams.world-service.novosibirsk.example does not answer to anything that it is asked: next try in 14 s."
    }
    #expect(texts(state).joined(separator: " ").contains("next try in 14 s."))
  }

  @Test("The card of buffering has the whole reason, and leaves out the address in front of it")
  func reasonAlone() {
    let state = SampleScreens.dubState(.buffering) {
      $0.dub.play?.reason =
        "https://streams.example/europe/harbour/live/index.m3u8: it does not answer: check the network"
    }
    let shown = texts(state).joined(separator: " ")
    #expect(shown.contains("it does not answer: check the network") && !shown.contains("…"), "\(shown)")
  }

  @Test("The unit stands by its number")
  func units() throws {
    let running = SampleScreens.clipState { $0.clips.captures = Captures(open: [OpenClip(number: 1, ends: .zero)]) }
    for seconds in [3.4, 99.9] {
      let drawn = Screens.draw(running, SampleScreens.clipReadings { $0.clips.secondsToGo = seconds }, at: .zero)
      let number = try #require(drawn.canvas.texts.first { $0.shown == "\(seconds)" })
      let unit = try #require(drawn.canvas.texts.first { $0.shown == "s" })
      #expect((1...5).contains(unit.ink.x - number.ink.endX))
    }
  }

  @Test("Speech looks like speech however quiet it is: its pauses are seen", arguments: [Float(0.7), 0.2, 0.06])
  func waveform(peak: Float) {
    // Syllables of 200 ms, 14 dB apart from what is between them.
    let columns = (0..<127).map { $0 % 6 < 4 ? peak : peak / 5 }
    let readings = SampleScreens.readings {
      $0.waveform = columns
      $0.markSeconds = []
    }
    let frame = Screens.render(SampleScreens.state(.recording), readings, at: .zero)
    let heights = (0..<127).map { x in (44..<54).count { frame[x, $0] } }
    for (x, height) in heights.enumerated() { #expect(x % 6 < 4 ? height >= 7 : height <= 4, "\(x): \(height)") }
  }
}
