import Appliance
import Hardware
import TestSupport

@testable import Panel

extension SeededGenerator {
  mutating func number() -> Double {
    pick(
      [
        0, -1, 0.05, 4046.4, 59.99, 3599.999, 359_999, 1e5, .infinity, -.infinity, .nan,
        Double.random(in: -10...400_000, using: &self),
      ], or: 0)
  }

  mutating func level() -> Double {
    pick([-.infinity, .infinity, .nan, 0, 3, -99.9, Double.random(in: -120...6, using: &self)], or: 0)
  }

  mutating func take() -> TakeReference {
    TakeReference(
      id: text(upTo: 8), displayName: text(upTo: 60), frames: pick([0, -5, 48_000, .max, 17_279_952_000], or: 0),
      sampleRate: pick([0, 8000, 44_100, 48_000], or: 0))
  }

  /// Any state, likely or not.
  mutating func state() -> State {
    var state = State()
    state.lock = Lock(
      isLocked: chance(3),
      hintUntil: chance(4) ? Instant(nanoseconds: Int64.random(in: 0...2_000, using: &self)) : nil)
    if chance(4) {
      state.notice = Notice(
        severity: pick([.information, .warning, .error], or: .error), code: "code", text: text(upTo: 300))
    }
    state.health.hasMicrophone = !chance(4)
    state.health.hasSpeaker = !chance(4)
    state.health.isStorageLow = chance(4)
    state.health.isStorageFull = chance(6)
    state.health.isStorageMissing = chance(9)
    if chance(2) { clips(&state) } else if chance(2) { dub(&state) } else { dictaphone(&state) }
    let schedules = [
      "", "1 on daily 06:00 07:00",
      "999 off mon,tue,wed,fri,sat,sun sunrise-360 sunset-360 every 1440 for 720; 2 on sat 0:00 0:00",
    ]
    try? state.settings.set("recording.schedules", to: .text(pick(schedules, or: "")))
    try? state.settings.set("clock.zone", to: .text(pick(["UTC", "America/Argentina/Buenos_Aires"], or: "UTC")))
    try? state.settings.set("clock.place", to: .text(pick(["", "-89.999999,-179.999999"], or: "")))
    state.shown = ShownScreen(
      pick(Screen.allCases, or: .main),
      options: OptionsMenu(
        of: state.mode, group: chance(2) ? nil : Int.random(in: -1...7, using: &self),
        selected: Int.random(in: -2...12, using: &self)),
      schedules: chance(2)
        ? ScheduleMenu() : ScheduleMenu(editing: Int.random(in: -1...9, using: &self), of: state.settings),
      clock: chance(3)
        ? nil
        : ClockDraft(
          WallTime(seconds: Int.random(in: -1...4_200_000_000, using: &self)), zone: state.settings.zone,
          at: pick(ClockDraft.Field.allCases, or: .zone)))
    return state
  }

  private mutating func files(_ kind: FileList.Kind) -> FileList {
    let selected = pick([0, 1, 5, 9_999, -2, 20_000], or: 0)
    let window = (0..<Int.random(in: 0...32, using: &self)).map { _ in
      var file = take()
      file.isProtected = chance(2)
      return file
    }
    return FileList(
      of: kind, count: pick([0, 1, 4, 5, 6, 137, 10_000, -3], or: 0), selected: selected,
      windowStart: max(0, selected - Int.random(in: 0...20, using: &self)), window: window,
      isConfirmingDelete: chance(4), browser: chance(2) ? TakeBrowser() : browser())
  }

  private mutating func browser() -> TakeBrowser {
    var view = ListView()
    view.order = pick(ListView.Order.allCases, or: .newest)
    view.favouritesOnly = chance(2)
    view.tag = chance(2) ? text(upTo: 60) : nil
    view.query = text(upTo: 60)
    let facts = TakeFacts(
      id: text(upTo: 30), createdAt: WallTime(nanosecondsSince1970: 0), format: text(upTo: 9), bitrateKbps: 192,
      sampleRate: 44_100, channels: 2, bytes: 1 << 40, gaps: 100_000, marks: 0, tags: [text(upTo: 60)], parts: 1,
      stopReason: nil, source: text(upTo: 60))
    return TakeBrowser(
      pick(TakeBrowser.Page.allCases, or: .menu), row: Int.random(in: -1...12, using: &self), view: view,
      tags: (0..<Int.random(in: 0...9, using: &self)).map { _ in text(upTo: 60) },
      cell: Int.random(in: -1...50, using: &self), facts: facts,
      naming: chance(2) ? .take(text(upTo: 30)) : .newTag(of: ""), typed: text(upTo: 100))
  }

  /// The dictaphone, in any condition.
  private mutating func dictaphone(_ state: inout State) {
    state.dictaphone = DictaphoneState(
      pick(Activity.allCases, or: .idle), take: chance(2) ? take() : nil, loaded: chance(2) ? take() : nil,
      scrubbing: pick([0, 0, 0, 1, -1], or: 0), files: files(.takes))
    state.settings = SampleScreens.settings(gain: Int.random(in: Settings.inputGains, using: &self))
  }

  /// Clip mode, in any condition.
  private mutating func clips(_ state: inout State) {
    state.mode = .clips
    state.health.hasCamera = !chance(3)
    state.health.isCameraOpening = chance(3)
    let open = (0..<Int.random(in: 0...3, using: &self)).map { number in
      OpenClip(number: number, ends: Instant(nanoseconds: Int64(number)), isSaving: chance(2))
    }
    state.clips = ClipsState(
      isAvailable: true, isReady: chance(2),
      captures: Captures(unanswered: pick([0, 0, 0, 1, 64], or: 0), open: open),
      playback: Playback(pick([.stopped, .playing, .paused], or: .stopped), of: chance(2) ? take() : nil),
      files: files(.clips))
  }

  /// Dubbed playback, in any condition.
  private mutating func dub(_ state: inout State) {
    state.mode = .dub
    state.health.hasNetwork = chance(2)
    let sources = (0..<Int.random(in: 0...9, using: &self)).map { _ in
      DubSource(id: text(upTo: 60), name: text(upTo: 60), kind: pick(DubSource.Kind.allCases, or: .stream))
    }
    state.dub = DubState(
      isAvailable: true, sources: SourceList(sources, selected: Int.random(in: -1...12, using: &self)),
      isOn: chance(2), play: chance(3) ? nil : dubPlay())
    try? state.settings.set(
      "dub.language", to: .text(pick(["en", "es", "pt-BR", "zh-Hant-TW", "xx-aaaaaaaa-bbbbbbbb"], or: "en")))
  }

  private mutating func dubPlay() -> DubPlay {
    var play = DubPlay(of: DubSource(id: "a", name: text(upTo: 60), kind: .clip))
    play.isBuffering = chance(2)
    play.isPaused = chance(3)
    play.rung = pick(HeardRung.allCases, or: .original)
    play.reason = chance(2) ? "" : text(upTo: 200)
    play.isLinkLost = chance(3)
    play.languages = (0..<Int.random(in: 0...9, using: &self)).map { _ in text(upTo: 35) }
    return play
  }

  /// What dubbed playback shows, sane or not.
  mutating func dubReadings() -> DubReadings {
    var dub = DubReadings()
    dub.positionSeconds = number()
    dub.durationSeconds = chance(2) ? nil : number()
    dub.isLive = chance(2)
    dub.behindLiveSeconds = chance(2) ? nil : number()
    dub.bufferSeconds = number()
    dub.bufferGoalSeconds = number()
    dub.segments = pick([0, 1, 3, 10, .max, .min], or: 0)
    dub.segmentLimit = pick([0, 1, 3, 10, .max, .min], or: 0)
    dub.onTimePercent = chance(2) ? nil : number()
    if chance(3) { dub.preview = GreyPicture(width: 8, height: 3, luma: [UInt8](repeating: 200, count: 24)) }
    return dub
  }

  /// What clip mode shows, sane or not.
  mutating func clipReadings() -> ClipReadings {
    var clips = SampleScreens.clipReadings().clips
    clips.formatText = text(upTo: 40)
    clips.heldSeconds = number()
    clips.windowSeconds = number()
    clips.framesPerSecond = number()
    clips.lostFrames = pick([0, 1, 99_999, .max, -1], or: 0)
    clips.secondsToGo = number()
    clips.postRollSeconds = number()
    clips.clipSeconds = number()
    clips.triggers = pick([0, 1, 2, 1000, .max], or: 0)
    if chance(2) {
      let side = Int.random(in: 1...200, using: &self)
      clips.preview = GreyPicture(width: side, height: 3, luma: [UInt8](repeating: 200, count: 3 * side))
    }
    clips.cards = chance(2) ? [:] : ["a": ClipCard(made: WallTime(seconds: 1_795_253_400))]
    clips.receipt = (0..<Int.random(in: 0...9, using: &self)).map { _ in MenuRow(text(upTo: 20), text(upTo: 40)) }
    return clips
  }

  /// Any readings, sane or not.
  mutating func readings() -> Readings {
    var readings = SampleScreens.readings()
    readings.takeSeconds = number()
    readings.fileName = chance(2) ? "" : text(upTo: 80)
    readings.sizeBytes = pick([0, -1, 999, 1000, 999_499, 999_500, 123_456_789, .max, .min], or: 0)
    readings.sampleRate = pick([0, 8000, 44_100, 48_000, 96_000, 11_025], or: 0)
    readings.levels = (0..<Int.random(in: 0...3, using: &self)).map { _ in
      LevelReading(rmsDB: level(), peakDB: level(), holdDB: level(), clipCount: Int.random(in: -1...3, using: &self))
    }
    readings.preRecordSeconds = number()
    readings.preRecordLimitSeconds = number()
    readings.positionSeconds = number()
    readings.durationSeconds = number()
    readings.markCount = pick([0, 3, 9999, 10_000, .max, -1], or: 0)
    readings.markSeconds = (0..<Int.random(in: 0...5, using: &self)).map { _ in number() }
    readings.waveform = (0..<Int.random(in: 0...300, using: &self)).map { _ in
      pick([0, 1, 0.3, -1, 7, .nan, .infinity], or: 0)
    }
    readings.waveformSecondsPerColumn = pick([0, 0.05, 1e-9, 1e9, .nan, .infinity, -1, 600], or: 0)
    readings.timeLeftSeconds = chance(4) ? nil : number()
    readings.freeBytes = chance(4) ? nil : pick([0, -1, .max, 32_000_000_000], or: 0)
    readings.guideTop = Int.random(in: -3...20, using: &self)
    if chance(4) { readings.options = [] }
    readings.clips = clipReadings()
    readings.dub = dubReadings()
    return readings
  }
}
