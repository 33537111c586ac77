internal import Appliance
internal import Hardware

/// The screens of the feed.
extension SampleScreens {
  static var feeds: [SampleScreen] {
    [
      SampleScreen("feed-loading", feedState(.loading), readings()),
      SampleScreen("feed-empty", feedState(.empty), readings()),
      SampleScreen("feed-idle", feedState(), readings()),
      SampleScreen("feed-buffering", feedState(.buffering), feedReadings),
      SampleScreen("feed-muted", feedState(.playing) { $0.feed.isMuted = true }, feedReadings),
      SampleScreen(
        "feed-playing",
        feedState(.playing) {
          if let item = $0.feed.item {
            $0.feed = FeedState(
              isAvailable: true, presenter: $0.feed.presenter, play: $0.feed.play, favourites: [item.source])
          }
        }, feedReadings),
      SampleScreen("feed-paused", feedState(.playing) { $0.feed.play?.isPaused = true }, feedReadings),
      SampleScreen("feed-failed", feedState(.failed), readings()),
      SampleScreen(
        "feed-offline",
        feedState(.playing) {
          $0.notice = Notice(severity: .warning, code: "feed-offline", .feedOffline, expires: nil, device: nil)
        }, feedReadings),
    ]
  }

  /// Somebody in a feed of two items.
  static func feedState(_ activity: FeedActivity = .idle, _ change: (inout State) -> Void = { _ in }) -> State {
    state {
      $0.mode = .feed
      $0.health.hasNetwork = true
      try? $0.settings.set(["feed.sources": .text("Coast=https://coast.example/feed.json")])
      try? $0.settings.set(["feed.source": .text("https://coast.example/feed.json")])
      let items = [
        FeedItem(
          id: "1", title: "Herring gulls at dawn, Rostock harbour", kind: .remote,
          address: "https://coast.example/1.mp4", seconds: 48),
        FeedItem(id: "2", title: "Foghorn", kind: .remote, address: "https://coast.example/2.mp3"),
      ]
      var presenter = FeedPresenter()
      presenter.open(at: nil)
      let number = presenter.request?.number ?? 0
      if activity != .loading { _ = presenter.receive(FeedPage(items: activity == .empty ? [] : items), of: number) }
      var play: FeedPlay?
      if [.buffering, .playing, .failed].contains(activity) {
        play = FeedPlay(of: items[0])
        play?.isBuffering = activity != .playing
        if activity == .failed {
          play?.fault = FeedFault(
            code: "too-large", text: "coast.example/1.mp4: the server answers with something that is no sound.")
        }
      }
      $0.feed = FeedState(isAvailable: true, presenter: presenter, play: play)
      change(&$0)
    }
  }

  private static var feedReadings: Readings {
    readings {
      $0.dub.positionSeconds = 17.4
      $0.dub.durationSeconds = 48
      $0.dub.bufferSeconds = 2.1
    }
  }
}
