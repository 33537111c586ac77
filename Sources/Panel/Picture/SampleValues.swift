internal import Appliance
internal import Hardware

/// The values that sample screens are made of.
extension SampleScreens {
  static func state(_ activity: Activity = .idle, _ change: (inout State) -> Void = { _ in }) -> State {
    var state = State()
    state.health.hasMicrophone = true
    state.health.hasSpeaker = true
    state.health.hasDisplay = true
    state.dictaphone = dictaphone(activity)
    change(&state)
    return state
  }

  /// Settings with a gain of the microphone.
  static func settings(gain: Int) -> Settings {
    var settings = Settings()
    do { try settings.set("recording.gainDb", to: .integer(gain)) } catch { preconditionFailure("\(error)") }
    return settings
  }

  static func dictaphone(
    _ activity: Activity, scrubbing: Int = 0, files: FileList = files()
  ) -> DictaphoneState {
    DictaphoneState(
      activity, take: take(43, seconds: 0), loaded: take(42, seconds: 4046), scrubbing: scrubbing, files: files)
  }

  static func files(isConfirmingDelete: Bool = false) -> FileList {
    FileList(
      count: 42, selected: 2,
      window: (0..<32).map { take(42 - $0, seconds: [4046, 26, 446, 43_440, 5][$0 % 5]) },
      isConfirmingDelete: isConfirmingDelete)
  }

  /// The list of takes, or what lies behind it.
  static func browsing(
    _ screen: Screen, page: TakeBrowser.Page = .menu, row: Int = 0, favourites: Bool = false,
    _ change: (inout ListView) -> Void = { _ in }
  ) -> State {
    state { state in
      state.screen = screen
      var files = Self.files()
      let window = files.window.enumerated().map { index, take in
        var take = take
        take.isFavourite = favourites && index % 2 == 0
        take.tags = index == 2 ? "night\ninterview" : ""
        return take
      }
      files = FileList(count: 42, selected: 2, window: window, browser: browser(page, row: row, change))
      state.dictaphone.files = files
    }
  }

  /// Several takes are marked, or something is being done to them.
  static func marking(_ screen: Screen, asks: Bool = false, worked: Int? = nil) -> State {
    state { state in
      state.screen = screen
      let takes = files().window
      let marked = Set([0, 2, 3].map { takes[$0].id })
      state.dictaphone.files = FileList(
        count: 42, selected: 2, window: takes, isConfirmingDelete: asks,
        browser: TakeBrowser(.menu, marked: worked == nil ? marked : nil, worked: worked))
    }
  }

  /// A take on its way to the stick.
  static func stick(_ condition: StickState.Condition, exported: Int? = nil) -> State {
    state { state in
      state.screen = .library
      state.dictaphone.files = FileList(
        count: 42, selected: 2, window: files().window,
        browser: TakeBrowser(.stick, stick: condition, exported: exported))
    }
  }

  /// The letters of a name.
  static func named(_ naming: TakeBrowser.Naming, _ typed: String) -> State {
    state { state in
      state.screen = .library
      state.dictaphone.files = FileList(
        count: 42, selected: 2, window: files().window,
        browser: TakeBrowser(.name, cell: typed.isEmpty ? 39 : 0, naming: naming, typed: typed))
    }
  }

  static func browser(
    _ page: TakeBrowser.Page, row: Int = 0, _ change: (inout ListView) -> Void = { _ in }
  ) -> TakeBrowser {
    var view = ListView()
    change(&view)
    let facts = TakeFacts(
      id: "000040.m4a", createdAt: WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000), format: "aac",
      bitrateKbps: 192, sampleRate: 48_000, channels: 2, bytes: 10_704_000, gaps: 1, marks: 3,
      tags: ["night", "interview"], parts: 1, stopReason: "user", source: "board")
    return TakeBrowser(page, row: row, view: view, tags: ["interview", "night", "radio"], cell: 4, facts: facts)
  }

  /// Three schedules; one row of their list, or its values.
  static func plan(_ screen: Screen, _ row: Int, _ state: inout State) {
    do {
      try state.settings.set([
        "recording.schedules": .text(
          "1 on mon-fri 06:30 08:00; 2 on daily sunrise-30 sunrise+60 every 15 for 2; 3 off sat,sun 22:00 06:00"),
        "clock.zone": .text("Europe/Berlin"), "clock.place": .text("52.5,13.4"),
      ])
    } catch { preconditionFailure("\(error)") }
    state.shown = ShownScreen(
      screen, schedules: screen == .schedule ? ScheduleMenu(editing: row, of: state.settings) : ScheduleMenu())
  }

  static func clock(_ field: ClockDraft.Field) -> ClockDraft {
    ClockDraft(
      WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000), zone: "America/Argentina/Buenos_Aires", at: field)
  }

  static func someMarks(of take: String) -> MarkList {
    let titles = ["", "the question", "overload", "", "voice", "a long word about what was said here"]
    return MarkList(
      of: take,
      titles.enumerated().map { MarkReference(id: "\($0)", frame: 48_000 * 611 * ($0 + 1) + 7200, title: $1) })
  }

  static func take(_ number: Int, seconds: Int) -> TakeReference {
    TakeReference(
      id: "0000\(number).m4a", displayName: "Take \(number)", frames: seconds * 48_000, sampleRate: 48_000)
  }

  static func longFiles(count: Int = 137, selected: Int = 5, windowStart: Int = 0) -> FileList {
    let window = (0..<10).map { index in
      TakeReference(
        id: index == 5 ? "000042.m4a" : "\(index)",
        displayName: index % 3 == 0
          ? "Щётки и Йод, репетиция \(index)" : "2026-11-20 interview with a beekeeper \(index)",
        frames: 48_000 * 359_999, sampleRate: 48_000)
    }
    return FileList(count: count, selected: selected, windowStart: windowStart, window: window)
  }

  static func readings(_ change: (inout Readings) -> Void = { _ in }) -> Readings {
    var readings = Readings()
    readings.takeSeconds = 4046.4
    readings.sizeBytes = 97_123_456
    readings.formatText = "AAC 192k"
    readings.sampleRate = 48_000
    readings.levels = loud
    readings.preRecordSeconds = 5
    readings.preRecordLimitSeconds = 5
    readings.positionSeconds = 1234.5
    readings.durationSeconds = 4046.4
    readings.markCount = 3
    readings.markSeconds = [312, 1600, 3550]
    readings.waveform = speech
    readings.waveformSecondsPerColumn = 0.05
    readings.timeLeftSeconds = 43_440
    readings.freeBytes = 1_234_567_890
    readings.clockText = "21:54"
    readings.options = [
      MenuRow("Quality", "High"), MenuRow("Format", "AAC"), MenuRow("Bit rate", "192 kbit/s"),
      MenuRow("Sample rate", "48 kHz"), MenuRow("Channels", "Stereo"), MenuRow("Pre-record", "5 s"),
      MenuRow("Locked STOP", "Off"),
    ]
    readings.guide = [
      MenuRow("REC", "record"), MenuRow("CENTRE", "play"), MenuRow("hold CENTRE", "options"),
      MenuRow("LEFT", "back 10 s"), MenuRow("hold LEFT", "scrub back"), MenuRow("RIGHT", "forward 10 s"),
      MenuRow("hold RIGHT", "scrub forward"), MenuRow("hold UP", "guide"), MenuRow("DOWN", "list of takes"),
      MenuRow("LOCK", "lock"),
    ]
    readings.information = [
      MenuRow("Mynah", "0.1.0"), MenuRow("Microphone", "USB, 48 kHz"), MenuRow("Free", "1.23 GB"),
      MenuRow("Takes", "42"),
    ]
    change(&readings)
    return readings
  }

  static var playback: Readings { playing { _ in } }

  static func playing(_ change: (inout Readings) -> Void) -> Readings {
    readings {
      $0.waveformSecondsPerColumn = 0
      change(&$0)
    }
  }

  static var low: Readings {
    readings {
      $0.timeLeftSeconds = 745
      $0.freeBytes = 17_900_000
    }
  }

  /// Every value as wide as it can get.
  static var extremeReadings: Readings {
    readings {
      $0.takeSeconds = 359_999
      $0.fileName = "Interview with the beekeeper of Novosibirsk, second day, 000042"
      $0.sizeBytes = 888_888_888_888
      $0.formatText = "FLAC 320k"
      $0.sampleRate = 44_100
      $0.levels = [
        LevelReading(rmsDB: -.infinity, peakDB: -.infinity, holdDB: -.infinity),
        LevelReading(rmsDB: 0, peakDB: 3, holdDB: -88.8, clipCount: 100_000),
      ]
      $0.preRecordSeconds = 60
      $0.preRecordLimitSeconds = 60
      $0.positionSeconds = 359_999
      $0.durationSeconds = 359_999
      $0.markCount = 8888
      $0.markSeconds = (0..<200).map { Double($0) * 1800 }
      $0.waveform = [Float](repeating: 1, count: 500)
      $0.timeLeftSeconds = 359_999
      $0.freeBytes = 888_888_888_888
      $0.clockText = "20:58"
    }
  }

  static let loud = [
    LevelReading(rmsDB: -19.4, peakDB: -9.1, holdDB: -6.3), LevelReading(rmsDB: -27.2, peakDB: -18.0, holdDB: -12.8),
  ]

  static let clipped = [
    LevelReading(rmsDB: -8.1, peakDB: -0.2, holdDB: 0, clipCount: 3),
    LevelReading(rmsDB: -14.2, peakDB: -6, holdDB: -1.5),
  ]

  /// Something like syllables: bursts that rise and fall, the same every time.
  private static let speech: [Float] = (0..<128).map { column in
    let syllable = column % 13
    let height: [Float] = [0.02, 0.2, 0.55, 0.8, 0.6, 0.45, 0.5, 0.3, 0.15, 0.08, 0.03, 0.01, 0.01]
    let phrase = Float((column / 13 * 37) % 10) / 10
    return height[syllable] * (0.25 + 0.75 * phrase)
  }
}
