import Appliance
import Hardware
import Testing

/// The column "clips" of the contract's table of keys, and what happens to a clip from trigger to durable file.
@Suite struct ClipTests {
  private static let pressed = Instant.ms(10_000)

  @Test func `REC keeps a clip from the time of the press`() {
    var bench = Bench.clips()
    #expect(bench.down(.rec).orders == [.clip(.trigger(at: Self.pressed, source: .key))])
    #expect(bench.state.modeName == "clips.capturing")
    bench.up(.rec)
    let started = bench.send(.clip(.started(number: 1, source: .key, at: Self.pressed, ends: .ms(12_000))))
    #expect(
      started.announcements == [.captureStarted(number: 1, source: .key, at: Self.pressed, ends: .ms(12_000))])
    #expect(bench.state.clips.open.map(\.ends) == [.ms(12_000)])
    #expect(
      bench.send(.clip(.ended(number: 1))).announcements == [.modeChanged(from: "clips.capturing", to: "clips.saving")])
    #expect(
      bench.send(.clip(.completed(number: 1, .clip(4)))).announcements
        == [.captureCompleted(number: 1, .clip(4)), .modeChanged(from: "clips.saving", to: "clips.buffering")])
    #expect(bench.state.clips.last == .clip(4))
  }

  @Test func `A clip that is safe is told on the screen, and nothing that is on offer is taken away for it`() {
    var bench = Bench.clips()
    bench.tap(.rec)
    bench.send(.clip(.started(number: 1, source: .key, at: Self.pressed, ends: Self.pressed)))
    bench.send(.clip(.ended(number: 1)))
    #expect(bench.state.notice == nil)
    bench.send(.clip(.completed(number: 1, .clip(4))))
    #expect(bench.state.notice?.severity == .information && bench.state.notice?.text == "Clip 4 kept.")
    #expect(bench.state.notice?.expires == bench.now + .milliseconds(1500))
    // The next press acts, and takes it away.
    #expect(bench.tap(.rec).orders.count == 1)
    #expect(bench.state.notice == nil)

    bench = Bench.clips(screen: .files)
    bench.send(.library(.deleted(.clip(3))))
    bench.send(.clip(.started(number: 1, source: .sound, at: .zero, ends: .zero)))
    bench.send(.clip(.completed(number: 1, .clip(4))))
    #expect(bench.state.notice?.text == "Clip 3 is deleted: LEFT brings it back.")
  }

  @Test func `Of a clip that no key was pressed for nothing is told on the screen`() {
    for source in [TriggerSource.console, .input, .sound, .motion] {
      var bench = Bench.clips()
      if source == .console { bench.send(.command(.trigger)) }
      if source == .input { bench.send(.clipTrigger(at: .ms(9_990), source: .input)) }
      bench.send(.clip(.started(number: 1, source: source, at: Self.pressed, ends: Self.pressed)))
      bench.send(.clip(.completed(number: 1, .clip(4))))
      #expect(bench.state.clips.last == .clip(4) && bench.state.notice == nil, "\(source)")
    }
  }

  @Test func `REC triggers while a clip runs, is saved or plays, and on every screen`() {
    for screen in Screen.allCases {
      for prepare in [
        { (state: inout State) in state.clips.captures = Captures(open: [OpenClip(number: 1, ends: .ms(12_000))]) },
        { $0.clips.captures = Captures(open: [Self.saving]) },
        { $0.clips.playback = Playback(.playing, of: .clip(3)) },
      ] {
        var bench = Bench.clips(screen: screen, prepare)
        #expect(bench.tap(.rec).orders == [.clip(.trigger(at: Self.pressed, source: .key))])
      }
    }
  }

  private static var saving: OpenClip { OpenClip(number: 1, ends: .ms(9_000), isSaving: true) }

  @Test func `A trigger during another's post-roll is answered with joined or started, and none is lost`() {
    var bench = Bench.clips()
    for _ in 0..<3 { bench.tap(.rec) }
    #expect(bench.state.clips.captures.unanswered == 3)
    bench.send(.clip(.started(number: 1, source: .key, at: .zero, ends: .ms(12_000))))
    bench.send(.clip(.joined(number: 1, source: .key, at: .zero, ends: .ms(13_000))))
    #expect(bench.effects.announcements == [.captureExtended(number: 1, source: .key, at: .zero, ends: .ms(13_000))])
    bench.send(.clip(.started(number: 2, source: .key, at: .zero, ends: .ms(14_000))))
    #expect(bench.state.clips.open.map(\.number) == [1, 2])
    bench.send(.clip(.ended(number: 1)))
    #expect(bench.state.modeName == "clips.capturing")
    bench.send(.clip(.ended(number: 2)))
    #expect(bench.state.modeName == "clips.saving")
    bench.send(.clip(.completed(number: 2, .clip(5))))
    #expect(bench.state.modeName == "clips.saving")
    bench.send(.clip(.completed(number: 1, .clip(4))))
    #expect(bench.state.modeName == "clips.buffering")
  }

  @Test func `A trigger that fails says so, and the device buffers on`() {
    var bench = Bench.clips()
    bench.tap(.rec)
    bench.send(.clip(.refused(source: .key, code: "storage-full", text: "no room")))
    #expect(bench.effects.announcements.contains(.error(code: "storage-full", text: "no room")))
    #expect(bench.state.modeName == "clips.buffering")
    bench.tap(.rec)
    bench.send(.clip(.started(number: 1, source: .key, at: .zero, ends: .ms(12_000))))
    bench.send(.clip(.failed(number: 1, code: "internal", text: "the card broke")))
    #expect(bench.state.modeName == "clips.buffering")
    #expect(bench.state.notice?.severity == .error)
  }

  @Test func `STOP ends a running post-roll, and else means nothing; held it changes the mode`() {
    var bench = Bench.clips()
    #expect(bench.tap(.stop).ignored == [.noMeaning(mode: "clips.buffering")])
    bench = Bench.clips { $0.clips.captures = Captures(open: [OpenClip(number: 1, ends: .ms(12_000))]) }
    #expect(bench.down(.stop).orders == [.clip(.endPostRoll(at: Self.pressed))])
    bench = Bench.clips { $0.clips.captures = Captures(open: [Self.saving]) }
    #expect(bench.tap(.stop).ignored == [.busy("clip")])
    #expect(bench.hold(.stop, 700).ignored == [.busy("clip")])
    #expect(bench.state.mode == .clips)
    bench = Bench.clips()
    #expect(bench.hold(.stop, 700).orders.contains(.clip(.disarm)))
    #expect(bench.state.modeName == "dictaphone.idle")
    #expect(bench.hold(.stop, 700).orders.contains(.clip(.arm)))
    #expect(bench.state.modeName == "clips.buffering")
    #expect(bench.state.health.isCameraOpening)
  }

  @Test func `LEFT keeps the picture, RIGHT steps the length, CENTRE plays the last clip, DOWN lists`() {
    var bench = Bench.clips()
    #expect(bench.tap(.left).orders == [.clip(.snapshot(at: Self.pressed))])
    var lengths: [Int] = []
    for _ in 0..<6 {
      bench.tap(.right)
      lengths.append(bench.state.settings.clipDurationSeconds)
    }
    #expect(lengths == [10, 20, 30, 60, 5, 10])
    #expect(bench.tap(.centre).orders == [.player(.load(id: "clip3.mp4", playing: true, fromStart: true))])
    #expect(bench.state.modeName == "clips.buffering")
    #expect(bench.tap(.centre).orders == [.player(.pause)])
    #expect(bench.tap(.stop).orders == [.player(.stop)])
    #expect(bench.tap(.down).orders == [.library(.clipWindow(start: 0, count: 32))])
    #expect(Bench.clips().state.keyGuide.map(\.text).contains("REC: keep a clip"))
  }

  @Test func `The length that RIGHT steps to while a clip plays is told, for it is not in sight`() {
    var bench = Bench.clips()
    bench.tap(.right)
    #expect(bench.state.settings.clipDurationSeconds == 10 && bench.state.notice == nil)
    bench.tap(.centre)
    for (seconds, text) in [(20, "Clips of 20 s."), (30, "Clips of 30 s.")] {
      bench.tap(.right)
      #expect(bench.state.settings.clipDurationSeconds == seconds && bench.state.notice?.text == text)
    }
    #expect(bench.effects.orders.isEmpty)
  }

  @Test func `The length stays within what the board's ring can hold`() {
    var bench = Bench.clips { $0.clips.largestSeconds = 12 }
    var lengths: [Int] = []
    for _ in 0..<3 {
      bench.tap(.right)
      lengths.append(bench.state.settings.clipDurationSeconds)
    }
    #expect(lengths == [10, 5, 10])
    #expect(bench.send(.command(.set(["clips.durationSeconds": .integer(12)]))).ignored.isEmpty)
    #expect(bench.send(.command(.set(["clips.durationSeconds": .integer(13)]))).ignored.count == 1)
    bench = Bench.clips { $0.clips.largestSeconds = 7 }
    #expect(bench.tap(.right).ignored == [.atLimit])
  }

  @Test(arguments: [Activity.recording, .paused, .saving])
  func `A take that is open is never endangered by a change of mode`(activity: Activity) {
    var bench = Bench.doing(activity)
    bench.machine = Machine(
      state: {
        var state = bench.state
        state.clips.isAvailable = true
        return state
      }())
    bench.send(.command(.take(.clips)))
    #expect(bench.effects.ignored == [.busy(activity == .saving ? "saving" : "recording")])
    #expect(bench.effects.orders.isEmpty)
    #expect(bench.state.activity == activity)
  }

  @Test func `In clip mode no take can be recorded`() {
    var bench = Bench.clips()
    #expect(bench.send(.command(.record)).ignored == [.busy("clips")])
    #expect(bench.send(.command(.mark(title: nil))).ignored.count == 1)
    #expect(!bench.state.hasOpenTake)
  }

  @Test func `A change of mode gives the player what it had in that mode`() {
    var bench = Bench.doing(.idle)
    bench.machine = Machine(
      state: {
        var state = bench.state
        state.clips.isAvailable = true
        return state
      }())
    bench.send(.command(.take(.clips)))
    #expect(bench.state.loaded == nil)
    bench.send(.clip(.bufferReady(seconds: 5)))
    bench.send(.command(.take(.dictaphone)))
    #expect(bench.state.loaded == .take(1))
    #expect(bench.effects.orders.contains(.player(.load(id: "take1.m4a", playing: false, fromStart: false))))
  }

  @Test func `Without a camera there is nothing to keep, and once it is back there is`() {
    var bench = Bench.clips {
      $0.health.hasCamera = false
      $0.clips = ClipsState(isAvailable: true)
    }
    #expect(bench.tap(.rec).ignored == [.deviceMissing(.camera)])
    #expect(bench.state.notice?.device == .camera)
    bench.send(.deviceReturned(.camera, text: ""))
    #expect(bench.state.notice == nil)
    #expect(bench.tap(.rec).orders.count == 1)
    bench.send(.deviceLost(.camera, text: "gone"))
    // What came before the loss is still in the ring.
    #expect(bench.tap(.rec).orders.count == 1)
    #expect(bench.tap(.left).ignored == [.deviceMissing(.camera)])
  }

  @Test func `Only a clip with sound is told to go on without the camera`() {
    for (sources, text) in [
      ([TriggerSource.timeLapse], "Camera lost: plug it in."),
      ([TriggerSource.timeLapse, .sound], "Camera lost: the clip goes on with sound."),
      ([TriggerSource](), "Camera lost: plug it in."),
    ] {
      var bench = Bench.clips()
      for (place, source) in sources.enumerated() {
        bench.send(.clip(.started(number: place + 1, source: source, at: .zero, ends: .distantFuture)))
      }
      #expect(bench.state.clips.open.count == sources.count)
      bench.send(.deviceLost(.camera, text: "gone"))
      #expect(bench.state.notice?.text == text, "\(sources)")
    }
  }

  @Test func `Automatic triggers obey their settings and not the lock`() {
    var bench = Bench.clips { $0.isLocked = true }
    let edge = Event.clipTrigger(at: .ms(9_990), source: .input)
    #expect(bench.send(edge).orders == [.clip(.trigger(at: .ms(9_990), source: .input))])
    bench.send(.command(.set(["clips.inputTrigger": .flag(false)])))
    #expect(bench.send(edge).ignored == [.switchedOff(.input)])
    // What the recorder hears and sees by itself was not ordered, and is answered for all the same.
    bench = Bench.clips()
    bench.send(.clip(.started(number: 1, source: .sound, at: .zero, ends: .ms(12_000))))
    #expect(bench.state.modeName == "clips.capturing")
    bench = Bench.doing(.recording)
    #expect(bench.send(edge).orders.isEmpty)
  }

  @Test func `Dropped pictures are a warning, and power that goes ends the post-roll`() {
    var bench = Bench.clips { $0.clips.captures = Captures(open: [OpenClip(number: 1, ends: .ms(12_000))]) }
    bench.send(.clip(.dropped(frames: 2, reason: "the encoder was too slow")))
    #expect(bench.state.notice?.text == "2 pictures are missing: the encoder was too slow.")
    #expect(bench.send(.command(.shutDown)).orders == [.clip(.endPostRoll(at: bench.now))])
    #expect(bench.state.hasOpenWork)
  }

  /// Who says the one and then the other need not wait between them; the recorder answers a moment later.
  @Test(arguments: [(Command.continuous, TriggerSource.continuous), (.timeLapse(milliseconds: 1000), .timeLapse)])
  func `What goes on without end runs from its order on: it is ended, and the mode is not left`(
    _ order: Command, _ source: TriggerSource
  ) {
    var bench = Bench.clips()
    #expect(bench.send(.command(order)).orders.count == 1)
    #expect(bench.state.modeName == "clips.capturing")
    #expect(bench.send(.command(.endPostRoll)).orders == [.clip(.endPostRoll(at: bench.now))])
    #expect(bench.send(.command(.take(.dictaphone))).ignored == [.busy("capturing")])
    bench.send(.clip(.started(number: 1, source: source, at: .zero, ends: .distantFuture)))
    bench.send(.clip(.ended(number: 1)))
    bench.send(.clip(.completed(number: 1, .clip(4))))
    bench.send(.command(.take(.dictaphone)))
    #expect(bench.state.mode == .dictaphone)
    bench = Bench.clips()
    bench.send(.command(order))
    bench.send(.clip(.refused(source: source, code: "busy", text: "no camera")))
    #expect(bench.state.modeName == "clips.buffering")
  }

  @Test func `A time-lapse is over for who orders the next as soon as its end is ordered`() {
    var bench = Bench.clips()
    bench.send(.command(.timeLapse(milliseconds: 1000)))
    #expect(bench.state.clips.captures.hasTimeLapse)
    bench.send(.clip(.started(number: 1, source: .timeLapse, at: .zero, ends: .distantFuture)))
    #expect(bench.state.clips.captures.hasTimeLapse)
    bench.send(.command(.endPostRoll))
    #expect(!bench.state.clips.captures.hasTimeLapse)
    bench.send(.clip(.ended(number: 1)))
    bench.send(.clip(.completed(number: 1, .clip(4))))
    // One that ends by itself is over, too.
    bench.send(.command(.timeLapse(milliseconds: 1000)))
    bench.send(.clip(.started(number: 2, source: .timeLapse, at: .zero, ends: .distantFuture)))
    bench.send(.clip(.failed(number: 2, code: "empty", text: "")))
    #expect(!bench.state.clips.captures.hasTimeLapse)
  }

  @Test func `A second press within the debounce time is one with the first`() {
    var bench = Bench.clips()
    bench.tap(.rec)
    bench.tap(.rec)
    bench.send(.clip(.started(number: 1, source: .key, at: .zero, ends: .ms(12_000))))
    bench.send(.clip(.bounced(source: .key)))
    #expect(bench.state.clips.captures.unanswered == 0)
    #expect(bench.state.clips.open.count == 1)
  }

  @Test func `A deleted clip comes back by LEFT on the card that tells of it`() {
    var bench = Bench.clips(screen: .files)
    bench.hold(.right, 700)
    #expect(bench.tap(.centre).orders == [.library(.deleteClip(id: "clip3.mp4"))])
    bench.send(.library(.deleted(.clip(3))))
    #expect(bench.state.notice?.text == "Clip 3 is deleted: LEFT brings it back.")
    #expect(bench.tap(.left).orders == [.library(.undelete)])
    bench.send(.library(.restored(.clip(3))))
    #expect(bench.state.notice?.text == "Clip 3 is back.")
  }

  @Test func `REC, STOP and MARK keep the clip that CENTRE would delete`() {
    var bench = Bench.clips(screen: .files)
    bench.hold(.right, 700)
    #expect(bench.state.files.isConfirmingDelete)
    #expect(bench.tap(.rec).orders.count == 1)
    #expect(!bench.state.files.isConfirmingDelete)
    bench.send(.clip(.started(number: 1, source: .key, at: Self.pressed, ends: .ms(12_000))))
    bench.hold(.right, 700)
    bench.tap(.mark)
    #expect(!bench.state.files.isConfirmingDelete)
    bench.hold(.right, 700)
    #expect(bench.state.files.isConfirmingDelete)
    bench.tap(.stop)
    #expect(!bench.state.files.isConfirmingDelete)
  }

  @Test func `In the list LEFT shows the receipt, RIGHT protects, and what is protected stays`() {
    var bench = Bench.clips(screen: .files)
    #expect(bench.tap(.left).orders == [.library(.receipt(id: "clip3.mp4"))])
    #expect(bench.state.screen == .receipt)
    bench.tap(.left)
    #expect(bench.state.screen == .files)
    #expect(bench.tap(.right).orders == [.library(.protectClip(id: "clip3.mp4", true))])
    var clip = TakeReference.clip(3)
    clip.isProtected = true
    bench.send(.library(.protected(clip)))
    #expect(bench.hold(.right, 700).ignored == [.protected])
    #expect(!bench.state.files.isConfirmingDelete)
    bench.tap(.down)
    bench.hold(.right, 700)
    #expect(bench.tap(.centre).orders == [.library(.deleteClip(id: "clip2.mp4"))])
  }

  @Test func `Every tap of every key in every state of clip mode does something or says why not`() {
    for screen in Screen.allCases {
      for prepare in [
        { (_: inout State) in }, { $0.clips.captures = Captures(open: [OpenClip(number: 1, ends: .ms(12_000))]) },
        { $0.clips.captures = Captures(open: [Self.saving]) }, { $0.health.hasCamera = false },
      ] {
        for key in Button.allCases {
          var bench = Bench.clips(screen: screen, prepare)
          let before = bench.state
          bench.tap(key)
          #expect(!bench.effects.isEmpty || bench.state != before, "\(screen) \(key)")
        }
      }
    }
  }
}
