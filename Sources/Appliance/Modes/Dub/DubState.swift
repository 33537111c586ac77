import Hardware

/// Dubbed playback. What is heard, and from which rung of the ladder, is the player's to find out; what is wanted is
/// decided here. It never touches a take: while one is open there is no way into this mode.
public struct DubState: Hashable, Sendable {
  /// The board grants dubbing its memory.
  public var isAvailable: Bool
  public var sources: SourceList
  /// A dub is wanted; if not, the original is what is asked for.
  public var isOn: Bool
  /// Counts what was started; what is reported of an earlier one means nothing.
  public private(set) var run: Int
  /// What plays, and what is heard of it.
  public var play: DubPlay?

  static let optionsMenu: [OptionsRow] = [
    languageRow,
    .group(
      .dubbing,
      [
        .setting(\.dubMix), .setting(\.dubVolume), .setting(\.dubOriginalVolume), .setting(\.dubPicture),
        .setting(\.dubLowPower),
      ]), .ofScreens, .group(.device, [.clock, .setting(\.lockedStopWorks)]),
  ]
  private static let languageRow = OptionsRow.setting(\.dubLanguage)
  /// What can be spoken on the device itself; offered while a source has not said what it has.
  public static let spokenLanguages = ["en", "es", "de", "fr", "it", "pt", "ru"]

  public init(
    isAvailable: Bool = false, sources: SourceList = SourceList(), isOn: Bool = true, run: Int = 0,
    play: DubPlay? = nil
  ) {
    self.isAvailable = isAvailable
    self.sources = sources
    self.isOn = isOn
    self.run = run
    self.play = play
  }

  public var activity: DubActivity { play.map { $0.isBuffering ? .buffering : .playing } ?? .idle }

  /// Something was started and has not ended.
  public var isBusy: Bool { play != nil }

  /// What plays.
  public var current: DubSource? { play?.source }
  /// CENTRE has stopped the sound for a while.
  public var isPaused: Bool { play?.isPaused ?? false }
  /// What is heard of the ladder.
  public var rung: HeardRung { play?.rung ?? .original }
  /// Why it buffers, or why nothing better is heard, in words; empty if there is nothing to say.
  public var reason: String { play?.reason ?? "" }
  /// The stream or the service cannot be reached at the moment.
  public var isLinkLost: Bool { play?.isLinkLost ?? false }

  /// A dub is what is heard, not the original.
  public var isDubbed: Bool { activity == .playing && isOn && rung != .original }

  /// What a person can choose from.
  public var offeredLanguages: [String] {
    guard let languages = play?.languages, !languages.isEmpty else { return Self.spokenLanguages }
    return languages
  }

  /// One event. Orders that mean nothing where they come are listed with the reason that is given.
  mutating func handle(_ event: DubEvent, _ transition: inout Transition) {
    switch (activity, event) {
    case (_, .start):
      guard let source = sources.selection else { return transition.refuse(.nothingLoaded) }
      start(source, &transition)
    case (_, .startNamed(let name)):
      guard let source = sources.source(named: name, transition.settings) else {
        return transition.refuse(.nothingLoaded)
      }
      start(source, &transition)
    case (.buffering, .startNeighbour(let step)), (.playing, .startNeighbour(let step)):
      guard let source = sources.neighbour(step) else { return transition.refuse(.atLimit) }
      start(source, &transition)
    case (.idle, .startNeighbour): transition.refuseMeaningless()

    case (.buffering, .stop), (.playing, .stop): end(&transition)
    case (.buffering, .pause), (.playing, .pause): pause(&transition)
    case (.buffering, .resume), (.playing, .resume): resume(&transition)
    case (.idle, .stop), (.idle, .pause), (.idle, .resume): transition.refuseMeaningless()

    case (.buffering, .seek(let seconds)), (.playing, .seek(let seconds)):
      guard seconds.isFinite, seconds != 0 else { return transition.refuse(.atLimit) }
      transition.dub(.seek(by: seconds))
    case (.buffering, .scrub(let direction)), (.playing, .scrub(let direction)):
      play?.scrubbing = direction
      transition.dub(.scrub(direction: direction))
    case (.idle, .seek), (.idle, .scrub): transition.refuse(.nothingPlays)

    case (_, .stepPicture): stepPicture(&transition)
    case (_, .enable(let isOn)): enable(isOn, &transition)

    // REC always keeps something. What plays is ended only if there is going to be a take.
    case (_, .record):
      if let reason = transition.health.refusalToRecord { return transition.refuse(reason) }
      transition.pass(.dictaphone(.record), to: .dictaphone)

    case (_, .sources(let list)): sources.receive(list, keeping: play?.source.id)
    case (.idle, .player): break  // What it is about has ended.
    case (_, .player(_, let number)) where number != run: break  // It is about an earlier one.
    case (_, .player(.ended, _)): end(&transition)
    case (_, .player(.failed(let code, let text), _)):
      end(&transition)
      transition.fail(code, text, device: code == "device-lost" ? .speaker : nil)
    case (_, .player(let report, _)): play?.handle(report, isOn: isOn, &transition)
    }
  }

  // MARK: Playing

  /// Whether what the console names (`nil`: the highlighted one) is known to be there: a stream, or what is in the list.
  /// A clip or take that is not may be new, or one that the start has not come to.
  public func knows(_ name: String?, _ settings: Settings, isTakenUp: Bool) -> Bool {
    guard let source = wanted(name, settings, isTakenUp: isTakenUp) else { return false }
    return source.kind == .stream || sources.all.contains { $0.id == source.id }
  }

  /// - Parameter isTakenUp: if not, the list begins at its top.
  func wanted(_ name: String?, _ settings: Settings, isTakenUp: Bool) -> DubSource? {
    if let name { return sources.source(named: name, settings) }
    return isTakenUp ? sources.selection : sources.all.first
  }

  func refusal(toStart source: DubSource?, _ health: Health) -> IgnoredReason? {
    guard let source else { return .nothingLoaded }
    guard health.hasSpeaker else { return .deviceMissing(.speaker) }
    return source.kind == .stream && !health.hasNetwork ? .deviceMissing(.network) : nil
  }

  private mutating func start(_ source: DubSource, _ transition: inout Transition) {
    if let reason = refusal(toStart: source, transition.health) { return transition.refuse(reason) }
    play?.letGo(&transition)
    run &+= 1
    play = DubPlay(of: source)
    sources.select(source.id)
    DubPlay.dismissLinkNotice(&transition)
    transition.showMain()
    transition.dub(.start(source, language: transition.settings.dubLanguage, isOn: isOn, run: run))
  }

  /// Nothing plays any more, for whatever reason.
  private mutating func end(_ transition: inout Transition) {
    play?.letGo(&transition)
    run &+= 1
    play = nil
    DubPlay.dismissLinkNotice(&transition)
    transition.dub(.stop)
  }

  private mutating func pause(_ transition: inout Transition) {
    guard isBusy, !isPaused else { return transition.refuseMeaningless() }
    play?.letGo(&transition)
    play?.isPaused = true
    transition.dub(.pause)
  }

  private mutating func resume(_ transition: inout Transition) {
    guard isPaused else { return transition.refuseMeaningless() }
    guard transition.health.hasSpeaker else { return transition.refuse(.deviceMissing(.speaker)) }
    play?.isPaused = false
    transition.dub(.resume)
  }

  // MARK: What is wanted

  private mutating func enable(_ isOn: Bool, _ transition: inout Transition) {
    self.isOn = isOn
    if !isOn { play?.hearOriginal() }
    if isBusy { transition.dub(.enable(isOn)) }
  }

  /// - Returns: whether the language is one.
  private mutating func choose(_ language: String, _ transition: inout Transition) -> Bool {
    guard set("dub.language", to: .text(language), &transition) else { return false }
    if !isOn { enable(true, &transition) }
    return true
  }

  private mutating func stepPicture(_ transition: inout Transition) {
    let sizes = DubPicture.allCases
    let place = sizes.firstIndex(of: transition.settings.dubPicture) ?? 0
    _ = set("dub.picture", to: .text(sizes[(place + 1) % sizes.count].rawValue), &transition)
  }

  /// - Returns: whether the value is one.
  private mutating func set(_ key: String, to value: SettingValue, _ transition: inout Transition) -> Bool {
    let before = transition.settings
    var changed = before
    do {
      try changed.set(key, to: value)
    } catch {
      transition.refuse(.refused(error))
      return false
    }
    if changed != before {
      transition.adopt(changed)
      follow(changed, since: before, &transition)
    }
    return true
  }
}

extension DubState: ModeRules {
  var absence: Device? { isAvailable ? nil : .network }
  /// STATUS says that nothing is armed here.
  func isListening(_ health: Health) -> Bool { false }
  func activityName(on screen: Screen) -> String { activity.rawValue }

  func news(since before: State, now: State) -> Announcement? {
    let status = now.dubbingStatus
    guard status != before.dubbingStatus, now.mode == .dub || before.dub.isBusy else { return nil }
    return .dubbing(status)
  }

  // MARK: Coming and going

  mutating func enter(_ transition: inout Transition) {
    sources.open()
    transition.dub(.list)
  }

  mutating func leave(_ transition: inout Transition) { if isBusy { end(&transition) } }

  mutating func shutDown(_ transition: inout Transition) { if isBusy { end(&transition) } }

  // MARK: The panel

  mutating func obey(_ command: Command, _ transition: inout Transition) {
    switch command {
    case .startDub(let name, let language):
      if let language, !choose(language, &transition) { return }
      handle(name.map { .startNamed($0) } ?? .start, &transition)
    case .stop, .stopDub: handle(.stop, &transition)
    case .pause: handle(.pause, &transition)
    case .resume: handle(.resume, &transition)
    case .play(nil) where isPaused: handle(.resume, &transition)
    case .seek(let seconds): handle(.seek(by: seconds), &transition)
    case .record: handle(.record, &transition)
    // Words of the other modes; a take or clip is played with a dub by `startDub`.
    default: transition.refuseMeaningless()
    }
  }

  mutating func letGo(of key: Button?, _ transition: inout Transition) {
    switch (key, play?.scrubbing ?? 0) {
    case (nil, _), (.left?, ..<0), (.right?, 1...): play?.letGo(&transition)
    default: break
    }
  }

  /// What can be played is listed on the main screen.
  mutating func open(_ screen: Screen, _ transition: inout Transition) -> Screen {
    [.files, .marks, .receipt, .library].contains(screen) ? .main : screen
  }

  mutating func move(by step: Int, on screen: Screen, _ transition: inout Transition) {
    guard screen == .main, !isBusy else { return transition.refuseMeaningless() }
    if !sources.move(by: step) { transition.refuse(sources.all.isEmpty ? .nothingLoaded : .atLimit) }
  }

  /// The row of the language goes through what can be heard of what plays; in front of that is the original.
  mutating func change(_ row: OptionsRow, by direction: Int, _ transition: inout Transition) -> Bool {
    guard row == Self.languageRow else { return false }
    let languages = offeredLanguages
    let place = isOn ? languages.firstIndex(of: transition.settings.dubLanguage).map { $0 + 1 } : 0
    // A language that this source does not have stands between the original and the first one.
    let target = place.map { $0 + direction } ?? max(0, direction)
    if target == 0 {
      enable(false, &transition)
    } else if languages.indices.contains(target - 1) {
      _ = choose(languages[target - 1], &transition)
    } else {
      transition.refuse(.atLimit)
    }
    return true
  }

  func words(of row: OptionsRow) -> Translated? { row == Self.languageRow && !isOn ? OptionValue.original.words : nil }

  // MARK: The device

  mutating func lost(_ device: Device, _ transition: inout Transition) {
    switch device {
    case .speaker:
      if isBusy, !isPaused { pause(&transition) }
      transition.raise(
        .warning, "device-lost", .speakerLost(.dub, isPlaying: isBusy), for: .seconds(5), device: device)
    case .network:
      transition.raise(.warning, "device-lost", .networkLost, for: .seconds(5), device: device)
    // Nobody listens to the microphone here.
    case .microphone, .camera, .display, .buttons, .lamps, .console, .storage: break
    }
  }

  mutating func follow(_ settings: Settings, since before: Settings, _ transition: inout Transition) {
    guard isBusy else { return }
    if settings.dubLanguage != before.dubLanguage {
      play?.hearOriginal()
      transition.dub(.language(settings.dubLanguage))
    }
    if settings.dubOriginalVolume != before.dubOriginalVolume || settings.dubVolume != before.dubVolume
      || settings.dubMix != before.dubMix
    {
      transition.dub(.volume(original: settings.dubOriginalVolume, dub: settings.dubVolume, settings.dubMix))
    }
  }
}
