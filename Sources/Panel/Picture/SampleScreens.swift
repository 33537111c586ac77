public import Appliance
public import Hardware

/// A screen worth looking at: a state and readings that make it.
public struct SampleScreen: Hashable, Sendable, CustomStringConvertible {
  /// In kebab case; also the name of its golden picture.
  public var name: String
  public var state: State
  public var readings: Readings
  public var now: Instant

  public init(_ name: String, _ state: State, _ readings: Readings, now: Instant = .zero) {
    self.name = name
    self.state = state
    self.readings = readings
    self.now = now
  }

  public var description: String { name }
}

/// One sample a screen, and one a variant of it, in the order of the contact sheet.
public enum SampleScreens {
  public static var all: [SampleScreen] {
    stopped + takes + player + lists + library + cards + clips + dubs + feeds + extremes
  }

  // MARK: Stopped

  private static var stopped: [SampleScreen] {
    [
      SampleScreen("armed", state(), readings()),
      SampleScreen(
        "armed-mono", state { $0.dictaphone = DictaphoneState() }, readings { $0.levels = Array(loud.prefix(1)) }),
      SampleScreen("no-microphone", state { $0.health.hasMicrophone = false }, readings { $0.levels = [] }),
      SampleScreen("storage-low", state { $0.health.isStorageLow = true }, low),
      SampleScreen("storage-full", state { $0.health.isStorageFull = true }, readings { $0.timeLeftSeconds = 0 }),
      SampleScreen("storage-missing", state { $0.health.isStorageMissing = true }, readings { $0.timeLeftSeconds = 0 }),
      SampleScreen("armed-locked", state { $0.isLocked = true }, readings()),
    ]
  }

  // MARK: A take is open

  private static var takes: [SampleScreen] {
    [
      SampleScreen("recording", state(.recording), readings()),
      SampleScreen(
        "recording-clipped", state(.recording) { $0.settings = settings(gain: 6) },
        readings { $0.levels = clipped }),
      SampleScreen("recording-mono", state(.recording), readings { $0.levels = Array(loud.prefix(1)) }),
      SampleScreen(
        "recording-locked-low",
        state(.recording) {
          $0.isLocked = true
          $0.health.isStorageLow = true
        }, low),
      SampleScreen("recording-mic-lost", state(.recording) { $0.health.hasMicrophone = false }, readings()),
      SampleScreen("paused", state(.paused), readings()),
      SampleScreen("saving", state(.saving), readings(), now: Instant(nanoseconds: 400_000_000)),
    ]
  }

  // MARK: The player

  private static var player: [SampleScreen] {
    [
      SampleScreen("playing", state(.playing), playback),
      SampleScreen("playing-meters", state(.playing), playing { $0.waveform = [] }),
      SampleScreen("playback-paused", state(.playbackPaused), playback),
      SampleScreen(
        "playing-close",
        state(.playing),
        playing {
          let start = ($0.positionSeconds / 30).rounded(.down) * 30 - 15
          $0.waveformSpan = start...start + 60
          $0.markSeconds.append(start + 40)
          ($0.batteryPercent, $0.isThrottled) = (62, true)
        }),
      SampleScreen("scrubbing", state(.playing) { $0.dictaphone = dictaphone(.playing, scrubbing: -1) }, playback),
      SampleScreen("playing-no-speaker", state(.playing) { $0.health.hasSpeaker = false }, playback),
    ]
  }

  // MARK: Lists

  private static var lists: [SampleScreen] {
    [
      SampleScreen("files", state { $0.screen = .files }, readings()),
      SampleScreen(
        "files-long-names",
        state(.playing) {
          $0.screen = .files
          $0.dictaphone.files = longFiles()
        }, playback),
      SampleScreen(
        "files-empty",
        state {
          $0.screen = .files
          $0.dictaphone.files = FileList()
        }, readings()),
      SampleScreen(
        "files-delete",
        state {
          $0.screen = .files
          $0.dictaphone.files = files(isConfirmingDelete: true)
        }, readings()),
      SampleScreen(
        "marks",
        state(.playing) {
          $0.screen = .marks
          $0.dictaphone.marks = someMarks(of: $0.loaded?.id ?? "")
        }, playback),
      SampleScreen("marks-none", state(.playing) { $0.screen = .marks }, playback),
      SampleScreen(
        "options",
        state {
          $0.shown = ShownScreen(.options, options: OptionsMenu(group: 0, selected: 2))
        }, readings()),
      SampleScreen(
        "options-groups", state { $0.screen = .options },
        readings { $0.options = Mode.dictaphone.optionsMenu.map { MenuRow($0, state()) } }),
      SampleScreen("clock", state { $0.shown = ShownScreen(.clock, clock: clock(.hour)) }, readings()),
      SampleScreen("clock-zone", state { $0.shown = ShownScreen(.clock, clock: clock(.zone)) }, readings()),
      SampleScreen(
        "options-recording",
        state(.recording) { $0.shown = ShownScreen(.options, options: OptionsMenu(group: 0)) }, readings()),
      SampleScreen("schedules", state { plan(.schedules, 1, &$0) }, readings { $0.nextScheduleText = "Sat 05:42" }),
      SampleScreen("schedules-edit", state { plan(.schedule, 1, &$0) }, readings()),
      SampleScreen("schedules-place", state { plan(.schedule, 4, &$0) }, readings()),
      SampleScreen("guide", state { $0.screen = .guide }, readings()),
      SampleScreen("guide-end", state { $0.screen = .guide }, readings { $0.guideTop = 8 }),
    ]
  }

  // MARK: Behind the list

  private static var library: [SampleScreen] {
    [
      SampleScreen("files-favourites", browsing(.files, favourites: true) { $0.favouritesOnly = true }, readings()),
      SampleScreen("files-tag", browsing(.files) { $0.tag = "interview" }, readings()),
      SampleScreen(
        "files-nothing",
        state {
          $0.screen = .files
          $0.dictaphone.files = FileList(browser: browser(.menu) { $0.query = "harbour" })
        }, readings()),
      SampleScreen(
        "files-deleted",
        state {
          $0.screen = .files
          $0.notice = Notice(
            severity: .information, code: "deleted", text: "Take 42 is deleted: LEFT brings it back.")
        }, readings()),
      SampleScreen("files-marked", marking(.files), readings()),
      SampleScreen("files-marked-menu", marking(.library), readings()),
      SampleScreen("files-marked-delete", marking(.files, asks: true), readings()),
      SampleScreen("files-working", marking(.files, worked: 37), readings()),
      SampleScreen("take-menu", browsing(.library, page: .menu, row: 1, favourites: true), readings()),
      SampleScreen("take-menu-sort", browsing(.library, page: .menu, row: 5) { $0.order = .longest }, readings()),
      SampleScreen("take-tags", browsing(.library, page: .tags), readings()),
      SampleScreen("take-search", browsing(.library, page: .search) { $0.query = "take 4" }, readings()),
      SampleScreen("take-name", named(.take("000040.m4a"), "Harbour at se"), readings()),
      SampleScreen("take-new-tag", named(.newTag(of: "000040.m4a"), ""), readings()),
      SampleScreen("take-menu-stick", browsing(.library, page: .menu, row: 9), readings()),
      SampleScreen("take-to-stick", stick(.mounted, exported: 37), readings()),
      SampleScreen("take-no-stick", stick(.absent), readings()),
      SampleScreen("take-stick-safe", stick(.safe), readings()),
      SampleScreen("take-info", browsing(.library, page: .info), readings()),
      SampleScreen(
        "card", browsing(.library, page: .storage),
        readings {
          $0.totalBytes = 31_900_000_000
          $0.takeCount = 42
          $0.takesSeconds = 43_440
          $0.clipCount = 5
          $0.formatTimes = [
            FormatTime("AAC", seconds: 48_000), FormatTime("WAV", seconds: 6430), FormatTime("FLAC", seconds: 6430),
          ]
        }),
    ]
  }

  // MARK: Cards

  private static var cards: [SampleScreen] {
    [
      SampleScreen(
        "lock-hint",
        state(.recording) {
          $0.lock = Lock(isLocked: true, hintUntil: .distantFuture)
        }, readings()),
      SampleScreen(
        "pin",
        state { $0.lock = Lock(isLocked: true, pin: PinGate(digits: [0, 0, 7])) }, readings()),
      SampleScreen(
        "notice-information",
        state { $0.notice = Notice(severity: .information, code: "saved", text: "Saved: Take 42, 1h07m26s.") },
        readings()),
      SampleScreen(
        "notice-warning",
        state(.recording) {
          $0.notice = Notice(
            severity: .warning, code: "storage-low", text: "Storage is low: 12 minutes are left at this quality.")
        }, low),
      SampleScreen(
        "notice-error",
        state {
          $0.health.hasMicrophone = false
          $0.notice = Notice(
            severity: .error, code: "device-lost",
            text: "The microphone was unplugged. The take up to then is saved. Plug it in again, then press REC.")
        }, readings { $0.levels = [] }),
    ]
  }

  // MARK: As large as values get

  private static var extremes: [SampleScreen] {
    let extreme = extremeReadings
    func spoil(_ state: inout State) {
      state.isLocked = true
      state.health.isStorageLow = true
      state.health.hasMicrophone = true
      let files = longFiles(count: 10_000, selected: 9_999, windowStart: 9_990)
      state.dictaphone = dictaphone(state.activity, files: files)
      state.settings = settings(gain: -20)
    }
    return [
      SampleScreen("extreme-armed", state(.idle, spoil), extreme),
      SampleScreen("extreme-recording", state(.recording, spoil), extreme),
      SampleScreen("extreme-playing", state(.playing, spoil), extreme),
      SampleScreen(
        "extreme-files",
        state(.recording) {
          spoil(&$0)
          $0.screen = .files
        }, extreme),
    ]
  }
}
