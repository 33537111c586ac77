internal import Appliance
internal import Dubbing
internal import Hardware
internal import Threads

/// What the dubbing lane is told of the feed.
enum FeedTask: Sendable {
  case load(source: String, page: String?, request: Int)
  /// Players for these files and addresses.
  case prepare([String])
  /// Nothing is played, kept ready or fetched any more.
  case rest
  /// Plays a file or an address as the machine's run of this number.
  case play(FeedItem, source: String, feed: String, language: String, run: Int)
  case player(DubTask)
  /// How much may be kept, and for how long.
  case keep(megabytes: Int, days: Int)
  case shutDown
}

/// What the dubbing lane tells the control loop of the feed.
enum FeedTelling: Sendable {
  case report(FeedReport)
  /// For the log.
  case remark(String)
}

/// The feed on the dubbing lane: one player that is heard, those that wait, and the pages.
final class FeedWorker: Stepper, @unchecked Sendable {
  private let player: DubWorker
  private let pool: FeedPool
  private let pages: FeedPages
  private let cache: FeedCache
  private let kept: KeptRun
  private let tasks: Mailbox<FeedTask>
  private let tell: @Sendable (FeedTelling) -> Void
  /// The run of which nothing has been heard yet, and since when.
  private var waiting: (run: Int, name: String, since: Instant)?

  /// So long may pass until something is heard; then it is a card.
  private static let patience = Duration.seconds(3)

  init(
    player: DubWorker, pool: FeedPool, pages: FeedPages, cache: FeedCache, kept: KeptRun,
    wake: @escaping @Sendable () -> Void,
    tell: @escaping @Sendable (FeedTelling) -> Void
  ) {
    self.player = player
    self.pool = pool
    self.pages = pages
    self.cache = cache
    self.kept = kept
    self.tell = tell
    tasks = Mailbox(onPost: wake)
  }

  /// Queues a task. Any thread.
  func post(_ task: FeedTask) { tasks.post(task) }

  /// What is heard, and whose it is. Any thread.
  var status: DubStatus { player.status }
  var statusRun: Int { player.statusRun }

  func step(now: Instant) -> Instant? {
    for task in tasks.drain() { perform(task, now: now) }
    let playing = player.step(now: now)
    if let (play, reason) = kept.takeSpoilt() {
      replace(play, reason, now: now)
      return now
    }
    let next = [
      playing, pool.step(now: now), pages.step(now: now), cache.step(now: now), watch(now),
    ]
    return next.compactMap { $0 }.min()
  }

  private func perform(_ task: FeedTask, now: Instant) {
    switch task {
    case .load(let source, let page, let request):
      cache.open()
      pages.load(source: source, page: page, request: request)
    case .prepare(let sources): pool.prepare(sources)
    case .rest:
      pool.prepare([])
      pages.cancel()
      cache.rest()
    case .play(let item, let source, let feed, let language, let run):
      waiting = (run, item.title, now)
      player.post(.start(run: run, source: source, language: language, isOn: true))
      // What is on the card is not fetched again.
      let isKept = item.kind == .remote && source != item.address
      kept.begin(isKept ? KeptRun.Play(item: item, feed: feed, language: language, run: run) : nil)
      if item.kind == .remote, source == item.address {
        cache.want(item, of: feed)
      } else {
        cache.rest()
        if item.kind == .remote { cache.shelf.use(item.address) }
      }
    case .player(let order):
      if case .order(.stop) = order {
        waiting = nil
        kept.begin(nil)
        cache.rest()
      }
      if case .order(let order) = order { kept.follow(order) }
      player.post(order)
    case .keep(let megabytes, let days): cache.shelf.configure(megabytes: megabytes, days: days)
    case .shutDown:
      waiting = nil
      player.post(.shutDown)
      pages.cancel()
      cache.rest()
      pool.close()
    }
  }

  /// A file that was kept cannot be played: it is fetched anew, and heard from its address meanwhile.
  private func replace(_ play: KeptRun.Play, _ reason: String, now: Instant) {
    cache.shelf.remove(play.item.address)
    tell(.remark("what was kept of \(play.item.title.shown) cannot be played, and is fetched anew: \(reason)"))
    perform(
      .play(play.item, source: play.item.address, feed: play.feed, language: play.language, run: play.run), now: now)
    if play.isPaused { player.post(.order(.pause)) }
  }

  /// What does not begin to be heard is given up.
  private func watch(_ now: Instant) -> Instant? {
    guard let (run, name, since) = waiting, player.statusRun == run else {
      return waiting.map { $0.since + Self.patience }
    }
    guard player.status.phase == .buffering else {
      waiting = nil
      return nil
    }
    guard now - since >= Self.patience else { return since + Self.patience }
    waiting = nil
    player.post(.order(.stop))
    tell(
      .report(
        .player(
          .failed(code: "not-ready", text: "\(name.shown): nothing came within 3 s. Try again, or go on."), run: run)))
    return now
  }
}
