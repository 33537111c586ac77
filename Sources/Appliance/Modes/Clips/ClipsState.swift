import Hardware

/// Clip capture: the ring, the clips that are being made of it, what is in the player, the list of clips.
public struct ClipsState: Hashable, Sendable {
  /// The board has a camera, and room for its pictures.
  public var isAvailable: Bool
  /// Seconds of pictures that the board's ring can hold at most.
  public var largestSeconds: Int
  /// The ring holds all that it is to hold.
  public var isReady: Bool
  /// Pictures have come since the mode was entered.
  private var hasPictures: Bool
  public var captures: Captures
  public var playback: Playback
  public var files: FileList
  /// The clip that was saved last, for CENTRE.
  public var last: TakeReference?

  /// The window's lengths that RIGHT steps through, in seconds.
  private static let windowSteps = [5, 10, 20, 30, 60]

  static let optionsMenu: [OptionsRow] = [
    .group(
      .clip,
      [
        .setting(\.clipDurationSeconds), .setting(\.clipPostRollSeconds), .setting(\.clipOverlap),
        .setting(\.recordingChannels),
      ]),
    .group(.triggers, [.setting(\.hasSoundTrigger), .setting(\.hasMotionTrigger), .setting(\.hasInputTrigger)]),
    .ofScreens, .group(.device, [.clock]),
  ]

  /// Clip capture in this condition.
  ///
  /// - Parameter hasPictures: there are some in the ring.
  public init(
    isAvailable: Bool = false, largestSeconds: Int = 60, isReady: Bool = false, hasPictures: Bool = false,
    captures: Captures = Captures(), playback: Playback = Playback(), files: FileList = FileList(of: .clips),
    last: TakeReference? = nil
  ) {
    self.isAvailable = isAvailable
    self.largestSeconds = largestSeconds
    self.isReady = isReady
    self.hasPictures = hasPictures
    self.captures = captures
    self.playback = playback
    self.files = files
    self.last = last
  }

  public var activity: ClipActivity { captures.activity }

  /// Clips that are not durable yet, the oldest first.
  public var open: [OpenClip] { captures.open }

  /// A clip has been asked for and is not durable yet.
  public var isBusy: Bool { activity != .buffering }

  /// One event. Orders that mean nothing where they come are listed with the reason that is given.
  mutating func handle(_ event: ClipsEvent, _ transition: inout Transition) {
    switch (activity, event) {
    // Triggers never wait: neither for a post-roll nor for the card.
    case (_, .trigger(let source)):
      // Any key but CENTRE keeps what was to be deleted.
      if source == .key { files.cancelDelete() }
      // A camera that has gone leaves its last pictures in the ring; one that is being opened may have its first.
      if let reason = refusal(transition, withRing: true) { return transition.refuse(reason) }
      captures.trigger(source, &transition)
    case (_, .continuous):
      if let reason = refusal(transition) { return transition.refuse(reason) }
      captures.goOn(.continuous, by: .continuous(at: transition.at), &transition)
    case (_, .timeLapse(let milliseconds)):
      if let reason = refusal(transition) { return transition.refuse(reason) }
      let interval = min(86_400_000, max(100, milliseconds))
      captures.goOn(.timeLapse, by: .timeLapse(milliseconds: interval, at: transition.at), &transition)
    case (_, .snapshot):
      if let reason = refusal(transition) { return transition.refuse(reason) }
      transition.clips(.snapshot(at: transition.at))

    case (.capturing, .endPostRoll):
      if transition.isFromKey { files.cancelDelete() }
      captures.end(&transition)
    case (.saving, .endPostRoll): transition.refuse(.busy("clip"))
    case (.buffering, .endPostRoll): transition.refuseMeaningless()

    case (.buffering, .stepWindow): stepWindow(&transition)
    // A clip that is open needs the ring as it is.
    case (.capturing, .stepWindow), (.saving, .stepWindow): transition.refuse(busy)

    // The player minds its own business, whatever the ring does.
    case (_, .play) where playback.phase == .playing: transition.refuseMeaningless()
    case (_, .play): playback.play(&transition)
    case (_, .playLast):
      guard let last else { return transition.refuse(.nothingLoaded) }
      play(last, &transition)
    case (_, .open(let clip)): play(clip, &transition)
    case (_, .playSelected): if let clip = files.highlighted(&transition) { play(clip, &transition) }
    case (_, .pause) where playback.phase == .playing: playback.pause(&transition)
    case (_, .pause): transition.refuseMeaningless()
    case (_, .stop) where playback.phase == .stopped: transition.refuseMeaningless()
    case (_, .stop): playback.stop(&transition)
    case (_, .seek(let seconds)): playback.seek(by: seconds, &transition)

    case (_, .openReceipt): openReceipt(&transition)
    case (_, .closeReceipt): transition.shown.goBack(to: .files)
    case (_, .toggleProtection):
      guard let clip = files.highlighted(&transition) else { return }
      transition.library(.protectClip(id: clip.id, !clip.isProtected))
    case (_, .askDelete): files.askDelete(&transition)
    case (_, .confirmDelete): delete(&transition)
    case (_, .cancelDelete): files.cancelDelete()

    case (_, .recorder(let report)): handle(report, &transition)
    case (_, .player(let report)): playback.handle(report, isFree: true, &transition)
    }
  }

  // MARK: The ring

  /// Why no picture can be kept; `nil` if one can.
  private func refusal(_ transition: borrowing Transition, withRing: Bool = false) -> IgnoredReason? {
    let health = transition.health
    if !health.hasCamera, !(withRing && (health.isCameraOpening || hasPictures)) { return .deviceMissing(.camera) }
    return health.refusalToStore(in: .clips)
  }

  private mutating func stepWindow(_ transition: inout Transition) {
    let steps = Self.windowSteps.filter { $0 <= largestSeconds }
    let current = transition.settings.clipDurationSeconds
    guard let next = steps.first(where: { $0 > current }) ?? steps.first, next != current else {
      transition.refuse(.atLimit)
      return
    }
    var changed = transition.settings
    changed.clipDurationSeconds = next
    isReady = false
    transition.adopt(changed)
    // What plays stands where the length does.
    if playback.phase != .stopped {
      transition.raise(.information, "clip-length", .clipLength(seconds: next), for: .seconds(2))
    }
  }

  private mutating func handle(_ report: ClipReport, _ transition: inout Transition) {
    if let clip = captures.handle(report, &transition) { last = clip }
    switch report {
    case .bufferReady(let seconds):
      guard transition.mode == .clips, !isReady else { return }
      isReady = true
      transition.announce(.bufferReady(seconds: seconds))
    case .dropped(let frames, let reason):
      guard transition.mode == .clips else { return }
      transition.raise(.warning, "dropped", .picturesMissing(frames, reason: reason), for: .seconds(3))
    case .snapshotSaved(let path):
      transition.announce(.snapshotSaved(path: path))
      transition.raise(.information, "snapshot", .snapshotSaved, for: .seconds(1))
    case .trouble(let code, let text): transition.fail(code, text)
    case .started, .joined, .bounced, .refused, .ended, .completed, .failed: break
    }
  }

  // MARK: Playing, and the list

  /// A clip is short: it is always wanted whole.
  private mutating func play(_ clip: TakeReference, _ transition: inout Transition) {
    guard playback.open(clip, fromStart: true, &transition) else { return }
    files.cancelDelete()
    transition.showMain()
  }

  private mutating func openReceipt(_ transition: inout Transition) {
    guard transition.screen == .files else { return transition.refuseMeaningless() }
    guard let clip = files.highlighted(&transition) else { return }
    files.cancelDelete()
    transition.shown.open(.receipt, of: .clips)
    transition.library(.receipt(id: clip.id))
  }

  private mutating func delete(_ transition: inout Transition) {
    guard let clip = files.confirmDelete(&transition) else { return }
    playback.unload(clip.id, &transition)
    transition.library(.deleteClip(id: clip.id))
  }
}

extension ClipsState: ModeRules {
  var absence: Device? { isAvailable ? nil : .camera }
  var openWork: IgnoredReason? { isBusy ? busy : nil }
  /// Of a clip that is open.
  private var busy: IgnoredReason { .busy(activity == .capturing ? "capturing" : "clip") }

  /// Without a camera STATUS says that nothing is armed.
  func isListening(_ health: Health) -> Bool {
    health.refusalToStore(in: .clips) == nil && (health.hasCamera || health.isCameraOpening)
  }
  func isArmed(_ health: Health) -> Bool { playback.phase == .stopped && health.hasCamera && !isBusy }

  func activityName(on screen: Screen) -> String { activity.rawValue }

  // MARK: Coming and going

  mutating func enter(_ transition: inout Transition) {
    if transition.claimPlayer(for: .clips) { playback.reload(&transition) }
    files = FileList(of: .clips)
    files.open(&transition)
    isReady = false
    hasPictures = false
    transition.health.isCameraOpening = true
    transition.clips(.arm)
  }

  mutating func leave(_ transition: inout Transition) {
    playback.stop(&transition)
    isReady = false
    hasPictures = false
    transition.health.hasCamera = false
    transition.health.isCameraOpening = false
    transition.dismissNotice { $0.device == .camera }
    transition.clips(.disarm)
  }

  mutating func shutDown(_ transition: inout Transition) {
    if activity == .capturing { captures.end(&transition) }
    if transition.modeOfPlayer == .clips, playback.loaded != nil { playback.stop(&transition) }
  }

  // MARK: The panel

  mutating func obey(_ command: Command, _ transition: inout Transition) {
    switch command {
    case .trigger: handle(.trigger(.console), &transition)
    case .continuous: handle(.continuous, &transition)
    case .timeLapse(let milliseconds): handle(.timeLapse(milliseconds: milliseconds), &transition)
    case .endPostRoll: handle(.endPostRoll, &transition)
    case .snapshot: handle(.snapshot, &transition)
    case .showScreen(.receipt): handle(.openReceipt, &transition)
    case .play(nil): handle(.play, &transition)
    case .play(let id?): handle(.open(known(id)), &transition)
    case .pause: handle(.pause, &transition)
    case .resume:
      if playback.phase == .paused { handle(.play, &transition) } else { transition.refuseMeaningless() }
    case .stop: handle(.stop, &transition)
    case .seek(let seconds): handle(.seek(by: seconds), &transition)
    // A take is the dictaphone's.
    case .record: transition.refuse(.busy("clips"))
    // Words of the other modes, or of none.
    default: transition.refuseMeaningless()
    }
  }

  /// What is known of a clip; the player's report completes it, or fails with `not-found`.
  private func known(_ id: String) -> TakeReference {
    if let loaded = playback.loaded, loaded.id == id { return loaded }
    return files.known(id) ?? TakeReference(id: id, displayName: id, frames: 0, sampleRate: 0)
  }

  mutating func letGo(of key: Button?, _ transition: inout Transition) {
    if key == nil { files.cancelDelete() }
    playback.letGo(&transition)
  }

  /// A trigger that no person has asked for. The lock is for fingers and does not keep it from a clip.
  mutating func triggered(by source: TriggerSource, _ transition: inout Transition) {
    guard source.isOrdered else { return transition.refuseMeaningless() }
    guard source != .input || transition.settings.hasInputTrigger else {
      return transition.refuse(.switchedOff(source))
    }
    guard transition.mode == .clips else { return transition.refuseMeaningless() }
    handle(.trigger(source), &transition)
  }

  mutating func open(_ screen: Screen, _ transition: inout Transition) -> Screen {
    files.cancelDelete()
    if screen == .files { files.open(&transition) }
    return screen == .library ? .main : screen
  }

  mutating func move(by step: Int, on screen: Screen, _ transition: inout Transition) {
    if screen == .files { files.move(by: step, &transition) } else { transition.refuseMeaningless() }
  }

  // MARK: The device

  mutating func lost(_ device: Device, _ transition: inout Transition) {
    switch device {
    case .microphone:
      transition.raise(.error, "device-lost", .microphoneLostInClips, device: device)
    case .camera:
      transition.raise(
        .error, "device-lost", .cameraLost(isCapturing: captures.goesOnWithoutPictures), device: device)
    case .speaker:
      if playback.phase == .playing { playback.pause(&transition) }
      transition.raise(
        .warning, "device-lost", .speakerLost(.clips, isPlaying: false), for: .seconds(5), device: device)
    case .display, .buttons, .lamps, .console, .storage, .network: break
    }
  }

  mutating func returned(_ device: Device) { if device == .camera { hasPictures = true } }

  mutating func hear(_ report: LibraryReport, _ transition: inout Transition) {
    let isTakenUp = transition.mode == .clips
    let highlighted = files.selection?.id
    switch report {
    case .clipWindow(let start, let clips, let count):
      guard isTakenUp else { return }
      files.receive(start: start, files: clips, count: count)
      if transition.screen == .receipt, files.selection?.id != highlighted { transition.shown.goBack(to: .files) }
    case .clipsChanged(let count, let last):
      self.last = last
      guard isTakenUp else { return }
      if transition.screen == .receipt { transition.shown.goBack(to: .files) }
      files.change(count: count, isShown: transition.screen == .files, &transition)
    case .protected(let clip):
      files.note(protectionOf: clip)
      if last?.id == clip.id { last?.isProtected = clip.isProtected }
    case .deleted(let file, _):
      if last?.id == file.id { last = nil }
      if isTakenUp { transition.clips(.forgetKept) }
      if transition.modeOfPlayer == .clips {
        playback.unload(file.id, &transition)
      } else {
        playback.forget(file.id)
      }
    case .window, .changed, .failed, .marks, .renewed, .restored, .tags, .facts, .copying, .copied, .stick, .exporting,
      .exported, .exportFailed, .working, .worked:
      break
    }
  }

  func refusal(of changed: Settings, since settings: Settings) -> IgnoredReason? {
    guard isAvailable, changed.clipDurationSeconds != settings.clipDurationSeconds else { return nil }
    guard changed.clipDurationSeconds <= largestSeconds else {
      return .refused(
        .outOfRange(
          key: "clips.durationSeconds", value: .integer(changed.clipDurationSeconds),
          allowed: "1…\(largestSeconds) with this board's ring"))
    }
    return openWork
  }
}
