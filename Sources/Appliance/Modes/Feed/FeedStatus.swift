/// What the world is told of the feed with every change.
public struct FeedStatus: Hashable, Sendable {
  public var activity: FeedActivity
  public var isPaused: Bool
  public var isMuted: Bool
  /// Address of the feed; empty for clips and takes.
  public var source: String
  public var item: FeedItem?
  /// Where what is heard comes from; the original while nothing plays.
  public var rung: HeardRung
  /// Place of the item counted from 1; 0 where that is not known.
  public var place: Int
  public var isFavourite: Bool
  public var isOffline: Bool
  public var fault: FeedFault?
}

extension State {
  /// What is told of the feed.
  public var feedStatus: FeedStatus {
    FeedStatus(
      activity: feed.activity, isPaused: feed.isPaused, isMuted: feed.isMuted && feed.isBusy,
      source: settings.feedSource, item: feed.item,
      rung: feed.activity == .playing ? feed.play?.rung ?? .original : .original, place: feed.presenter.place,
      isFavourite: feed.isFavourite,
      isOffline: feed.presenter.isOffline, fault: feed.fault)
  }
}
