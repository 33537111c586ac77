internal import Appliance
internal import Board
internal import Budget
internal import Clips
internal import Console
internal import Dictaphone
internal import Hardware
internal import JSON
internal import Library
internal import Media
internal import Recording
internal import Sound

/// Carries out what the machine asks for, and translates what the workers report. Control lane only.
final class EffectRunner {
  private let media: MediaWorker
  private let storage: StorageWorker
  private let takes: PanelTakes
  private let marks: PanelMarks
  private let playerTakes: PlayerTakes
  private let events: EventStream
  private let clock: any DeviceClock
  /// What the microphone is asked for, and what the encoder may cost.
  private let board: BoardDescription
  /// What was told last of the formats of microphone and speaker.
  private var session = SessionStatus()
  private let clips: ClipEffects
  private let dub: DubEffects
  private let wallClock: ClockEffects
  private let updates: UpdateEffects
  private let feed: FeedEffects
  private let authors: RecordingAuthors
  private let operators: OperatorDesk
  /// Who has to be told of changed settings yet: a clip that is open goes on with those it began with.
  private var pendingUsers: SettingUsers = []
  /// How often what schedules count by has changed.
  private(set) var scheduleRevision = 0
  /// How many takes have been looked for to be played.
  private var playerRequests = 0
  private var markReply: MarkReply?
  /// When the takes of the last few files were asked for, by the files' numbers.
  private var asked: [Int: Instant] = [:]
  /// What the media lane has been told: how often to look at the microphone, and whether to keep what it hears.
  private var mediaPace = MeterPace.lively
  private var isMediaListening = true

  /// Files of takes that are remembered: more than can wait for the card at a time.
  private static let mostFiles = 64

  init(
    media: MediaWorker, storage: StorageWorker, events: EventStream, clock: any DeviceClock, board: BoardDescription,
    clips: ClipContext?, dub: DubContext?, feed: FeedContext?, wallClock: ClockEffects,
    updates: UpdateEffects, authors: RecordingAuthors, operators: OperatorDesk
  ) {
    self.authors = authors
    self.operators = operators
    self.wallClock = wallClock
    self.updates = updates
    self.clips = ClipEffects(context: clips, media: media, storage: storage, events: events, authors: authors)
    self.dub = DubEffects(context: dub, storage: storage, events: events, clock: clock)
    self.feed = FeedEffects(context: feed, storage: storage)
    self.board = board
    self.clock = clock
    self.media = media
    self.storage = storage
    takes = PanelTakes(storage)
    marks = PanelMarks(storage)
    playerTakes = PlayerTakes(storage)
    self.events = events
  }

  /// Who waits for the mark that is set next.
  func awaitMark(_ told: @escaping MarkReply) { markReply = told }

  /// Hands over who waits for a mark.
  func takeMarkReply() -> MarkReply? {
    defer { markReply = nil }
    return markReply
  }

  /// Whether the machine is to hear of it.
  func passes(_ news: UpdateNews) -> Bool { updates.passes(news) }

  // MARK: From the machine

  func perform(_ effect: Effect, state: State, now: Instant) {
    switch effect {
    case .recorder(let order):
      if case .start(let at) = order { noteAuthor(at, state) }
      perform(order)
    case .player(let order): perform(order, state: state)
    case .library(let order): perform(order, settings: state.settings)
    case .clip(let order):
      switch order {
      case .trigger(let at, _), .continuous(let at), .timeLapse(_, let at): noteAuthor(at, state)
      case .arm, .disarm, .endPostRoll, .forgetKept, .snapshot: break
      }
      clips.perform(order)
    case .dub(let order): dub.perform(order, state: state)
    case .clock(let order): wallClock.perform(order)
    case .update(let order): updates.perform(order, state)
    case .feed(let order): feed.perform(order, state: state)
    case .announce(let announcement):
      var figures: [String: JSONValue] = [:]
      if case .dubbing = announcement { figures = dub.context?.figures(run: state.dub.run).json.objectValue ?? [:] }
      events.publish(announcement, adding: figures, at: now)
    case .saveSettings: storage.save(state.settings)
    case .applySettings(let users):
      if users.contains(.schedules) { scheduleRevision += 1 }
      pendingUsers.formUnion(users)
    case .setTimer, .cancelTimer, .ignored: break
    }
  }

  /// The clip recorder is told anew what it is to do, once no clip is open.
  func renewClips() { pendingUsers.insert(.clips) }

  /// Puts a sentence of another lane into the log.
  func log(_ sentence: String, of subsystem: String = "storage", now: Instant) {
    events.log(.warning, subsystem, sentence, at: now)
  }

  /// Makes the settings count with those who follow them.
  private func apply(_ state: State, to users: SettingUsers) {
    let settings = state.settings
    if users.contains(.recorder) { media.post(.configure(RecordingSettings(settings, board: board))) }
    if users.contains(.player) { media.post(.configurePlayer(PlaybackSettings(settings))) }
    if users.contains(.clips) { clips.apply(settings) }
    if users.contains(.retention) { storage.keepClips(settings) }
    if users.contains(.proofs) { storage.keepProofs(settings) }
    if users.contains(.dub) { dub.apply(settings) }
    if users.contains(.session) { media.post(.configureSession(SessionPlan(settings, board: board))) }
    if !users.isDisjoint(with: [.dub, .feed]) { feed.apply(settings, state: state) }
    if users.contains(.log) { events.keepLog(settings) }
  }

  /// Lets the lanes follow what is so now, whatever made it so.
  func settle(_ state: State) {
    letMediaListen(state.isListening)
    // They had to wait for the end of a clip.
    guard !pendingUsers.isEmpty, !state.clips.isBusy else { return }
    apply(state, to: pendingUsers)
    pendingUsers = []
  }

  /// Tells the media lane how often to look at the microphone.
  func pace(_ pace: MeterPace) {
    guard pace != mediaPace else { return }
    mediaPace = pace
    media.post(.pace(pace))
  }

  /// Whoever has logged in where this was asked for is named in what comes of it.
  private func noteAuthor(_ at: Instant, _ state: State) {
    authors.note(operators.actor, at: at, isInName: state.settings.hasOperatorInName)
  }

  private func letMediaListen(_ listens: Bool) {
    guard listens != isMediaListening else { return }
    isMediaListening = listens
    media.post(.listen(listens))
  }

  private func perform(_ order: RecorderOrder) {
    switch order {
    case .start(let at):
      media.post(.start(at: at))
    case .pause(let at): media.post(.pause(at: at))
    case .resume(let at): media.post(.resume(at: at))
    case .mark(let at, let title): media.post(.mark(at: at, title: title, told: takeMarkReply()))
    case .stop(let at, let reason): media.post(.stop(at: at, reason: reason))
    case .stepSource(let step): media.post(.stepSource(by: step))
    }
  }

  private func perform(_ order: PlayerOrder, state: State) {
    switch order {
    case .load(let id, let playing, let fromStart):
      keepPosition()
      events.player.opening(id)
      let request = playerRequests
      playerRequests += 1
      // Before the card has answered: a key pressed meanwhile is for this take.
      media.post(.expect(request, playing: playing))
      playerTakes.locate(id, fromStart: fromStart) { [media] files, frame in
        media.post(.found(files, frame: frame, for: request))
      } onFailure: { [media] code, text in
        media.post(.missed(request, code: code, text: text))
      }
    case .play: media.post(.play)
    case .pause:
      media.post(.pausePlayback)
      keepPosition()
    case .stop:
      media.post(.stopPlayback)
      keepPosition()
    case .seek(let seconds): media.post(.seek(seconds: seconds))
    case .scrub(let direction): media.post(.scrub(direction: direction))
    case .stepLoop(let at): media.post(.stepLoop(at: at))
    case .loop(let seconds): media.post(.loop(seconds))
    case .mark(let title):
      let player = media.status.player
      if state.settings.ticksAtMarks { media.post(.tick) }
      if let id = player.id {
        marks.mark(id, frame: player.frame, title: title, at: clock.wallNow, told: takeMarkReply())
      }
    case .go(let frame): media.post(.go(to: frame))
    case .skip(let direction, let frames):
      let player = media.status.player
      media.post(.go(to: Self.place(after: player.frame, direction, among: frames, rate: player.sampleRate)))
    }
  }

  private func perform(_ order: LibraryOrder, settings: Settings) {
    switch order {
    case .window(let start, let count, let view): takes.window(start: start, count: count, view)
    case .undelete: takes.undelete()
    case .protect(let id, let isOn): storage.protect(id, isOn)
    case .work(.export, let ids): takes.export(ids, settings)
    case .work(let work, let ids):
      if work == .delete { for id in ids { media.post(.unload(id: id)) } }
      takes.work(work, on: ids)
    case .cancelWork: takes.cancelWork()
    case .favourite(let id, let isOn): takes.favourite(id, isOn)
    case .rename(let id, let name): takes.rename(id, to: name)
    case .tag(let id, let tag, let isOn): takes.tag(id, tag, isOn)
    case .tags: takes.tellTags()
    case .facts(let id): takes.tellFacts(of: id)
    case .copy(let id): takes.copy(id)
    case .cancelCopy: takes.cancelCopy()
    case .export(let id): takes.export([id], settings)
    case .exportAll: takes.export(nil, settings)
    case .cancelExport: storage.stick.cancel()
    case .delete(let id):
      media.post(.unload(id: id))
      storage.delete(id)
    case .moveMark(let mark, let take): marks.move(mark, of: take)
    case .removeMark(let mark, let take): marks.removeMark(mark, of: take)
    case .restoreMark: marks.restoreMark()
    case .clipWindow, .deleteClip, .protectClip, .receipt: clips.perform(onFiles: order)
    }
  }

  /// The next or the previous of these frames. Who has just gone to one means the one before it; before the first is the
  /// beginning, after the last there is nothing.
  static func place(after frame: Int, _ direction: Int, among frames: [Int], rate: Int) -> Int {
    if direction > 0 { return frames.filter { $0 > frame + rate / 10 }.min() ?? frame }
    return frames.filter { $0 < frame - rate }.max() ?? 0
  }

  /// What a take is called until somebody renames it: its file name without extension.
  static func name(of id: String) -> String { KernelName.shown(TakeName.split(id).stem) }

  /// Notes where the loaded file has got to.
  private func keepPosition() {
    let player = media.status.player
    guard let id = player.id, player.sampleRate > 0 else { return }
    playerTakes.keepPosition(id, seconds: Double(player.frame) / Double(player.sampleRate))
  }

  // MARK: From the workers

  func events(of news: CameraInput.Event) -> [Event] { clips.events(of: news) }
  func events(ofClip news: FileWriter.Event) -> [Event] { clips.events(ofClip: news) }

  func events(of telling: DubPlayerEvent, state: State, now: Instant) -> [Event] {
    dub.events(of: telling, state: state, now: now)
  }

  func events(of news: MediaEvent, state: State, now: Instant) -> [Event] {
    switch news {
    case .recorder(let news): recorderEvents(news)
    case .player(let news): playerEvents(news)
    case .clips(let news): clips.events(of: news, settings: state.settings, now: now)
    case .session(let status): tell(status, now: now)
    case .client(let text): log(text, now: now)
    case .telemetry(let reading): clips.telemetry(reading, now: now)
    case .microphone(.opened(let grant, let name)):
      [.deviceReturned(.microphone, text: "\(name): \(grant.format.sampleRate) Hz, \(grant.sampleType)")]
    case .microphone(.lost(let text)): [.deviceLost(.microphone, text: text)]
    case .microphone(.changed(let name, let before, let reason)): [.sourceChanged(to: name, from: before, reason)]
    case .sourceBeside(let name): [.recorder(.sourceBeside(name))]
    }
  }

  private func tell(_ status: SessionStatus, now: Instant) -> [Event] {
    for (text, isWarning) in status.lines(after: session) {
      events.log(isWarning ? .warning : .info, "session", text, at: now)
    }
    session = status
    events.publish(.onSessionChanged, status.json, at: now)
    return []
  }

  private func log(_ text: String, now: Instant) -> [Event] {
    events.log(.info, "session", text, at: now)
    return []
  }

  private func recorderEvents(_ news: Recorder.Event) -> [Event] {
    switch news {
    case .paused: [.recorder(.paused)]
    case .resumed: [.recorder(.resumed)]
    case .waiting(let waits): [.recorder(.waiting(waits))]
    case .marked(let frame, let before, let cause):
      [.recorder(.marked(frame: frame, before: before, cause: cause))]
    case .gap(let frame, let frames, let reason): [.recorder(.gap(frame: frame, frames: frames, reason: reason))]
    case .stopping(let reason): [.recorder(.stopping(reason))]
    case .failed(let code, let text): [.recorder(.notBegun(code: code, text: text))]
    case .told(let code, let text): [.recorder(.told(code: code, text: text))]
    }
  }

  private func playerEvents(_ news: Player.Event) -> [Event] {
    events.player.hear(news)
    switch news {
    case .loaded(let id, let frames, let rate, let frame):
      let name = Self.name(of: id)
      return [
        .player(
          .loaded(TakeReference(id: id, displayName: name, frames: frames, sampleRate: rate), frame: frame))
      ]
    case .ended:
      keepPosition()
      return [.player(.ended)]
    case .brokeOff(let code, let text): return [.player(.brokeOff(code: code, text: text))]
    case .looped(let start, let end): return [.player(.looped(start: start, end: end))]
    case .failed(let code, let text): return [.player(.failed(code: code, text: text))]
    }
  }

  /// What became of a take's file.
  func events(ofTake news: FileWriter.Event) -> [Event] {
    switch news {
    case .started(let opening, let id):
      let take = TakeReference(
        id: id, displayName: Self.name(of: id), frames: 0, sampleRate: opening.pcm.sampleRate)
      asked = asked.filter { $0.key > opening.number - Self.mostFiles }
      asked[opening.number] = whenAsked(opening)
      return [
        .recorder(
          .started(take, preRecorded: opening.take?.preRecordedFrames ?? 0, asked: asked[opening.number]))
      ]
    case .refused(let number, _, let text) where number >= RecordingOpening.safety:
      media.post(.abandonSafety(number, text))
      return []
    case .refused(let number, let reason, let text):
      media.post(.abandon(number, reason))
      return [storage.refusal(reason, text)]
    case .saved(_, let id, let ending):
      let take = endedTake(id, ending)
      events.noteSaved(id: id, bytes: ending.fileBytes)
      return [.recorder(.saved(take, ending.reason))]
    case .unnoted(let id, let ending, let code, let text):
      let take = endedTake(id, ending)
      return [.recorder(.unnoted(take, ending.reason, code: code, text: text))]
    case .noted(_, let id, let ending):
      events.noteSaved(id: id, bytes: ending.fileBytes)
      return [.recorder(.noted(endedTake(id, ending), ending.reason))]
    case .delayed(let code, let text): return [.recorder(.told(code: code, text: text))]
    case .failed(let opening, let code, let text):
      let instant = opening.flatMap { whenAsked($0) }
      // A file of a take that goes on in another one.
      let goesOn = asked.contains { $0.key > opening?.number ?? .max && $0.value == instant }
      return [.recorder(goesOn ? .told(code: code, text: text) : .failed(code: code, text: text, asked: instant))]
    case .picture: return []
    }
  }

  /// When the take of a file was asked for.
  private func whenAsked(_ opening: RecordingOpening) -> Instant? {
    opening.continues.flatMap { asked[$0] } ?? opening.take?.pressedInstant
  }

  /// A take that is complete.
  private func endedTake(_ id: String, _ ending: RecordingEnding) -> TakeReference {
    TakeReference(
      id: id, displayName: Self.name(of: id), frames: ending.frames, sampleRate: ending.receipt.sound.sampleRate)
  }
}

extension RecordingSettings {
  /// Seconds of pre-record that the board's memory holds: what is set never keeps a device from coming up.
  static func mostPreRecordSeconds(_ board: BoardDescription, bits: Int = 0) -> Int {
    var format = board.microphone.format
    format.bits = max(format.bits, bits)
    let room = BudgetPlan(board).line(.preRecord).memoryKB * 1024
    return (1...60).last { CaptureInput.historyBytes(format, seconds: $0) <= room } ?? 0
  }

  /// The part of the settings that the recorder follows.
  ///
  /// - Parameter board: what its microphone gives, and its processor can afford.
  init(_ settings: Settings, board: BoardDescription) {
    let bits = board.microphone.format.bits
    let depth = settings.recordingBitDepth
    let encoding: TakeEncoding =
      switch settings.recordingFormat {
      case .aac: .aac
      case .wav: .wav
      case .flac: .flac
      case .alac: .alac
      case .opus: .opus
      case .alaw: .alaw
      case .mulaw: .mulaw
      }
    let asked = !settings.recordingFormat.isLossless || depth == 0 ? bits : min(24, depth)
    self.init(
      encoding: encoding, bitrateKbps: settings.takeBitrateKbps ?? settings.encoderBitrateKbps,
      sampleRate: settings.recordingSampleRate, channels: settings.recordingChannels,
      bits: asked,
      fileBits: depth == 0 ? nil : depth,
      preRecordSeconds: min(settings.preRecordSeconds, Self.mostPreRecordSeconds(board, bits: asked)),
      splitSeconds: settings.splitSeconds, splitMB: settings.splitMB)
    coder = board.aac == .thorough ? .thorough : .fast
    let plan = SessionPlan(settings, board: board)
    (session, forcedRate) = (plan.strategy, plan.rate)
    gainDB = settings.inputGain
    hasSafetyTake = settings.hasSafetyTake
    sources = settings.sourceNames
    returnsInTakes = settings.sourceReturn == .always
    marksGaps = settings.automaticMarks != .off
    marksOverloads = settings.automaticMarks == .all
    silence =
      switch settings.voiceOperation {
      case .off: nil
      case .cut: .cut
      case .mark: .mark
      }
    voiceHoldSeconds = settings.voiceHoldSeconds
    voicePreRollSeconds = settings.voicePreRollSeconds
    shaping = ShapingSettings(
      lowCutHz: settings.lowCutHz, hasAutomaticGain: settings.hasAutomaticGain, hasLimiter: settings.hasLimiter,
      // Of all files only WAV in float has more than full scale.
      isBounded: encoding != .wav || fileBits != 32)
  }
}

extension PlaybackSettings {
  /// The part of the settings that the player follows.
  init(_ settings: Settings) {
    self.init(
      rate: settings.playbackRate, pitchCents: settings.playbackPitchCents, volume: settings.playbackVolume,
      leftDb: settings.playbackLeftDb, rightDb: settings.playbackRightDb, skipsSilence: settings.skipsSilence,
      timelineSeconds: settings.timelineSeconds)
  }
}
