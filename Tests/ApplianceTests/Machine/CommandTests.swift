import Appliance
import Hardware
import Testing

@Suite struct CommandTests {
  private func effects(of command: Command, _ activity: Activity) -> [Effect] {
    var bench = Bench.doing(activity)
    return bench.send(.command(command)).filter {
      if case .announce(.modeChanged) = $0 { false } else { true }
    }
  }

  @Test func `Recording by command obeys the same rules`() {
    let now = Instant.ms(10_000)
    #expect(effects(of: .record, .idle) == [.recorder(.start(at: now))])
    #expect(effects(of: .record, .playing) == [.player(.stop), .recorder(.start(at: now))])
    #expect(effects(of: .record, .recording) == [.ignored(.busy("recording"))])
    // What it says is over in a while.
    #expect(
      effects(of: .record, .saving) == [.recorder(.start(at: now)), .setTimer(.noticeExpires, at: now + .seconds(3))])
    #expect(effects(of: .pause, .recording) == [.recorder(.pause(at: now))])
    #expect(effects(of: .pause, .playing) == [.player(.pause)])
    #expect(effects(of: .pause, .idle) == [.ignored(.noMeaning(mode: "dictaphone.idle"))])
    #expect(effects(of: .resume, .paused) == [.recorder(.resume(at: now))])
    #expect(effects(of: .resume, .playbackPaused) == [.player(.play)])
    #expect(effects(of: .stop, .paused) == [.recorder(.stop(at: now, reason: .user))])
    #expect(effects(of: .stop, .playing) == [.player(.stop)])
    #expect(effects(of: .stop, .saving) == [.ignored(.busy("saving"))])
    #expect(effects(of: .mark(title: "x"), .recording) == [.recorder(.mark(at: now, title: "x"))])
    #expect(effects(of: .mark(title: "x"), .playing) == [.player(.mark(title: "x"))])
  }

  @Test func `Playing by command obeys the same rules`() {
    #expect(effects(of: .play(id: nil), .idle) == [.player(.play)])
    #expect(effects(of: .play(id: "b"), .idle) == [.player(.load(id: "b", playing: true, fromStart: false))])
    #expect(effects(of: .play(id: "b"), .recording) == [.ignored(.busy("recording"))])
    #expect(effects(of: .play(id: nil), .saving) == [.ignored(.busy("saving"))])
    #expect(effects(of: .play(id: ""), .idle) == [.ignored(.nothingLoaded)])
    #expect(effects(of: .seek(seconds: -3.5), .playing) == [.player(.seek(by: -3.5))])
    #expect(effects(of: .seek(seconds: .nan), .playing) == [.ignored(.atLimit)])
    #expect(effects(of: .seek(seconds: 1), .recording) == [.ignored(.busy("recording"))])
  }

  @Test func `Screens by command, but no list during a take`() {
    #expect(effects(of: .showScreen(.files), .recording) == [.ignored(.busy("recording"))])
    #expect(effects(of: .showScreen(.files), .idle) == [.library(.window(start: 0, count: 32))])
    var bench = Bench.doing(.recording)
    bench.send(.command(.showScreen(.guide)))
    #expect(bench.state.screen == .guide)
  }

  @Test func `A setting by command is announced and kept, or refused with its reason`() {
    var bench = Bench()
    bench.send(.command(.set(["recording.preRecordSeconds": .integer(0)])))
    #expect(
      bench.effects == [
        .announce(.settingChanged(key: "recording.preRecordSeconds", value: .integer(0))), .saveSettings,
        .applySettings(.recorder),
      ])
    bench.send(.command(.set(["recording.preRecordSeconds": .integer(0)])))
    #expect(bench.effects == [.announce(.settingChanged(key: "recording.preRecordSeconds", value: .integer(0)))])
    bench.send(.command(.set(["recording.preRecordSeconds": .integer(99)])))
    let error = SettingError.outOfRange(key: "recording.preRecordSeconds", value: .integer(99), allowed: "0…60")
    #expect(bench.effects == [.ignored(.refused(error))])
    #expect(bench.effects.ignored.map(\.code) == ["bad-argument"])
  }

  @Test func `Several settings are one change: announced each, kept once, applied once, or refused as a whole`() {
    var bench = Bench()
    bench.send(
      .command(
        .set(["log.level": .text("debug"), "recording.format": .text("wav"), "clips.postRollSeconds": .integer(0)])))
    #expect(
      bench.effects == [
        .announce(.settingChanged(key: "recording.format", value: .text("wav"))),
        .announce(.settingChanged(key: "clips.postRollSeconds", value: .integer(0))),
        .announce(.settingChanged(key: "log.level", value: .text("debug"))), .saveSettings,
        .applySettings([.recorder, .log]),
      ])
    let before = bench.state.settings
    bench.send(.command(.set(["recording.format": .text("aac"), "recording.preRecordSeconds": .integer(61)])))
    #expect(bench.effects.ignored.map(\.code) == ["bad-argument"])
    #expect(bench.effects.count == 1)
    #expect(bench.state.settings == before)
  }

  @Test func `Shutting down closes whatever is open, once`() {
    let now = Instant.ms(10_000)
    #expect(effects(of: .shutDown, .recording) == [.recorder(.stop(at: now, reason: .power))])
    #expect(effects(of: .shutDown, .paused) == [.recorder(.stop(at: now, reason: .power))])
    #expect(effects(of: .shutDown, .saving) == [])
    #expect(effects(of: .shutDown, .playing) == [.player(.stop)])
    #expect(effects(of: .shutDown, .idle) == [.player(.stop)])
    var bench = Bench.doing(.saving)
    bench.tap(.rec)
    bench.send(.command(.shutDown))
    #expect(bench.effects == [.recorder(.stop(at: bench.now, reason: .power))])
    bench.send(.command(.shutDown))
    #expect(bench.effects == [])
    bench.send(.recorder(.saved(.take(2), .user)))
    #expect(bench.state.activity == .saving)
    bench.send(.recorder(.saved(.take(3), .power)))
    #expect(bench.state.activity == .idle)
  }

  @Test func `Commands raise no notices: whoever typed them reads the answer`() {
    var bench = Bench { $0.health.hasMicrophone = false }
    bench.send(.command(.record))
    #expect(bench.effects == [.ignored(.deviceMissing(.microphone))])
    #expect(bench.state.notice == nil)
  }

  /// The device in every activity of every mode.
  private static var everywhere: [Bench] {
    let clip = OpenClip(number: 1, ends: .ms(12_000))
    let saved = OpenClip(number: 1, ends: .ms(9_000), isSaving: true)
    return Activity.allCases.map { Bench.doing($0) } + DubActivity.allCases.map { Bench.dubbing($0) }
      + FeedActivity.allCases.map { Bench.feeding($0) } + [
        Bench.clips(), Bench.clips { $0.clips.captures = Captures(open: [clip]) },
        Bench.clips { $0.clips.captures = Captures(open: [saved]) },
        Bench.clips { $0.clips.playback = Playback(.playing, of: .clip(3)) },
      ]
  }

  @Test(arguments: [
    Command.record, .pause, .resume, .stop, .mark(title: nil), .play(id: nil), .play(id: "take1.m4a"), .play(id: ""),
    .seek(seconds: 5), .seek(seconds: .nan), .showScreen(.files), .showScreen(.receipt), .take(.clips), .trigger,
    .continuous, .timeLapse(milliseconds: 1000), .endPostRoll, .snapshot, .startDub(source: "1", language: nil),
    .startDub(source: "nothing", language: "x y"), .stopDub, .openFeed(source: "local"), .stepFeed(1), .refreshFeed,
    .likeItem, .set(["nonsense": .flag(true)]), .unlock,
  ])
  func `Every word in every state of every mode does something, or says why not`(command: Command) {
    for bench in Self.everywhere {
      var asked = bench
      asked.send(.command(command))
      let isDone = asked.state != bench.state || !asked.effects.orders.isEmpty
      let isAlreadySo = command == .take(.clips) && bench.state.mode == .clips
      let isListElsewhere = command == .showScreen(.files) && [.dub, .feed].contains(bench.state.mode)
      #expect(
        isDone || !asked.effects.ignored.isEmpty || isAlreadySo || isListElsewhere,
        "\(bench.state.modeName)")
    }
  }
}
