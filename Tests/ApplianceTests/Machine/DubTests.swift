import Appliance
import Hardware
import Testing

@Suite struct DubTests {
  private static let live = DubSource(id: "http://x.example/live.m3u8", name: "x.example live.m3u8", kind: .stream)

  // MARK: Ways in and out

  @Test func `A held STOP goes round the modes that the board has`() {
    var bench = Bench {
      $0.dub.isAvailable = true
      $0.clips.isAvailable = true
    }
    var modes: [String] = []
    for _ in 0..<3 {
      bench.hold(.stop, 700)
      modes.append(bench.state.modeName)
    }
    #expect(modes == ["clips.buffering", "dub.idle", "dictaphone.idle"])
    bench = Bench { $0.dub.isAvailable = true }
    bench.hold(.stop, 700)
    #expect(bench.state.modeName == "dub.idle")
    #expect(bench.effects.orders == [.player(.stop), .dub(.list)])
    bench.hold(.stop, 700)
    #expect(bench.state.modeName == "dictaphone.idle")
  }

  @Test(arguments: [Activity.recording, .paused, .saving])
  func `A take that is open keeps dubbing out, by keys and by the console`(activity: Activity) {
    var bench = Bench.doing(activity)
    bench.machine = Machine(state: withDub(bench.state))
    for command in [Command.take(.dub), .startDub(source: "http://x.example/live.m3u8", language: "es")] {
      bench.send(.command(command))
      #expect(bench.effects.ignored == [.busy(activity == .saving ? "saving" : "recording")])
      #expect(bench.effects.orders.isEmpty)
      #expect(bench.state.activity == activity)
      #expect(bench.state.settings.dubLanguage == "en")
    }
  }

  @Test func `A clip in its post-roll keeps dubbing out`() {
    var bench = Bench.clips { $0.clips.captures = Captures(open: [OpenClip(number: 1, ends: .distantFuture)]) }
    bench.machine = Machine(state: withDub(bench.state))
    bench.send(.command(.take(.dub)))
    #expect(bench.effects.ignored == [.busy("capturing")])
    #expect(bench.state.mode == .clips)
  }

  @Test func `Leaving stops what plays, and the take is in the player again`() {
    var bench = Bench.dubbing(.playing) { $0.dictaphone.playback = Playback(of: .take(1)) }
    bench.send(.command(.take(.dictaphone)))
    #expect(bench.effects.orders.first == .dub(.stop))
    #expect(bench.state.loaded == .take(1))
    #expect(!bench.state.dub.isBusy)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.player(.play)])
  }

  @Test func `From the clips by way of dubbing to the dictaphone, each has its own in the player`() {
    var bench = Bench {
      $0.clips.isAvailable = true
      $0.dub.isAvailable = true
      $0.dictaphone.playback = Playback(of: .take(1))
    }
    bench.send(.command(.take(.clips)))
    #expect(bench.state.loaded == nil)
    bench.send(.command(.play(id: "clip3.mp4")))
    bench.send(.command(.take(.dub)))
    #expect(bench.state.activity == .idle)
    bench.send(.command(.take(.dictaphone)))
    #expect(bench.state.loaded == .take(1))
    #expect(bench.effects.orders.contains(.player(.load(id: "take1.m4a", playing: false, fromStart: false))))
    bench.send(.command(.take(.clips)))
    #expect(bench.state.loaded?.id == "clip3.mp4")
  }

  @Test func `An address of any scheme is one, whether it can be played or not`() {
    for address in ["https://x.example/a", "rtmp://x.example/live", "HTTP://x.example/b"] {
      var bench = Bench.dubbing(.idle)
      bench.send(.command(.startDub(source: address, language: nil)))
      let source = DubSource(id: address, name: DubSource.shortName(of: address), kind: .stream)
      #expect(bench.effects.orders.last == .dub(.start(source, language: "en", isOn: true, run: 8)), "\(address)")
    }
  }

  @Test func `A board that grants it no memory has no dubbing`() {
    var bench = Bench()
    bench.send(.command(.startDub(source: "http://x.example/a", language: nil)))
    #expect(bench.effects.ignored == [.notOnBoard(.network)])
    #expect(bench.state.mode == .dictaphone)
  }

  // MARK: Keys

  @Test func `In the list CENTRE plays, LEFT and RIGHT turn pages, UP and DOWN move`() {
    var bench = Bench.dubbing(.idle)
    bench.tap(.down)
    #expect(bench.state.dub.sources.selected == 1)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.dub(.start(Bench.sources[1], language: "en", isOn: true, run: 8))])
    #expect(bench.state.modeName == "dub.buffering")
    bench.send(.dub(.playing, run: 8))
    #expect(bench.state.modeName == "dub.playing")
    #expect(bench.effects.announcements.last == .modeChanged(from: "dub.buffering", to: "dub.playing"))
  }

  @Test func `While it plays the keys are those of the contract`() {
    var bench = Bench.dubbing()
    bench.tap(.left)
    #expect(bench.effects.orders == [.dub(.seek(by: -10))])
    bench.tap(.right)
    #expect(bench.effects.orders == [.dub(.seek(by: 10))])
    bench.hold(.right, 900)
    #expect(bench.effects.orders == [.dub(.scrub(direction: 1)), .dub(.scrub(direction: 0))])
    bench.tap(.centre)
    #expect(bench.effects.orders == [.dub(.pause)])
    #expect(bench.state.modeName == "dub.playing" && bench.state.dub.isPaused)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.dub(.resume)])
    bench.tap(.down)
    #expect(bench.effects.orders == [.dub(.start(Bench.sources[1], language: "en", isOn: true, run: 8))])
    bench.tap(.up)
    #expect(bench.effects.orders == [.dub(.start(Bench.sources[0], language: "en", isOn: true, run: 9))])
    bench.tap(.up)
    #expect(bench.effects.ignored == [.atLimit])
    bench.tap(.stop)
    #expect(bench.effects.orders == [.dub(.stop)])
    #expect(bench.state.modeName == "dub.idle")
    bench.hold(.centre, 700)
    #expect(bench.state.screen == .options)
    bench.hold(.up, 700)
    #expect(bench.state.screen == .guide)
  }

  @Test(arguments: DubActivity.allCases)
  func `REC ends what plays and starts a take from its press`(activity: DubActivity) {
    for screen in Screen.allCases {
      var bench = Bench.dubbing(activity, screen: screen) { $0.health.hasMicrophone = true }
      let pressed = bench.now
      bench.tap(.rec)
      let stop: [Effect] = activity == .idle ? [] : [.dub(.stop)]
      #expect(
        bench.effects.orders == stop + [.library(.window(start: 0, count: 32)), .recorder(.start(at: pressed))])
      #expect(bench.state.modeName == "dictaphone.recording")
      #expect(bench.state.settings == Settings())
      #expect(bench.effects.announcements.last == .modeChanged(from: "dub.\(activity)", to: "dictaphone.recording"))
    }
  }

  @Test func `REC that cannot record says why, and what plays goes on`() {
    var bench = Bench.dubbing { $0.health.hasMicrophone = false }
    #expect(bench.tap(.rec).ignored == [.deviceMissing(.microphone)])
    #expect(bench.state.notice?.device == .microphone)
    #expect(bench.effects.orders.isEmpty)
    bench = Bench.dubbing { $0.health.isStorageFull = true }
    #expect(bench.tap(.rec).ignored == [.storageFull])
    #expect(bench.state.modeName == "dub.playing")
    bench = Bench.dubbing { $0.isLocked = true }
    #expect(bench.tap(.rec).ignored == [.locked])
    #expect(bench.state.modeName == "dub.playing")
  }

  @Test func `The console's word for REC does the same`() {
    var bench = Bench.dubbing()
    bench.send(.command(.record))
    #expect(bench.effects.orders.last == .recorder(.start(at: bench.now)))
    #expect(bench.state.modeName == "dictaphone.recording")
  }

  @Test func `Hold CENTRE opens the options at the language, and its row goes from the original through what there is`()
  {
    var bench = Bench.dubbing()
    bench.hold(.centre, 700)
    #expect(bench.state.options.row == .setting(\.dubLanguage))
    #expect(bench.tap(.right).orders == [.dub(.language("es"))])
    #expect(bench.tap(.right).orders == [.dub(.language("de"))])
    #expect(bench.tap(.right).ignored == [.atLimit])
    bench.tap(.left)
    bench.tap(.left)
    #expect(bench.tap(.left).orders == [.dub(.enable(false))])
    #expect(bench.state.words(of: .setting(\.dubLanguage)).english == "original")
    #expect(bench.tap(.left).ignored == [.atLimit])
    #expect(bench.tap(.right).orders == [.dub(.enable(true))])
    #expect(bench.state.words(of: .setting(\.dubLanguage)).english == "English")
    bench.tap(.centre)
    #expect(bench.state.screen == .main)
    #expect(bench.state.modeName == "dub.playing")
  }

  @Test func `A language that the source does not have stands between the original and the first one`() {
    for (key, orders) in [
      (Button.left, [Effect.dub(.enable(false))]), (.right, [.dub(.language("en"))]),
    ] {
      var bench = Bench.dubbing { try? $0.settings.set("dub.language", to: .text("fr")) }
      bench.hold(.centre, 700)
      #expect(bench.tap(key).orders == orders)
    }
  }

  @Test func `Every tap of every key in every state either does something or says why not`() {
    for activity in DubActivity.allCases {
      for screen in Screen.allCases {
        for key in Button.allCases {
          var bench = Bench.dubbing(activity, screen: screen)
          let before = bench.state
          bench.tap(key)
          #expect(!bench.effects.isEmpty || bench.state != before, "\(activity) \(screen) \(key)")
        }
      }
    }
  }

  @Test func `Under the lock no key touches what plays`() {
    var bench = Bench.dubbing { $0.isLocked = true }
    for key in Button.allCases where key != .lock {
      bench.hold(key, 700)
      #expect(bench.effects.orders.isEmpty)
    }
    #expect(bench.state.modeName == "dub.playing")
  }

  // MARK: Orders

  @Test func `The console names a source by name, place, address or file`() {
    for (name, source) in [
      ("Event", Bench.sources[0]), ("event", Bench.sources[0]), ("2", Bench.sources[1]),
      ("take1.m4a", Bench.sources[2]),
      (Self.live.id, Self.live),
    ] {
      var bench = Bench.dubbing(.idle)
      bench.send(.command(.startDub(source: name, language: "es")))
      #expect(bench.effects.orders.last == .dub(.start(source, language: "es", isOn: true, run: 8)), "\(name)")
    }
    for name in ["nothing", "0", "99", "../x.mp4", "file:///etc/passwd", "no:such/thing"] {
      var bench = Bench.dubbing(.idle)
      bench.send(.command(.startDub(source: name, language: nil)))
      #expect(bench.effects.ignored == [.nothingLoaded], "\(name)")
    }
  }

  @Test func `Where nothing plays nothing can be skipped, and what to do about it is said`() {
    for (bench, text) in [
      (Bench.dubbing(.idle), "Nothing plays: CENTRE plays what is chosen."),
      (Bench.dubbing(.idle) { $0.dub.sources = SourceList([]) }, "Nothing to play: make a take or a clip first."),
    ] {
      var bench = bench
      #expect(bench.send(.command(.seek(seconds: 5))).ignored == [.nothingPlays])
      #expect(bench.state.explain(.nothingPlays) == text)
    }
  }

  @Test func `What cannot be played is no reason to leave what is armed, nor to set or end anything`() {
    for command in [
      Command.startDub(source: "nothing", language: "es"), .startDub(source: nil, language: nil),
      .openFeed(source: "ftp://x"), .openFeed(source: "nothing"),
    ] {
      var bench = Bench {
        $0.dub.isAvailable = true
        $0.feed.isAvailable = true
      }
      let before = bench.state
      #expect(bench.send(.command(command)) == [.ignored(.nothingLoaded)], "\(command)")
      #expect(bench.state == before && bench.state.isArmed, "\(command)")
      bench = Bench.dubbing()
      let playing = bench.state
      if case .startDub(_?, _) = command {
        #expect(bench.send(.command(command)) == [.ignored(.nothingLoaded)])
        #expect(bench.state == playing)
      }
    }
    var bench = Bench {
      $0.dub.isAvailable = true
      $0.health.hasSpeaker = false
    }
    let before = bench.state
    let address = "http://x.example/live.m3u8"
    #expect(
      bench.send(.command(.startDub(source: address, language: "es"))) == [.ignored(.deviceMissing(.speaker))])
    #expect(bench.state == before)
  }

  @Test func `What the settings have just named can be played before the list has it`() {
    var bench = Bench.dubbing(.idle)
    let address = "http://x.example/evening.m3u8"
    for name in ["Evening", "evening", address] {
      // The second time the list still has an older address under that name.
      bench.send(.dubSources([DubSource(id: "http://x.example/old.m3u8", name: "Evening", kind: .stream)]))
      bench.send(.command(.set(["dub.sources": .text("Evening=\(address)")])))
      bench.send(.command(.startDub(source: name, language: nil)))
      #expect(bench.effects.ignored.isEmpty, "\(name)")
      #expect(bench.state.dub.current?.id == address, "\(name)")
    }
  }

  @Test func `Volumes and languages count at once while something plays`() {
    var bench = Bench.dubbing()
    bench.send(.command(.set(["dub.originalVolumeDb": .integer(-12)])))
    #expect(bench.effects.orders == [.dub(.volume(original: -12, dub: 0, .duck))])
    bench.send(.command(.set(["dub.mode": .text("replace")])))
    #expect(bench.effects.orders == [.dub(.volume(original: -12, dub: 0, .replace))])
    bench.send(.command(.set(["dub.language": .text("fr")])))
    #expect(bench.effects.orders == [.dub(.language("fr"))])
    #expect(bench.state.dub.rung == .original)
    bench.tap(.stop)
    bench.send(.command(.set(["dub.language": .text("en")])))
    #expect(bench.effects.orders.isEmpty)
  }

  @Test func `Without a network streams are refused and files are not`() {
    var bench = Bench.dubbing(.idle) { $0.health.hasNetwork = false }
    bench.tap(.centre)
    #expect(bench.effects.ignored == [.deviceMissing(.network)])
    bench.tap(.down)
    bench.tap(.down)
    bench.tap(.centre)
    #expect(bench.state.modeName == "dub.buffering")
  }

  @Test func `When power goes, what plays is stopped`() {
    var bench = Bench.dubbing()
    bench.send(.command(.shutDown))
    #expect(bench.effects.orders == [.dub(.stop)])
    #expect(!bench.state.hasOpenWork)
  }

  // MARK: Reports

  @Test func `What is reported of an earlier run means nothing`() {
    var bench = Bench.dubbing(.buffering)
    for report in [
      DubReport.playing, .ended, .failed(code: "x", text: "x"), .rung(.synthesised, reason: ""), .linkLost(""),
    ] {
      let before = bench.state
      bench.send(.dub(report, run: 6))
      #expect(bench.effects.isEmpty)
      #expect(bench.state == before)
    }
  }

  @Test func `A lost link is told once, and so is its return`() {
    var bench = Bench.dubbing()
    bench.send(.dub(.linkLost("The service does not answer."), run: 7))
    #expect(bench.state.notice?.code == "link-lost")
    #expect(bench.state.notice?.expires != nil)
    #expect(bench.state.dub.isLinkLost)
    bench.send(.dub(.linkLost(""), run: 7))
    #expect(bench.effects.isEmpty)
    bench.send(.dub(.linkRestored, run: 7))
    #expect(bench.state.notice?.code == "link-restored")
    #expect(!bench.state.dub.isLinkLost)
    #expect(bench.effects.announcements == [.dubbing(bench.state.dubbingStatus)])
  }

  @Test func `While nothing is heard yet, the lost link is the reason`() {
    var bench = Bench.dubbing(.buffering)
    bench.send(.dub(.linkLost("no sound has come"), run: 7))
    #expect(bench.state.dubbingStatus.reason == "no sound has come")
    bench.send(.dub(.linkRestored, run: 7))
    #expect(bench.state.dubbingStatus.reason.isEmpty)
  }

  @Test func `The fall to another rung is told with its reason, and the return without`() {
    var bench = Bench.dubbing()
    bench.send(.dub(.rung(.original, reason: "late"), run: 7))
    #expect(!bench.state.dub.isDubbed)
    #expect(bench.effects.announcements == [.dubbing(bench.state.dubbingStatus)])
    #expect(bench.state.dubbingStatus.reason == "late")
    bench.send(.dub(.rung(.service, reason: ""), run: 7))
    #expect(bench.state.dub.isDubbed)
  }

  @Test func `A source that fails is said, and the list is there again`() {
    var bench = Bench.dubbing(.buffering)
    bench.send(.dub(.failed(code: "not-found", text: "no such stream"), run: 7))
    #expect(bench.state.modeName == "dub.idle")
    #expect(bench.state.notice?.severity == .error)
    #expect(bench.effects.announcements.contains(.error(code: "not-found", text: "no such stream")))
    #expect(bench.effects.orders == [.dub(.stop)])
  }

  @Test func `A speaker that goes away pauses`() {
    var bench = Bench.dubbing()
    bench.send(.deviceLost(.speaker, text: "gone"))
    #expect(bench.effects.orders == [.dub(.pause)])
    bench.tap(.centre)
    #expect(bench.effects.ignored == [.deviceMissing(.speaker)])
    bench.send(.deviceReturned(.speaker, text: "back"))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.dub(.resume)])
  }

  @Test func `The list keeps its place when it comes anew`() {
    var bench = Bench.dubbing(.idle) { $0.dub.sources = SourceList($0.dub.sources.all, selected: 1) }
    bench.send(.dubSources([Self.live] + Bench.sources))
    #expect(bench.state.dub.sources.selection == Bench.sources[1])
    bench.send(.dubSources([]))
    #expect(bench.state.dub.sources.selected == 0)
    bench.tap(.centre)
    #expect(bench.effects.ignored == [.nothingLoaded])
  }

  // MARK: Texts

  @Test func `Addresses become sources, named or not`() {
    let text = "World_news=https://n.example/live.m3u8?t=1  http://user:pass@m.example:8080/x/audio.m3u8"
    #expect(
      DubSource.streams(in: text) == [
        DubSource(id: "https://n.example/live.m3u8?t=1", name: "World news", kind: .stream),
        DubSource(
          id: "http://user:pass@m.example:8080/x/audio.m3u8", name: "m.example:8080 audio.m3u8", kind: .stream),
      ])
    #expect(DubSource.streams(in: "") == [])
    for wrong in ["ftp://x", "Event=", "http://", "x", "http://:80/", "Event=https:// x"] {
      #expect(DubSource.streams(in: wrong) == nil, "\(wrong)")
    }
  }

  private func withDub(_ state: State) -> State {
    var state = state
    state.dub.isAvailable = true
    state.health.hasNetwork = true
    return state
  }

  @Test func `What is not armed is not kept: in dubbing, without a camera in clip mode, on a full card`() {
    #expect(Bench.doing(.idle).state.isListening)
    #expect(Bench.doing(.recording).state.isListening)
    #expect(Bench.clips().state.isListening)
    for activity in DubActivity.allCases { #expect(!Bench.dubbing(activity).state.isListening) }
    #expect(!Bench.clips { $0.health.hasCamera = false }.state.isListening)
    #expect(!Bench { $0.health.isStorageFull = true }.state.isListening)
  }
}
