/// What can happen to the feed: what a key or a word asks for, and what is reported of pages and players.
enum FeedEvent: Hashable, Sendable {
  /// Opens a feed: its address, or its name or place in the list; `nil`: the one that is set.
  case open(String?)
  /// Plays what is shown, or tries again what failed.
  case start
  /// Goes to the item before (−1) or behind (+1).
  case step(Int)
  /// Loads the feed anew.
  case refresh
  case stop
  /// Back to the dictaphone.
  case leave
  case pause
  case resume
  case unmute
  case seek(by: Double)
  /// Steps back (−1) or forward (+1) as long as the key is held.
  case scrub(Int)
  case toggleFavourite
  /// Ends the playing and starts a take.
  case record
  case report(FeedReport)
}

/// What is reported of a feed.
public enum FeedReport: Hashable, Sendable {
  /// A page that was asked for with this number.
  case page(FeedPage, request: Int)
  case pageFailed(FeedFault, request: Int)
  /// Of the player, about what was started with this number.
  case player(DubReport, run: Int)
  /// Items that somebody likes, by what they are played from.
  case favourites([String])
  /// The item that was shown when the device was last on.
  case remembered(item: String)
}

/// What the feed is told.
public enum FeedOrder: Hashable, Sendable {
  /// Loads a page of a feed; `source` empty: clips and takes; `page` `nil`: the first one.
  case load(source: String, page: String?, request: Int)
  /// Has players ready for these, the most urgent first, and gives all others back.
  case prepare([FeedItem])
  /// Plays an item from its beginning, over and over. Answered by reports with this number.
  case play(FeedItem, language: String, isMuted: Bool, run: Int)
  case stop
  /// The feed is left: nothing plays, waits or is fetched any more.
  case close
  case pause
  case resume
  case mute(Bool)
  case seek(by: Double)
  /// Steps back (−1) or forward (+1) as long as the key is held, until 0.
  case scrub(direction: Int)
  case language(String)
}

/// What the feed is doing. The raw value follows `feed.` in the mode's name.
public enum FeedActivity: String, Hashable, Sendable, CaseIterable {
  /// Nothing plays: CENTRE starts what is shown.
  case idle
  /// The first page is on its way.
  case loading
  /// The feed has no items.
  case empty
  /// An item is shown, and nothing of it can be heard yet, or not at the moment.
  case buffering
  case playing
  /// The feed, or the item that is shown, cannot be had: CENTRE tries again.
  case failed
}
