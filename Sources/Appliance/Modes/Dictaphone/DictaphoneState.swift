import Hardware

/// What the dictaphone is doing with sound.
public enum Activity: String, Hashable, Sendable, CaseIterable {
  /// Stopped. The pre-record ring is being filled if the microphone is there ("armed").
  case idle
  case recording
  /// A take is open and receives nothing.
  case paused
  /// STOP was pressed; the take is being completed on the storage.
  case saving
  case playing
  case playbackPaused

  init(_ phase: Playback.Phase) {
    switch phase {
    case .stopped: self = .idle
    case .playing: self = .playing
    case .paused: self = .playbackPaused
    }
  }
}

/// A take that a schedule has begun.
public struct ScheduledTake: Hashable, Sendable {
  public let key: Occurrence.Key
  /// Somebody has ended it by hand.
  public internal(set) var isStopped = false
}

/// The dictaphone: the take that is open, what is in the player, the list of takes.
public struct DictaphoneState: Hashable, Sendable {
  public var recording: Recording
  public var playback: Playback
  public var files: FileList
  /// Seconds of pre-record that the board has memory for.
  public var mostPreRecordSeconds = 60
  /// Of the take in the player, once the library has told them.
  public var marks = MarkList()
  /// The microphone that is heard, once it has been another than the first of the order.
  var heard: String?
  /// The occurrence of a schedule that the open take is for, or whose take somebody has ended by hand.
  public private(set) var scheduled: ScheduledTake?

  private static let sourceRow = OptionsRow.setting(\.sources)
  static let optionsMenu: [OptionsRow] = [
    .group(
      .sound,
      [
        .preset, .setting(\.recordingFormat), .setting(\.recordingBitrateKbps), .setting(\.opusKbps),
        .setting(\.recordingSampleRate), .setting(\.recordingChannels), .setting(\.recordingBitDepth),
      ]),
    .group(
      .recording,
      [
        .setting(\.preRecordSeconds), .setting(\.voiceOperation), .setting(\.hasSafetyTake),
        .setting(\.automaticMarks), .setting(\.ticksAtMarks), .setting(\.resumesRecording), .schedules,
      ]),
    .group(
      .microphone,
      [
        sourceRow, .setting(\.lowCutHz), .setting(\.hasLimiter), .setting(\.hasAutomaticGain),
        .setting(\.sessionStrategy), .setting(\.sessionRate), .setting(\.talksBack),
      ]),
    .group(
      .playing,
      [
        .setting(\.playbackRate), .setting(\.playbackPitchCents), .setting(\.playbackVolume),
        .setting(\.skipsSilence), .setting(\.skip), .setting(\.timelineSeconds), .setting(\.playbackLeftDb),
        .setting(\.playbackRightDb),
      ]), .ofScreens, .group(.device, [.clock, .setting(\.exportFormat), .setting(\.lockedStopWorks)]),
  ]

  /// A dictaphone that does this, with a take in the player.
  ///
  /// - Parameter take: the one that is open, where one is.
  public init(
    _ activity: Activity = .idle, take: TakeReference? = nil, loaded: TakeReference? = nil, scrubbing: Int = 0,
    files: FileList = FileList()
  ) {
    recording = Recording(activity, take: take)
    let phase: Playback.Phase =
      switch activity {
      case .playing: .playing
      case .playbackPaused: .paused
      case .idle, .recording, .paused, .saving: .stopped
      }
    playback = Playback(phase, of: loaded, scrubbing: scrubbing)
    self.files = files
  }

  public var activity: Activity { recording.activity ?? Activity(playback.phase) }

  /// Whether sound goes into a take, or would but for a pause.
  private var isTaking: Bool { activity == .recording || activity == .paused || recording.queued?.isStopped == false }

  /// One event. Orders that mean nothing where they come are listed with the reason that is given.
  mutating func handle(_ event: DictaphoneEvent, _ transition: inout Transition) {
    switch (activity, event) {
    case (.idle, .record), (.playing, .record), (.playbackPaused, .record): record(at: transition.at, &transition)
    case (.saving, .record): recording.queue(at: transition.at, &transition)
    case (.recording, .record), (.paused, .record): transition.refuse(.busy("recording"))

    case (.recording, .pause): recording.pause(at: transition.at, &transition)
    case (.playing, .pause): playback.pause(&transition)
    case (.saving, .pause): transition.refuse(.busy("saving"))
    case (.idle, .pause), (.paused, .pause), (.playbackPaused, .pause): transition.refuseMeaningless()

    case (.paused, .resume): recording.resume(at: transition.at, &transition)
    case (.playbackPaused, .resume): playback.play(&transition)
    case (.saving, .resume): transition.refuse(.busy("saving"))
    case (.idle, .resume), (.recording, .resume), (.playing, .resume): transition.refuseMeaningless()

    case (.recording, .stop), (.paused, .stop), (.saving, .stop):
      scheduled?.isStopped = true
      recording.stop(at: transition.at, reason: .user, &transition)
    case (.playing, .stop), (.playbackPaused, .stop): playback.stop(&transition)
    case (.idle, .stop): transition.refuseMeaningless()

    case (.recording, .mark(let title)), (.paused, .mark(let title)):
      transition.recorder(.mark(at: transition.at, title: title))
    // There is no place to mark yet.
    case (.playing, .mark) where playback.isLoading, (.playbackPaused, .mark) where playback.isLoading:
      transition.refuse(.busy("opening"))
    case (.playing, .mark(let title)), (.playbackPaused, .mark(let title)):
      // A key that is not CENTRE says no, whatever else it does.
      if transition.isFromKey { files.cancelDelete() }
      transition.player(.mark(title: title))
    case (.saving, .mark): transition.refuse(.busy("saving"))
    case (.idle, .mark): transition.refuseMeaningless()

    case (.recording, .level(let step)), (.paused, .level(let step)): recording.changeLevel(by: step, &transition)
    case (.saving, .level): transition.refuse(.busy("saving"))
    case (.idle, .level), (.playing, .level), (.playbackPaused, .level): transition.refuseMeaningless()

    case (_, .source(let step)): transition.recorder(.stepSource(by: step))

    case (.recording, .play), (.paused, .play), (.recording, .open), (.paused, .open), (.recording, .playSelected),
      (.paused, .playSelected), (.recording, .seek), (.paused, .seek), (.recording, .scrub), (.paused, .scrub),
      (.recording, .skip), (.paused, .skip), (.recording, .goToMark), (.paused, .goToMark), (.recording, .moveMark),
      (.paused, .moveMark), (.recording, .removeMark), (.paused, .removeMark):
      transition.refuse(.busy("recording"))
    case (.saving, .play), (.saving, .open), (.saving, .playSelected), (.saving, .seek), (.saving, .scrub),
      (.saving, .skip),
      (.saving, .goToMark), (.saving, .moveMark), (.saving, .removeMark):
      transition.refuse(.busy("saving"))
    case (.idle, .play), (.playbackPaused, .play): playback.play(&transition)
    case (.playing, .play): transition.refuseMeaningless()
    case (.playing, .loop), (.playbackPaused, .loop): transition.player(.stepLoop(at: transition.at))
    case (.recording, .loop), (.paused, .loop), (.saving, .loop), (.idle, .loop): transition.refuseMeaningless()
    case (_, .open(let take)): open(take, &transition)
    case (_, .playSelected): if let take = files.highlighted(&transition) { open(take, &transition) }
    case (_, .seek(let seconds)): playback.seek(by: seconds, &transition)
    case (_, .skip(let direction)):
      if transition.settings.skip == .marks {
        skipToMark(direction, &transition)
      } else {
        playback.seek(by: Double(10 * direction), &transition)
      }
    case (_, .goToMark), (_, .moveMark), (_, .removeMark): change(event, &transition)
    case (_, .restoreMark): transition.library(.restoreMark)
    case (_, .scrub(let direction)): playback.scrub(direction, &transition)

    case (_, .browse(let key)): browse(key, &transition)
    case (.recording, .askDelete), (.paused, .askDelete), (.saving, .askDelete): transition.refuse(.busy("recording"))
    case (_, .askDelete): files.askDelete(&transition)
    case (_, .confirmDelete): delete(&transition)
    case (_, .cancelDelete): files.cancelDelete()

    case (_, .recorder(let report)): handle(report, &transition)
    case (_, .player(let report)):
      playback.handle(report, isFree: recording.activity == nil, marks: loadedMarks, &transition)
    }
  }

  // MARK: Marks

  /// Those of the take in the player; `nil` while they are not known.
  public var loadedMarks: MarkList? { playback.loaded?.id == marks.take ? marks : nil }

  private mutating func skipToMark(_ direction: Int, _ transition: inout Transition) {
    playback.skip(direction, among: loadedMarks?.marks.map(\.frame) ?? [], &transition)
  }

  /// What is done with the mark that is highlighted.
  private mutating func change(_ event: DictaphoneEvent, _ transition: inout Transition) {
    guard let take = playback.loaded else { return transition.refuse(.nothingLoaded) }
    guard let mark = loadedMarks?.selection else { return transition.refuse(.atLimit) }
    switch event {
    case .goToMark: transition.player(.go(to: mark.frame))
    case .removeMark:
      transition.library(.removeMark(id: mark.id, take: take.id))
      transition.raise(
        .information, "mark-deleted", .markDeleted(number: marks.selected + 1),
        for: .seconds(2))
    case .moveMark(let steps):
      guard let moved = marks.moved(by: steps, in: take) else { return transition.refuse(.atLimit) }
      transition.library(.moveMark(moved, take: take.id))
    default: break
    }
  }

  // MARK: Schedules

  mutating func begin(_ key: Occurrence.Key, _ transition: inout Transition) {
    if activity == .saving, recording.queued == nil {
      recording.queue(at: transition.at, &transition)
    } else {
      if let openWork { return transition.refuse(openWork) }
      record(at: transition.at, &transition)
    }
    if isTaking { scheduled = ScheduledTake(key: key) }
  }

  mutating func end(_ key: Occurrence.Key, _ transition: inout Transition) {
    guard let scheduled, scheduled.key == key, !scheduled.isStopped else { return transition.refuseMeaningless() }
    self.scheduled = nil
    recording.stop(at: transition.at, reason: .schedule, &transition)
  }

  // MARK: Takes

  private mutating func record(at time: Instant, _ transition: inout Transition) {
    if let reason = transition.health.refusalToRecord {
      transition.refuse(reason)
      return
    }
    playback.letGo(&transition)
    if playback.phase != .stopped { playback.stop(&transition) }
    showMain(&transition)
    recording.start(at: time, &transition)
  }

  private mutating func handle(_ report: RecorderReport, _ transition: inout Transition) {
    let outcome = recording.handle(report, &transition)
    // Ended by itself: its time may go on.
    if !isTaking, scheduled?.isStopped == false { scheduled = nil }
    switch outcome {
    case .goesOn: return
    case .safe(let take):
      playback.load(take, &transition)
      if case .saved(_, let reason) = report { tellSafe(take, reason, &transition) }
    case .failed: break
    }
    Recording.dismissQueuedNotice(&transition)
    if recording.take != nil { showMain(&transition) }
  }

  /// The recorder has ended a take by itself, and it is safe.
  private func tellSafe(_ take: TakeReference, _ reason: StopReason, _ transition: inout Transition) {
    switch reason {
    case .deviceLost:
      transition.raise(
        .error, "device-lost", .safe(take.displayName, reason),
        for: transition.health.hasMicrophone ? .seconds(5) : nil, device: .microphone)
    case .storageFull:
      transition.raise(.error, "storage-full", .safe(take.displayName, reason))
    case .error:
      transition.raise(.error, "device-lost", .safe(take.displayName, reason))
    case .user, .schedule, .postRoll, .power, .recovered, .split, .voice: break
    }
  }

  // MARK: Playing and deleting

  private mutating func open(_ take: TakeReference, _ transition: inout Transition) {
    if playback.open(take, fromStart: false, &transition) { showMain(&transition) }
  }

  private mutating func delete(_ transition: inout Transition) {
    guard let take = files.confirmDelete(&transition) else { return }
    if let marked = files.browser.marked {
      for id in marked { playback.unload(id, &transition) }
      if case .refused(let reason) = files.browser.work(.delete, &transition) { transition.refuse(reason) }
      return
    }
    playback.unload(take.id, &transition)
    transition.library(.delete(id: take.id))
  }

  // MARK: Behind the list

  private mutating func browse(_ key: BrowseKey, _ transition: inout Transition) {
    let take = files.selection
    var outcome = TakeBrowser.Outcome.stays
    switch key {
    case .open:
      files.browser.open(&transition)
      transition.shown.goBack(to: .library)
    case .leave: if files.browser.leave() { transition.shown.goBack(to: .files) }
    case .change(let direction):
      outcome = files.browser.change(by: direction, of: take, isFree: openWork == nil, &transition)
    case .letter(let step): if !files.browser.moveInLetters(by: step) { outcome = .refused(.atLimit) }
    case .mark: if let take = files.highlighted(&transition) { outcome = files.browser.toggle(take) }
    case .endMarking: files.browser.endMarking()
    case .cancelWork: transition.library(.cancelWork)
    case .copyToStick: outcome = files.browser.copyToStick(take, &transition)
    case .enter: outcome = files.browser.enter(take, isFree: openWork == nil, &transition)
    case .neighbour(let step):
      files.move(by: step, &transition)
      if let take = files.selection { transition.library(.facts(id: take.id)) }
    }
    switch outcome {
    case .stays: break
    case .refused(let reason): transition.refuse(reason)
    case .views: files.begin(&transition)
    case .lists: transition.shown.goBack(to: .files)
    case .asksDelete:
      transition.shown.goBack(to: .files)
      files.askDelete(&transition)
    }
  }

  private mutating func showMain(_ transition: inout Transition) {
    files.cancelDelete()
    transition.showMain()
  }
}

extension DictaphoneState: ModeRules {
  var absence: Device? { nil }

  var openWork: IgnoredReason? {
    recording.activity.map { .busy($0 == .saving ? "saving" : "recording") }
  }

  func isArmed(_ health: Health) -> Bool { activity == .idle && health.hasMicrophone }

  func activityName(on screen: Screen) -> String {
    switch (activity, screen) {
    case (.idle, .files), (.playing, .files), (.playbackPaused, .files), (.idle, .library), (.playing, .library),
      (.playbackPaused, .library):
      "files"
    case (.idle, .options), (.playing, .options), (.playbackPaused, .options): "options"
    case (let activity, _): activity.rawValue
    }
  }

  // MARK: Coming and going

  mutating func enter(_ transition: inout Transition) {
    if transition.claimPlayer(for: .dictaphone) { playback.reload(&transition) }
    files = FileList()
    files.open(&transition)
  }

  mutating func leave(_ transition: inout Transition) { playback.stop(&transition) }

  /// A take that is being saved is as good as safe; one that has begun behind it ends here.
  mutating func shutDown(_ transition: inout Transition) {
    playback.letGo(&transition)
    switch activity {
    case .recording, .paused:
      scheduled = nil
      recording.stop(at: transition.at, reason: .power, &transition)
    case .playing, .playbackPaused: playback.stop(&transition)
    // The position of a take that was scrubbed while stopped is worth keeping, too.
    case .idle: if playback.loaded != nil, transition.modeOfPlayer == .dictaphone { playback.stop(&transition) }
    case .saving:
      if scheduled?.isStopped == false { scheduled = nil }
      if isTaking { recording.stop(at: transition.at, reason: .power, &transition) }
    }
  }

  // MARK: The panel

  mutating func obey(_ command: Command, _ transition: inout Transition) {
    switch command {
    case .record: handle(.record, &transition)
    case .pause: handle(.pause, &transition)
    case .resume: handle(.resume, &transition)
    case .stop: handle(.stop, &transition)
    case .mark(let title): handle(.mark(title: title), &transition)
    case .play(nil): handle(.play, &transition)
    case .play(let id?): handle(.open(known(id)), &transition)
    case .seek(let seconds): handle(.seek(by: seconds), &transition)
    case .skip(let direction) where recording.take == nil: skipToMark(direction, &transition)
    case .skip: transition.refuse(.busy("recording"))
    case .loop(let seconds) where recording.take == nil: playback.loop(seconds, &transition)
    case .loop: transition.refuse(.busy("recording"))
    // Words of the other modes.
    default: transition.refuseMeaningless()
    }
  }

  /// What is known of a take; the player's report completes it, or fails with `not-found`.
  private func known(_ id: String) -> TakeReference {
    if let loaded = playback.loaded, loaded.id == id { return loaded }
    return files.known(id) ?? TakeReference(id: id, displayName: id, frames: 0, sampleRate: 0)
  }

  func actionUnderLock(of key: Button, _ settings: Settings) -> KeyAction? {
    guard key == .stop, settings.lockedStopWorks, isTaking else { return nil }
    return .dictaphone(.stop)
  }

  func refusal(of changed: Settings, since settings: Settings) -> IgnoredReason? {
    let seconds = changed.preRecordSeconds
    guard seconds > mostPreRecordSeconds, seconds > settings.preRecordSeconds else { return nil }
    return .refused(
      .outOfRange(
        key: "recording.preRecordSeconds", value: .integer(seconds),
        allowed: "0…\(mostPreRecordSeconds) with this board's memory"))
  }

  func words(of row: OptionsRow) -> Translated? { row == Self.sourceRow ? heard.map { Translated($0) } : nil }

  mutating func change(_ row: OptionsRow, by direction: Int, _ transition: inout Transition) -> Bool {
    guard row == Self.sourceRow else { return false }
    handle(.source(by: direction), &transition)
    return true
  }

  mutating func letGo(of key: Button?, _ transition: inout Transition) {
    if key == nil { files.cancelDelete() }
    switch (key, playback.scrubbing) {
    case (nil, _), (.left?, ..<0), (.right?, 1...): playback.letGo(&transition)
    default: break
    }
  }

  mutating func open(_ screen: Screen, _ transition: inout Transition) -> Screen {
    files.cancelDelete()
    if screen == .files { files.open(&transition) }
    return screen == .receipt || screen == .marks && openWork != nil || screen == .library ? .main : screen
  }

  mutating func move(by step: Int, on screen: Screen, _ transition: inout Transition) {
    switch screen {
    case .files: files.move(by: step, &transition)
    case .marks: if !marks.move(by: step) { transition.refuse(.atLimit) }
    case .library: if !files.browser.move(by: step) { transition.refuse(.atLimit) }
    default: transition.refuseMeaningless()
    }
  }

  // MARK: The device

  mutating func lost(_ device: Device, _ transition: inout Transition) {
    switch device {
    case .microphone:
      // An open take is the recorder's to end; it reports `stopping`.
      transition.raise(.error, "device-lost", .microphoneLost(isTaking: isTaking), device: device)
    case .speaker:
      if playback.phase == .playing {
        playback.letGo(&transition)
        playback.pause(&transition)
      }
      transition.raise(
        .warning, "device-lost", .speakerLost(.dictaphone, isPlaying: false), for: .seconds(5), device: device)
    case .camera, .display, .buttons, .lamps, .console, .storage, .network: break
    }
  }

  mutating func hear(_ report: LibraryReport, _ transition: inout Transition) {
    let isTakenUp = transition.mode == .dictaphone
    switch report {
    case .window(let start, let takes, let count):
      if isTakenUp { files.receive(start: start, files: takes, count: count) }
    case .changed(let count):
      let isShown = transition.screen == .files || transition.screen == .library
      if isTakenUp { files.change(count: count, isShown: isShown, &transition) }
    case .renewed(let take):
      files.renew(take, isShown: transition.screen == .files || transition.screen == .library, &transition)
      playback.renew(take)
      recording.renew(take)
    case .tags(let tags): files.browser.receive(tags: tags)
    case .facts(let facts): files.browser.receive(facts)
    case .working(let percent): files.browser.note(worked: percent)
    case .worked: files.browser.note(worked: nil)
    case .protected(let take): files.note(protectionOf: take)
    case .copying(let percent): files.browser.note(copied: percent)
    case .copied: files.browser.note(copied: nil)
    case .stick(let condition): files.browser.note(condition)
    case .exporting(let percent): files.browser.note(exported: percent)
    case .exported, .exportFailed: files.browser.note(exported: nil)
    case .restored: break
    case .deleted(let file, _):
      if transition.modeOfPlayer == .dictaphone {
        playback.unload(file.id, &transition)
      } else {
        playback.forget(file.id)
      }
    case .marks(let take, let found):
      if playback.loaded == nil || playback.loaded?.id == take { marks.receive(take, found) }
    case .clipWindow, .clipsChanged, .failed: break
    }
  }
}
