internal import Appliance
internal import Board
internal import Budget
internal import Dubbing
internal import Hardware
internal import Streaming
internal import Threads

/// Puts the feed together: it plays by what dubbed playback has, with players beside that are filled beforehand.
struct FeedMaker {
  private let ground: Ground

  init(_ ground: Ground) { self.ground = ground }

  /// What a player that waits holds: a segment, two seconds of sound in stereo, and pictures.
  private static let playerBytes = 1_500_000 + 2 * 48_000 * 8 + pictureBytes
  private static let pictureBytes = 256 << 10

  /// `nil` on a board that has no dubbed playback.
  func make(_ settings: Settings, dub: DubContext?, _ maker: DubMaker) -> FeedContext? {
    guard let dub else { return nil }
    let wake = ground.lanes.waker(of: .dubbing)
    let inbox = ground.inbox
    let tell: @Sendable (FeedTelling) -> Void = { inbox.post(.feed($0)) }
    let root = ground.hardware.storage.root
    let network = dub.network
    let shelf = FeedShelf(
      folder: "\(root)/cache/feed", clock: ground.clock, megabytes: settings.feedCacheMB, days: settings.feedCacheDays)
    let cache = FeedCache(shelf, network: network, wake: wake)
    let pictures = dub.pictures
    let decoders = Decoders(ground)
    let pool = FeedPool(most: 1 + waitingPlayers, wake: wake) { source, wake in
      pictures?.look()
      return ProgrammeOpener.open(
        source, network: network,
        options: HLSOptions(
          segments: 1, pictures: pictures?.isWanted ?? false, pictureBytes: Self.pictureBytes,
          mostLines: maker.linesOfPictures(pictures)),
        decoders: decoders, wake: wake)
    }
    let kept = KeptRun()
    let player = DubWorker(
      settings: dub.settings(settings), wake: wake,
      tell: { telling in
        switch telling {
        case .report(let report, let run):
          if kept.passes(report, run: run) { tell(.report(.player(report, run: run))) }
        case .remark(let text): tell(.remark(text))
        case .figures, .sources, .screen, .missing: break
        }
      },
      makeEngine: maker.engine(network, speech: dub.speech, pictures: pictures, wake: wake) { source, _, _ in
        pool.take(source)
      })
    let pages = FeedPages(network: network, cache: cache, wake: wake) { tell(.report($0)) }
    let worker = FeedWorker(
      player: player, pool: pool, pages: pages, cache: cache, kept: kept, wake: wake, tell: tell)
    return FeedContext(worker: worker, shelf: shelf, dub: dub, storage: ground.hardware.storage)
  }

  /// As many as the board's memory for dubs still has room for: two, or one, or none.
  private var waitingPlayers: Int {
    for count in [FeedPresenter.players - 1, 1] {
      if (try? ground.ledger.register(.dubbing, "feed", bytes: count * Self.playerBytes)) != nil { return count }
    }
    return 0
  }
}
