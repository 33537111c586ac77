import Hardware

/// The feed: one item after another, each by a key. It never touches a take: while one is open there is no way into this
/// mode.
public struct FeedState: Hashable, Sendable {
  /// The board grants players their memory.
  public var isAvailable: Bool
  /// The machine's state is copied with every event, and most are nothing to the feed.
  private var browsing: Boxed<FeedBrowsing>

  static let optionsMenu: [OptionsRow] = [
    .setting(\.dubLanguage), sourceRow, .setting(\.feedStartMuted),
    .group(.dubbing, [.setting(\.dubVolume), .setting(\.dubPicture)]), .ofScreens,
    .group(.device, [.clock, .setting(\.lockedStopWorks)]),
  ]
  private static let sourceRow = OptionsRow.setting(\.feedSource)

  public init(
    isAvailable: Bool = false, presenter: FeedPresenter = FeedPresenter(), run: Int = 0, play: FeedPlay? = nil,
    isMuted: Bool = false, favourites: Set<String> = []
  ) {
    self.isAvailable = isAvailable
    browsing = Boxed(FeedBrowsing(presenter, run: run, play: play, isMuted: isMuted, favourites: favourites))
  }

  /// What is shown, and what is asked for.
  public var presenter: FeedPresenter { browsing.value.presenter }
  /// Counts what was started; what is reported of an earlier one means nothing.
  public var run: Int { browsing.value.run }
  /// What plays, or was to be played.
  public var play: FeedPlay? {
    get { browsing.value.play }
    set { browsing.value.play = newValue }
  }
  /// It plays without being heard, until CENTRE.
  public var isMuted: Bool {
    get { browsing.value.isMuted }
    set { browsing.value.isMuted = newValue }
  }
  /// The item that was shown last, to begin with.
  public var lastItem: String? { browsing.value.lastItem }
  /// What the items are played from that somebody likes.
  public var favourites: Set<String> { browsing.value.favourites }

  public var activity: FeedActivity { browsing.value.activity }
  /// Something was started and has not ended.
  public var isBusy: Bool { browsing.value.isBusy }
  /// CENTRE has stopped the sound for a while.
  public var isPaused: Bool { browsing.value.isPaused }
  /// The item that is shown.
  public var item: FeedItem? { browsing.value.item }
  /// Why nothing can be heard, or no more pages come.
  public var fault: FeedFault? { browsing.value.fault }
  /// Somebody likes the item that is shown.
  public var isFavourite: Bool { item.map { favourites.contains($0.source) } ?? false }

  /// One event.
  mutating func handle(_ event: FeedEvent, _ transition: inout Transition) {
    browsing.value.handle(event, &transition)
  }
}

extension FeedState: ModeRules {
  var absence: Device? { isAvailable ? nil : .network }
  func isListening(_ health: Health) -> Bool { false }
  func activityName(on screen: Screen) -> String { activity.rawValue }

  func news(since before: State, now: State) -> Announcement? {
    guard now.mode == .feed || before.mode == .feed else { return nil }
    let status = now.feedStatus
    return status != before.feedStatus ? .feed(status) : nil
  }

  mutating func enter(_ transition: inout Transition) { handle(.open(nil), &transition) }
  mutating func leave(_ transition: inout Transition) { browsing.value.close(&transition) }
  mutating func shutDown(_ transition: inout Transition) { browsing.value.close(&transition) }

  mutating func obey(_ command: Command, _ transition: inout Transition) {
    switch command {
    case .openFeed(let name): handle(.open(name), &transition)
    case .stepFeed(let direction): handle(.step(direction), &transition)
    case .refreshFeed: handle(.refresh, &transition)
    case .muteFeed(let isOn): browsing.value.mute(isOn, &transition)
    case .likeItem: handle(.toggleFavourite, &transition)
    case .stop: handle(.stop, &transition)
    case .pause: handle(.pause, &transition)
    case .resume: handle(.resume, &transition)
    case .play(nil): handle(isPaused ? .resume : .start, &transition)
    case .seek(let seconds): handle(.seek(by: seconds), &transition)
    case .record: handle(.record, &transition)
    default: transition.refuseMeaningless()
    }
  }

  mutating func letGo(of key: Button?, _ transition: inout Transition) {
    switch (key, play?.scrubbing ?? 0) {
    case (nil, ..<0), (nil, 1...), (.left?, ..<0), (.right?, 1...): browsing.value.letGo(&transition)
    default: break
    }
  }

  mutating func open(_ screen: Screen, _ transition: inout Transition) -> Screen {
    [.files, .marks, .receipt, .library].contains(screen) ? .main : screen
  }

  mutating func move(by step: Int, on screen: Screen, _ transition: inout Transition) {
    transition.refuseMeaningless()
  }

  mutating func change(_ row: OptionsRow, by direction: Int, _ transition: inout Transition) -> Bool {
    guard row == Self.sourceRow else { return false }
    let sources = FeedSources(transition.settings)
    guard let address = sources.neighbour(of: transition.settings.feedSource, direction) else {
      transition.refuse(.atLimit)
      return true
    }
    var changed = transition.settings
    guard (try? changed.set("feed.source", to: .text(address))) != nil else { return true }
    let before = transition.settings
    transition.adopt(changed)
    follow(changed, since: before, &transition)
    return true
  }

  mutating func lost(_ device: Device, _ transition: inout Transition) {
    switch device {
    case .speaker:
      browsing.value.speakerLost(&transition)
      transition.raise(
        .warning, "device-lost", .speakerLost(.feed, isPlaying: isBusy), for: .seconds(5), device: device)
    case .network: transition.raise(.warning, "device-lost", .networkLost, for: .seconds(5), device: device)
    case .microphone, .camera, .display, .buttons, .lamps, .console, .storage: break
    }
  }

  mutating func follow(_ settings: Settings, since before: Settings, _ transition: inout Transition) {
    guard settings != before else { return }
    browsing.value.follow(settings, since: before, &transition)
  }
}
