internal import Appliance
internal import Dubbing
internal import Hardware
internal import Panel

/// What the control lane keeps of the feed: what is told to the dubbing lane, and what screens and consoles are shown.
/// Control lane only.
final class FeedContext {
  let worker: FeedWorker
  let shelf: FeedShelf
  private let dub: DubContext
  private let storage: any Storage

  init(worker: FeedWorker, shelf: FeedShelf, dub: DubContext, storage: any Storage) {
    self.worker = worker
    self.shelf = shelf
    self.dub = dub
    self.storage = storage
  }

  /// The file or address that an item is played from: what was kept is taken from the card.
  func source(of item: FeedItem) -> String {
    switch item.kind {
    case .remote: shelf.path(of: item.address) ?? item.address
    case .clip: storage.absolutePath("clips/\(item.id)")
    case .take: storage.absolutePath("recordings/\(item.id)")
    }
  }

  /// The player's settings; muted it plays as it would, at no volume.
  func settings(_ settings: Settings, isMuted: Bool) -> Dubbing.DubSettings {
    var player = dub.settings(settings)
    if isMuted { (player.originalVolume, player.dubVolume) = (0, 0) }
    return player
  }

  /// Where it is, in seconds of the item; its length and what is ready.
  func place(run: Int) -> FeedPlace? {
    let status = worker.status
    guard worker.statusRun == run, status.phase != .idle else { return nil }
    // It goes round: the player counts on.
    let frame = status.length.map { $0 > 0 ? status.frame % $0 : status.frame } ?? status.frame
    return FeedPlace(
      seconds: Double(max(0, frame)) / 48_000, length: status.length.map { Double($0) / 48_000 },
      buffered: status.bufferedSeconds, isLive: status.isLive, startMilliseconds: status.startMilliseconds,
      longestGapMilliseconds: status.longestGapMilliseconds)
  }

  /// What the screens show.
  func fill(_ readings: inout Readings, state: State) {
    readings.dub = DubReadings()
    guard let place = place(run: state.feed.run) else { return }
    readings.dub.positionSeconds = place.seconds
    readings.dub.durationSeconds = place.length
    readings.dub.isLive = place.isLive
    readings.dub.bufferSeconds = place.buffered
    dub.fillPreview(&readings)
  }
}

/// Where an item is.
struct FeedPlace {
  var seconds: Double
  var length: Double?
  var buffered: Double
  var isLive: Bool
  var startMilliseconds: Int?
  var longestGapMilliseconds: Double
}
