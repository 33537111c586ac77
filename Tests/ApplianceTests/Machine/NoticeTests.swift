import Appliance
import Hardware
import Testing

@Suite struct NoticeTests {
  @Test func `A missing microphone at start is told, though it was never there`() {
    var bench = Bench { $0.health.hasMicrophone = false }
    bench.send(.deviceLost(.microphone, text: "no such device"))
    #expect(bench.effects.announcements == [.deviceLost(.microphone, text: "no such device")])
    #expect(bench.state.notice?.severity == .error)
  }

  @Test func `A key takes an error away without acting on what it covered, but for REC and STOP`() {
    var bench = Bench.doing(.idle)
    bench.send(.deviceLost(.storage, text: "mmc0"))
    bench.tap(.down)
    #expect(bench.state.notice == nil)
    #expect(bench.state.screen == .main)
    bench.tap(.down)
    #expect(bench.state.screen == .files)

    bench = Bench.doing(.idle)
    bench.send(.library(.failed(code: "io", text: "It could not be read.")))
    bench.tap(.rec)
    #expect(bench.state.activity == .recording)
  }

  @Test func `A command that begins something takes the card of a failure away, as a key does, if it is done`() {
    for (command, bench) in [
      (Command.record, Bench.doing(.idle)), (Command.play(id: nil), Bench.doing(.idle)),
      (Command.trigger, Bench.clips()), (Command.startDub(source: "Event", language: nil), Bench.dubbing(.idle)),
    ] {
      var bench = bench
      bench.send(.library(.failed(code: "io", text: "It could not be read.")))
      #expect(bench.state.notice?.code == "io")
      bench.send(.command(command))
      #expect(bench.effects.ignored.isEmpty && bench.state.notice == nil, "\(command)")
    }
    // The player's, too: with the speaker it has nothing to do what the take is for.
    var bench = Bench.doing(.playing)
    bench.send(.player(.failed(code: "device-lost", text: "no sound")))
    #expect(bench.state.notice?.device == .speaker)
    bench.send(.command(.record))
    #expect(bench.state.activity == .recording && bench.state.notice == nil)
    // What was not done takes nothing away, and what is so stays.
    bench = Bench.doing(.idle)
    bench.send(.library(.failed(code: "io", text: "It could not be read.")))
    for command in [Command.mark(title: nil), .trigger, .showScreen(.files)] {
      bench.send(.command(command))
      #expect(bench.state.notice?.code == "io", "\(command)")
    }
    bench = Bench.doing(.idle)
    bench.send(.deviceLost(.microphone, text: ""))
    bench.send(.command(.play(id: nil)))
    #expect(bench.state.activity == .playing && bench.state.notice?.device == .microphone)
    bench = Bench.doing(.idle)
    bench.send(.storage(.full))
    bench.send(.command(.play(id: nil)))
    #expect(bench.state.activity == .playing && bench.state.notice?.code == "storage-full")
  }

  @Test func `What was wrong in the board's settings is told again when a microphone that came late is there`() {
    let mistake = Notice(severity: .error, code: "board-file", .boardMistake("mynah.toml:15: unknown key", more: 0))
    var bench = Bench { $0.notice = mistake }
    bench.send(.deviceLost(.microphone, text: "no such device"))
    #expect(bench.state.notice?.code == "device-lost")
    bench.send(.deviceReturned(.microphone, text: ""))
    #expect(bench.state.notice == mistake)
    bench.tap(.down)
    #expect(bench.state.notice == nil)
  }

  @Test func `A passing notice is taken away by any key, which acts as well`() {
    var bench = Bench.doing(.idle)
    bench.hold(.stop, 700)
    #expect(bench.state.notice?.text == "This board has no camera.")
    bench.tap(.down)
    #expect(bench.state.notice == nil)
    #expect(bench.effects.contains(.cancelTimer(.noticeExpires)))
    #expect(bench.state.screen == .files)
  }

  @Test func `A lesser message does not hide a graver one`() {
    var bench = Bench()
    bench.send(.deviceLost(.microphone, text: ""))
    bench.send(.storage(.low))
    #expect(bench.state.notice?.code == "device-lost")
    #expect(bench.state.health.isStorageLow)
    #expect(bench.effects == [.announce(.storage(.low))])
  }

  @Test func `A timer that was overtaken takes nothing away`() {
    var bench = Bench.doing(.idle)
    bench.hold(.stop, 700)
    bench.now = bench.now + .seconds(1)
    bench.send(.timer(.noticeExpires))
    #expect(bench.state.notice != nil)
  }

  @Test func `The storage's level is announced when it changes`() {
    var bench = Bench()
    #expect(bench.send(.storage(.ample)).isEmpty)
    #expect(bench.send(.storage(.low)).announcements == [.storage(.low)])
    #expect(bench.state.notice?.code == "storage-low")
    #expect(bench.send(.storage(.low)).isEmpty)
    #expect(bench.send(.storage(.ample)).announcements == [.storage(.ample)])
    #expect(bench.state.notice == nil)
  }

  @Test func `Lost keys let go of what they held`() {
    var bench = Bench.doing(.playing)
    bench.down(.left)
    bench.wait(700)
    bench.send(.deviceLost(.buttons, text: "gpiochip0"))
    #expect(bench.effects.orders == [.player(.scrub(direction: 0))])
  }

  @Test func `Every reason has a sentence and a code`() {
    let reasons: [IgnoredReason] = [
      .locked, .noMeaning(mode: "dictaphone.files"), .busy("saving"), .busy("recording"), .busy("library"), .busy("x"),
      .deviceMissing(.microphone), .deviceMissing(.speaker), .deviceMissing(.storage), .nothingLoaded, .nothingPlays,
      .atLimit, .storageFull, .refused(.unknownKey("x")),
    ]
    let codes = ["locked", "busy", "not-found", "storage-full", "denied", "bad-argument", "unsupported", "device-lost"]
    for reason in reasons {
      #expect(State().explain(reason).count > 10)
      #expect(codes.contains(reason.code))
    }
    #expect(State().explain(.noMeaning(mode: "dictaphone.recording")) == "That does nothing in recording mode.")
  }

  @Test func `An error card goes by itself after twenty seconds, but for that of a storage that is not there`() {
    var bench = Bench()
    bench.send(.deviceLost(.microphone, text: ""))
    #expect(bench.effects.contains(.setTimer(.noticeExpires, at: bench.now + .seconds(20))))
    bench.now = bench.now + .seconds(20)
    bench.send(.timer(.noticeExpires))
    #expect(bench.state.notice == nil)
    bench.send(.deviceLost(.storage, text: ""))
    #expect(bench.state.notice?.expires == nil)
    bench.send(.deviceReturned(.storage, text: ""))
    #expect(bench.state.notice == nil)
  }

  @Test func `Without its storage nothing is armed, and REC says why in every mode, until it is back`() {
    for bench in [Bench.doing(.idle), .clips(), .dubbing(.idle)] {
      var bench = bench
      let (wasArmed, wasListening) = (bench.state.isArmed, bench.state.isListening)
      bench.send(.deviceLost(.storage, text: "/data: it is gone"))
      #expect(bench.effects.announcements == [.deviceLost(.storage, text: "/data: it is gone")])
      #expect(bench.state.health.isStorageMissing && !bench.state.isArmed && !bench.state.isListening)
      #expect(bench.tap(.rec).ignored == [.deviceMissing(.storage)])
      #expect(bench.effects.orders.isEmpty && bench.state.openTake == nil && bench.state.clips.open.isEmpty)
      #expect(bench.state.notice?.text == "No card: put it back, then try again." && bench.state.notice?.expires == nil)
      bench.send(.deviceReturned(.storage, text: "storage works"))
      #expect(bench.state.notice == nil && !bench.state.health.isStorageMissing)
      #expect(bench.state.isArmed == wasArmed && bench.state.isListening == wasListening)
    }
    // The take after one that is being saved would have no place either; what is open is the recorder's to end.
    var bench = Bench.doing(.saving)
    bench.send(.deviceLost(.storage, text: ""))
    #expect(bench.tap(.rec).ignored == [.deviceMissing(.storage)] && bench.state.dictaphone.recording.queued == nil)
    bench = Bench.doing(.recording)
    bench.send(.deviceLost(.storage, text: ""))
    #expect(bench.state.isListening && bench.state.activity == .recording)
  }

  @Test func `What fails for want of the card is told as that, for as long as there is none`() {
    var bench = Bench.doing(.idle)
    bench.send(.deviceLost(.storage, text: ""))
    bench.tap(.down)
    bench.send(.library(.failed(code: "not-found", text: "recordings/take1.json is not in the library")))
    #expect(
      bench.effects.announcements == [.error(code: "not-found", text: "recordings/take1.json is not in the library")])
    #expect(bench.state.notice?.text == "Storage lost: put the card back." && bench.state.notice?.expires == nil)
    bench.send(.deviceReturned(.storage, text: ""))
    #expect(bench.state.notice == nil)
  }

  @Test func `A mark is told with its place, in a take and in what plays`() {
    var bench = Bench.doing(.recording)
    bench.send(.recorder(.marked(frame: 48_000 * 3725)))
    #expect(bench.state.notice?.text == "Mark 1 at 1h02m05s.")
    #expect(bench.state.notice?.severity == .information)
    bench = Bench.doing(.playing)
    bench.send(.player(.marked(frame: 48_000 * 65)))
    #expect(bench.state.notice?.text == "Mark at 1m05s.")
    bench.now = bench.now + .milliseconds(1500)
    bench.send(.timer(.noticeExpires))
    #expect(bench.state.notice == nil)
  }

  @Test func `No sentence of the screen asks for a console`() {
    let reasons: [IgnoredReason] = [
      .nothingLoaded, .nothingPlays, .notOnBoard(.network), .notOnBoard(.camera), .switchedOff(.motion), .protected,
      .storageFull,
    ]
    for reason in reasons {
      for mode in Mode.allCases {
        var state = State()
        state.mode = mode
        let text = state.explain(reason)
        for word in ["dub.", "clips.", "recording.", "budget", "console", "TOML"] {
          #expect(!text.contains(word), "\(text)")
        }
      }
    }
  }
}
