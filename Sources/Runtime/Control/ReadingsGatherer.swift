internal import Appliance
internal import Dictaphone
internal import Hardware
internal import Panel
internal import Sound

/// Collects what the screens show beside the machine's state. Control lane only.
final class ReadingsGatherer {
  private let clock: any DeviceClock
  private let media: MediaWorker
  private let storage: StorageWorker
  private let clips: ClipContext?
  private let dub: DubContext?
  private let feed: FeedContext?
  private let governor: GovernorWatch
  private let information: [(Phrase, String)]
  /// Of the levels in the last readings: when the oldest sound that they are the first to count was at the microphone.
  private(set) var levelsFrom = Instant.zero
  /// Length of the open take when it was last paused: what the strip shows of before is not in it.
  private var pausedSeconds = 0.0
  private var shownMinute = (number: Int64.min, zone: "", text: "")
  private var shownNext: (start: WallTime?, zone: String, words: Translated?) = (nil, "", nil)

  /// When the device records by itself next.
  var nextSchedule: WallTime?

  /// - Parameter information: rows that never change: version, board.
  init(
    clock: any DeviceClock, media: MediaWorker, storage: StorageWorker, clips: ClipContext?, dub: DubContext?,
    feed: FeedContext?, governor: GovernorWatch, information: [(Phrase, String)]
  ) {
    self.clips = clips
    self.governor = governor
    self.dub = dub
    self.feed = feed
    self.clock = clock
    self.media = media
    self.storage = storage
    self.information = information
  }

  func readings(for state: State) -> Readings {
    let status = media.status
    var readings = Readings()
    levelsFrom = status.levelsFrom
    MeterReadings(status, state).fill(&readings)
    readings.preRecordLimitSeconds = Double(min(state.settings.preRecordSeconds, state.dictaphone.mostPreRecordSeconds))
    readings.formatText = cost(state, status).text
    fillTake(&readings, state: state, status: status)
    fillStorage(&readings, state: state, status: status)
    readings.batteryPercent = governor.board.battery.flatMap { $0.isDischarging ? $0.percent : nil }
    readings.isThrottled = governor.board.throttle?.isNow == true
    readings.clockText = clockText(clock.wallNow, zone: state.settings.zone)
    if let nextSchedule { readings.nextScheduleText = nextText(nextSchedule, state.settings) }
    if state.mode == .clips { clips?.fill(&readings, state: state, status: status, now: clock.now) }
    if state.mode == .dub { dub?.fill(&readings) }
    if state.mode == .feed { feed?.fill(&readings, state: state) }
    fillMenu(&readings, state: state)
    return readings
  }

  /// The same picture, for a lane that follows its meters by itself.
  func standing(_ state: State, _ readings: Readings) -> StandingPicture {
    StandingPicture(state, readings, media: media)
  }

  /// What prompts tell beside the machine's state.
  func figures(for state: State) -> PromptFigures {
    let (status, storage) = (media.status, storage.status)
    var figures = PromptFigures()
    figures.takeSeconds = Double(take(state, status)?.frames ?? 0) / Double(max(1, status.format.sampleRate))
    figures.positionSeconds = Double(status.player.frame) / Double(max(1, status.player.sampleRate))
    figures.freeBytes = storage.freeBytes.map { Int64($0) }
    figures.totalBytes = storage.totalBytes.map { Int64($0) }
    figures.timeLeftSeconds = storage.freeBytes.map {
      Double($0) / Double(max(1, cost(state, status).bytesUsedPerSecond))
    }
    (figures.takes, figures.clips) = (storage.takes, storage.clips)
    return figures
  }

  /// `21:54`, made once a minute; empty while the clock has not been set.
  private func clockText(_ wall: WallTime, zone: String) -> String {
    guard wall.isPlausible else { return "" }
    let minute = wall.nanosecondsSince1970 / 60_000_000_000
    if minute != shownMinute.number || zone != shownMinute.zone {
      shownMinute = (minute, zone, (Zone(zone) ?? .utc).clockText(wall))
    }
    return shownMinute.text
  }

  /// `Mon 06:30`.
  private func nextText(_ start: WallTime, _ settings: Settings) -> String {
    let zone = settings.zone
    if start != shownNext.start || zone != shownNext.zone {
      shownNext = (start, zone, (Zone(zone) ?? .utc).words(of: start))
    }
    return shownNext.words?.text(in: settings.language) ?? ""
  }

  /// The rows of the screen that is shown, and of no other: pictures are made 30 times a second.
  private func fillMenu(_ readings: inout Readings, state: State) {
    switch state.screen {
    case .options: readings.options = state.options.rows.map { MenuRow($0, state) }
    case .guide:
      readings.guide = state.keyGuide.map { MenuRow($0, in: state.settings.language) }
      readings.guideTop = state.shown.guideLine
      readings.information = informationRows(in: state.settings.language)
    case .library where state.files.browser.page == .storage: fillCard(&readings, state: state)
    case .main, .files, .marks, .schedules, .schedule, .clock, .receipt, .library: break
    }
  }

  /// What the device is and has, and which formats its sound has on the way in and out.
  private func informationRows(in language: Language) -> [MenuRow] {
    let session = media.status.session
    let sound: [(Phrase, String?)] = [(.soundIn, session.capture.short), (.soundOut, session.playback.short)]
    let board: [(Phrase, String?)] = [
      (.battery, governor.board.battery.map { "\($0.percent) %" }),
      (.heat, governor.board.temperature.map { "\(Int($0.rounded())) °C" }), (.sparing, governor.text(in: language)),
    ]
    let words = storage.status.keyWords
    let key = stride(from: 0, to: words.count, by: 3).map { start in
      MenuRow(
        start == 0 ? Phrase.signingKey.text(in: language) : "",
        words[start..<min(start + 3, words.count)].joined(separator: " "))
    }
    return (information + (board + sound).compactMap { row in row.1.map { (row.0, $0) } }).map {
      MenuRow($0.0.text(in: language), $0.1)
    } + key
  }

  private func fillTake(_ readings: inout Readings, state: State, status: MediaStatus) {
    // What a take has, whatever was played last.
    readings.sampleRate = status.format.sampleRate
    switch state.activity {
    case .recording, .paused, .saving:
      readings.takeSeconds = Double(take(state, status)?.frames ?? 0) / Double(max(1, status.format.sampleRate))
      readings.fileName = state.dictaphone.recording.name
      readings.sizeBytes = Int64(readings.takeSeconds * Double(cost(state, status).bytesPerSecond))
      if state.activity == .paused { pausedSeconds = readings.takeSeconds }
      readings.waveform = liveWaveform(status.waveform, takeSeconds: readings.takeSeconds)
      readings.waveformSecondsPerColumn = WaveformStrip.columnLength.inSeconds
      let rate = Double(max(1, status.format.sampleRate))
      readings.markSeconds = state.dictaphone.recording.marks.suffix(MarkList.most).map { Double($0) / rate }
      readings.markCount = state.dictaphone.recording.marks.count
    case .idle, .playing, .playbackPaused:
      pausedSeconds = 0
      let player = status.player
      let rate = Double(max(1, player.sampleRate))
      readings.positionSeconds = Double(player.frame) / rate
      readings.durationSeconds = state.loaded?.seconds ?? Double(player.frames) / rate
      readings.fileName = state.loaded?.displayName ?? ""
      if state.activity != .idle, player.id == state.loaded?.id {
        readings.waveform = player.overview
        if case let shown = player.overviewFrames, !shown.isEmpty {
          readings.waveformSpan = Double(shown.lowerBound) / rate...Double(shown.upperBound) / rate
        }
        readings.markSeconds = state.dictaphone.loadedMarks?.marks.map { Double($0.frame) / rate } ?? []
        readings.markCount = readings.markSeconds.count
        readings.loopSeconds = [player.loopStart, player.loopEnd].compactMap { $0.map { Double($0) / rate } }
      }
    }
  }

  /// Of the microphone's last seconds those that are in the take: it may be younger than the strip is long, the
  /// pre-record included, and in a pause the microphone goes on.
  private func liveWaveform(_ strip: WaveformStrip, takeSeconds: Double) -> [Float] {
    let columns = (takeSeconds - pausedSeconds) / WaveformStrip.columnLength.inSeconds
    guard columns >= 1 else { return [] }
    return strip.all.suffix(Int(min(columns, Double(WaveformStrip.columns))))
  }

  private func fillStorage(_ readings: inout Readings, state: State, status: MediaStatus) {
    guard let free = storage.status.freeBytes else { return }
    readings.freeBytes = Int64(free)
    let rate = state.mode == .clips ? clips?.bytesPerSecond : nil
    readings.timeLeftSeconds = Double(free) / Double(max(1, rate ?? cost(state, status).bytesUsedPerSecond))
  }

  /// The take that is open or being saved, as far as the recorder has begun it.
  func take(_ state: State, _ status: MediaStatus) -> TakeSoFar? {
    let recording = state.dictaphone.recording
    guard recording.take != nil else { return nil }
    if let take = status.take, take.pressed == recording.start { return take }
    return status.takeBefore.flatMap { $0.pressed == recording.start ? $0 : nil }
  }

  /// What that take costs, or the next one.
  func cost(_ state: State, _ status: MediaStatus) -> TakeCost {
    take(state, status).map { TakeCost($0, sound: status.format) } ?? TakeCost(state.settings, sound: status.format)
  }

  /// What is on the card, and how long it lasts in each format.
  private func fillCard(_ readings: inout Readings, state: State) {
    let (storage, media) = (storage.status, media.status)
    readings.totalBytes = storage.totalBytes.map { Int64($0) }
    readings.takeCount = storage.takes
    readings.takesSeconds = storage.seconds
    readings.clipCount = storage.clips
    guard let free = storage.freeBytes else { return }
    readings.formatTimes = RecordingFormat.allCases.map { format in
      var settings = state.settings
      try? settings.set("recording.format", to: .text(format.rawValue))
      return FormatTime(
        format.text, seconds: Double(free) / Double(max(1, TakeCost(settings, sound: media.format).bytesPerSecond)))
    }
  }
}
