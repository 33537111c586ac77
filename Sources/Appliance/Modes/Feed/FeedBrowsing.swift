import Hardware

/// Going through a feed: what keys and reports make of it. What is shown and which players are wanted is the presenter's.
struct FeedBrowsing: Hashable, Sendable {
  private(set) var presenter = FeedPresenter()
  /// Counts what was started; what is reported of an earlier one means nothing.
  private(set) var run = 0
  /// What plays, or was to be played.
  var play: FeedPlay?
  /// It plays without being heard, until CENTRE.
  var isMuted = false
  /// The item that was shown last, to begin with.
  private(set) var lastItem: String?
  /// What the items are played from that somebody likes.
  private(set) var favourites: Set<String> = []
  /// Somebody has pressed STOP: nothing plays by itself.
  private var isStopped = false
  /// What players are ready for.
  private var prepared: [FeedItem] = []

  private static let mostFavourites = 256
  /// Bytes of all of them: the document that keeps them has to be small enough to be read again.
  private static let mostFavouriteBytes = 256_000

  init() {}

  /// What a device starts with, and pictures are made from.
  init(_ presenter: FeedPresenter, run: Int, play: FeedPlay?, isMuted: Bool, favourites: Set<String>) {
    self.presenter = presenter
    self.run = run
    self.play = play
    self.isMuted = isMuted
    self.favourites = favourites
  }

  var activity: FeedActivity {
    if let play { return play.fault != nil ? .failed : play.isBuffering ? .buffering : .playing }
    if presenter.item != nil { return .idle }
    if presenter.isLoading { return .loading }
    if presenter.isOpen, presenter.fault != nil { return .failed }
    return presenter.isEmpty ? .empty : .idle
  }

  /// Something was started and has not ended.
  var isBusy: Bool { play != nil }
  /// CENTRE has stopped the sound for a while.
  var isPaused: Bool { play?.isPaused ?? false }
  /// The item that is shown.
  var item: FeedItem? { play?.item ?? presenter.item }
  /// Why nothing can be heard, or no more pages come.
  var fault: FeedFault? { play?.fault ?? presenter.fault }

  /// One event. Orders that mean nothing where they come are listed with the reason that is given.
  mutating func handle(_ event: FeedEvent, _ transition: inout Transition) {
    switch (activity, event) {
    case (_, .open(let name)): open(name, &transition)
    case (.idle, .start) where presenter.item == nil, (.empty, .start), (.loading, .start): open(nil, &transition)
    case (_, .start):
      isStopped = false
      transition.showMain()
      if presenter.item == nil { refresh(&transition) } else { start(&transition) }
    case (_, .step(let direction)): step(direction, &transition)
    case (_, .refresh): refresh(&transition)
    case (_, .stop):
      guard isBusy else { return transition.refuseMeaningless() }
      isStopped = true
      end(&transition)
    case (_, .leave): transition.pass(.panel(.close), to: .dictaphone)
    case (.buffering, .pause), (.playing, .pause): pause(&transition)
    case (.buffering, .resume), (.playing, .resume): resume(&transition)
    case (.buffering, .unmute), (.playing, .unmute):
      isMuted = false
      transition.feed(.mute(false))
    case (_, .pause), (_, .resume), (_, .unmute): transition.refuseMeaningless()
    case (.buffering, .seek(let seconds)), (.playing, .seek(let seconds)):
      guard seconds.isFinite, seconds != 0 else { return transition.refuse(.atLimit) }
      transition.feed(.seek(by: seconds))
    case (.buffering, .scrub(let direction)), (.playing, .scrub(let direction)):
      play?.scrubbing = direction
      transition.feed(.scrub(direction: direction))
    case (_, .seek), (_, .scrub): transition.refuse(.nothingPlays)
    case (_, .toggleFavourite): toggleFavourite(&transition)
    // REC always keeps something. What plays is ended only if there is going to be a take.
    case (_, .record):
      if let reason = transition.health.refusalToRecord { return transition.refuse(reason) }
      transition.pass(.dictaphone(.record), to: .dictaphone)
    case (_, .report(let report)): hear(report, &transition)
    }
  }

  // MARK: The feed

  private mutating func open(_ name: String?, _ transition: inout Transition) {
    if let name {
      guard let address = FeedSources(transition.settings).address(named: name) else {
        return transition.refuse(.nothingLoaded)
      }
      var changed = transition.settings
      do { try changed.set("feed.source", to: .text(address)) } catch { return transition.refuse(.refused(error)) }
      if changed != transition.settings {
        lastItem = nil
        transition.adopt(changed)
      }
    }
    if isBusy { end(&transition) }
    isStopped = false
    isMuted = transition.settings.feedStartMuted
    presenter.open(at: lastItem, from: transition.settings.feedSource)
    transition.showMain()
    follow(&transition)
  }

  private mutating func refresh(_ transition: inout Transition) {
    if !presenter.isOpen { return open(nil, &transition) }
    if presenter.request?.page == nil, presenter.request != nil { return transition.refuse(.busy("feed")) }
    presenter.refresh()
    follow(&transition)
  }

  private mutating func step(_ direction: Int, _ transition: inout Transition) {
    let asked = presenter.request
    guard presenter.step(direction) else {
      if presenter.request != asked { ask(&transition) }
      return transition.refuse(presenter.item == nil ? .nothingLoaded : .atLimit)
    }
    isStopped = false
    transition.showMain()
    start(&transition)
    if presenter.request != asked { ask(&transition) }
  }

  /// A page has come, or was asked for: what is to be heard may be something else.
  private mutating func follow(_ transition: inout Transition) {
    ask(&transition)
    guard let item = presenter.item else { return prepare(&transition) }
    if isStopped || play?.item == item { prepare(&transition) } else { start(&transition) }
  }

  private mutating func ask(_ transition: inout Transition) {
    guard let request = presenter.request else { return }
    transition.feed(.load(source: transition.settings.feedSource, page: request.page, request: request.number))
  }

  private mutating func prepare(_ transition: inout Transition) {
    let items = presenter.isOpen ? presenter.neighbourhood : []
    guard items != prepared else { return }
    prepared = items
    transition.feed(.prepare(items))
  }

  private mutating func hear(_ report: FeedReport, _ transition: inout Transition) {
    switch report {
    case .page(let page, let number):
      let wasOffline = presenter.isOffline
      guard presenter.receive(page, of: number) else { return }
      if presenter.isOffline, !wasOffline {
        transition.raise(.warning, "feed-offline", .feedOffline, for: .seconds(4))
      }
      tellFault(&transition)
      follow(&transition)
    case .pageFailed(let fault, let number):
      guard presenter.fail(fault, of: number) else { return }
      tellFault(&transition)
    case .player(let report, let number):
      // It is about an earlier one, or has ended.
      guard number == run, isBusy, play?.fault == nil else { return }
      hear(report, &transition)
    case .favourites(let sources): favourites = Set(sources.prefix(Self.mostFavourites))
    case .remembered(let item): if lastItem == nil { lastItem = item }
    }
  }

  /// A page that fails while something is shown covers nothing.
  private func tellFault(_ transition: inout Transition) {
    guard let fault = presenter.fault else { return }
    transition.announce(.error(code: fault.code, text: fault.text))
    // The card of the item that is shown is nearer; the page is asked for again at the end of what is there.
    if presenter.item != nil, play?.fault == nil {
      transition.raise(.warning, fault.code, .told(code: fault.code, fault.text), for: .seconds(5))
    }
  }

  private mutating func hear(_ report: DubReport, _ transition: inout Transition) {
    switch report {
    // What cannot be played over and over by the player is begun again here; but not what is over before it is heard.
    case .ended where play?.hasPlayed == true: start(&transition)
    case .ended:
      fail(FeedFault(code: "feed-silent", text: "There is nothing to hear in it."), &transition)
    case .failed(let code, let text): fail(FeedFault(code: code, text: text), &transition)
    default: play?.handle(report)
    }
  }

  private mutating func fail(_ fault: FeedFault, _ transition: inout Transition) {
    play?.letGo(&transition)
    run &+= 1
    play?.fault = fault
    transition.feed(.stop)
    if let page = presenter.fault { transition.dismissNotice { $0.code == page.code } }
    transition.announce(.error(code: fault.code, text: fault.text))
  }

  // MARK: Playing

  private mutating func start(_ transition: inout Transition) {
    guard let item = presenter.item else { return }
    guard transition.health.hasSpeaker else {
      if isBusy { end(&transition) }
      return transition.refuse(.deviceMissing(.speaker))
    }
    play?.letGo(&transition)
    run &+= 1
    play = FeedPlay(of: item)
    lastItem = item.id
    transition.feed(
      .play(item, language: transition.settings.dubLanguage, isMuted: isMuted, run: run))
    prepare(&transition)
  }

  /// Nothing plays any more, for whatever reason.
  private mutating func end(_ transition: inout Transition) {
    play?.letGo(&transition)
    run &+= 1
    play = nil
    transition.feed(.stop)
  }

  private mutating func pause(_ transition: inout Transition) {
    guard !isPaused else { return transition.refuseMeaningless() }
    play?.letGo(&transition)
    play?.isPaused = true
    transition.feed(.pause)
  }

  private mutating func resume(_ transition: inout Transition) {
    guard isPaused else { return transition.refuseMeaningless() }
    guard transition.health.hasSpeaker else { return transition.refuse(.deviceMissing(.speaker)) }
    play?.isPaused = false
    transition.feed(.resume)
  }

  private mutating func toggleFavourite(_ transition: inout Transition) {
    guard let item else { return transition.refuse(.nothingLoaded) }
    let isLiked = !favourites.contains(item.source)
    if isLiked {
      let bytes = favourites.reduce(item.source.utf8.count) { $0 + $1.utf8.count }
      guard favourites.count < Self.mostFavourites, bytes <= Self.mostFavouriteBytes else {
        return transition.refuse(.atLimit)
      }
      favourites.insert(item.source)
    } else {
      favourites.remove(item.source)
    }
    transition.raise(.information, "favourite", .favourite(item.title, isLiked), for: .milliseconds(1500))
  }

  /// Nothing is heard, waited for or kept ready any more.
  mutating func close(_ transition: inout Transition) {
    guard presenter.isOpen || isBusy else { return }
    if isBusy { end(&transition) }
    presenter.close()
    prepared = []
    transition.feed(.close)
  }

  // MARK: The device

  mutating func mute(_ isOn: Bool, _ transition: inout Transition) {
    guard isBusy else { return transition.refuseMeaningless() }
    isMuted = isOn
    transition.feed(.mute(isOn))
  }

  /// The key that scrubs is up, or has lost its meaning.
  mutating func letGo(_ transition: inout Transition) { play?.letGo(&transition) }

  /// What would be heard cannot be.
  mutating func speakerLost(_ transition: inout Transition) {
    if isBusy, play?.fault == nil, !isPaused { pause(&transition) }
  }

  mutating func follow(_ settings: Settings, since before: Settings, _ transition: inout Transition) {
    if settings.feedSource != before.feedSource {
      lastItem = nil
      let shown = transition.shown
      open(nil, &transition)
      // Who steps through the sources goes on doing so.
      transition.shown = shown
    }
    if settings.dubLanguage != before.dubLanguage, isBusy { transition.feed(.language(settings.dubLanguage)) }
  }
}
