import Hardware
import Testing

@testable import Appliance

@Suite struct FeedTests {
  // MARK: Ways in and out

  @Test func `Taking it up loads the feed, and its first item plays without sound`() {
    var bench = Bench {
      $0.feed.isAvailable = true
      $0.health.hasSpeaker = true
    }
    bench.hold(.stop, 700)
    #expect(bench.state.modeName == "feed.loading")
    #expect(bench.effects.orders.contains(.feed(.load(source: "", page: nil, request: 1))))
    bench.send(.feed(.page(FeedPage(items: Bench.feedItems), request: 1)))
    #expect(
      bench.effects.orders == [
        .feed(.play(Bench.feedItems[0], language: "en", isMuted: true, run: 1)), .feed(.prepare(Bench.feedItems)),
      ])
    #expect(bench.state.modeName == "feed.buffering")
    bench.send(.feed(.player(.playing, run: 1)))
    #expect(bench.state.modeName == "feed.playing" && bench.state.feedStatus.isMuted)
    bench.tap(.centre)
    #expect(bench.effects.orders == [.feed(.mute(false))])
  }

  @Test func `STOP ends it, and once more leaves; what was shown comes again`() {
    var bench = Bench.feeding()
    bench.tap(.down)
    bench.tap(.stop)
    #expect(bench.effects.orders == [.feed(.stop)])
    #expect(bench.state.modeName == "feed.idle" && bench.state.feed.item == Bench.feedItems[1])
    bench.tap(.stop)
    #expect(bench.state.modeName == "dictaphone.idle")
    #expect(bench.effects.orders.contains(.feed(.close)))
    bench.send(.command(.take(.feed)))
    bench.send(.feed(.page(FeedPage(items: Bench.feedItems), request: bench.request)))
    #expect(bench.state.feed.item == Bench.feedItems[1])
  }

  @Test(arguments: [Activity.recording, .paused, .saving])
  func `A take that is open keeps the feed out`(activity: Activity) {
    var bench = Bench.doing(activity)
    var state = bench.state
    state.feed.isAvailable = true
    bench.machine = Machine(state: state)
    for command in [Command.take(.feed), .openFeed(source: nil)] {
      bench.send(.command(command))
      #expect(bench.effects.ignored == [.busy(activity == .saving ? "saving" : "recording")])
      #expect(bench.effects.orders.isEmpty)
    }
  }

  // MARK: Keys

  @Test func `While it plays the keys are those of the contract`() {
    var bench = Bench.feeding()
    #expect(bench.tap(.centre).orders == [.feed(.pause)])
    #expect(bench.tap(.centre).orders == [.feed(.resume)])
    #expect(bench.tap(.left).orders == [.feed(.seek(by: -10))])
    #expect(bench.tap(.right).orders == [.feed(.seek(by: 10))])
    bench.hold(.right, 900)
    #expect(bench.effects.orders == [.feed(.scrub(direction: 1)), .feed(.scrub(direction: 0))])
    let run = bench.state.feed.run
    bench.tap(.down)
    let wanted = [Bench.feedItems[1], Bench.feedItems[2], Bench.feedItems[0]]
    #expect(
      bench.effects.orders == [
        .feed(.play(Bench.feedItems[1], language: "en", isMuted: false, run: run + 1)), .feed(.prepare(wanted)),
      ])
    bench.tap(.down)
    #expect(bench.tap(.down).ignored == [.atLimit])
    #expect(bench.state.feed.item == Bench.feedItems[2])
    bench.tap(.up)
    bench.tap(.up)
    // At the top UP loads anew.
    bench.tap(.up)
    #expect(bench.effects.orders == [.feed(.load(source: "", page: nil, request: bench.request))])
    bench.hold(.down, 700)
    #expect(bench.state.feed.isFavourite)
    #expect(bench.state.keyGuide.contains { $0.text == "hold DOWN: favourite, or not" })
    bench.hold(.centre, 700)
    #expect(bench.state.screen == .options)
    #expect(bench.state.options.row == .setting(\.dubLanguage))
  }

  @Test func `Favourites of long addresses stay few enough to be kept`() {
    var bench = Bench.feeding()
    let long = (0..<70).map { "http://h/\($0)?" + String(repeating: "s", count: 4000) }
    bench.send(.feed(.favourites(long)))
    bench.hold(.down, 700)
    #expect(bench.effects.ignored.contains(.atLimit) && !bench.state.feed.isFavourite)
  }

  @Test func `REC ends what plays and starts a take from its press`() {
    for activity in FeedActivity.allCases {
      var bench = Bench.feeding(activity) { $0.health.hasMicrophone = true }
      let pressed = bench.now
      bench.tap(.rec)
      #expect(bench.effects.orders.contains(.recorder(.start(at: pressed))), "\(activity)")
      #expect(bench.state.modeName == "dictaphone.recording" && !bench.state.feed.isBusy)
    }
    var bench = Bench.feeding { $0.health.hasMicrophone = false }
    #expect(bench.tap(.rec).ignored == [.deviceMissing(.microphone)])
    #expect(bench.state.modeName == "feed.playing")
  }

  @Test func `Every tap of every key in every state either does something or says why not`() {
    for activity in FeedActivity.allCases {
      for screen in Screen.allCases {
        for key in Button.allCases {
          var bench = Bench.feeding(activity, screen: screen)
          let before = bench.state
          bench.tap(key)
          #expect(!bench.effects.isEmpty || bench.state != before, "\(activity) \(screen) \(key)")
        }
      }
    }
  }

  // MARK: What goes wrong

  @Test func `What cannot be played is a card; CENTRE tries again, and DOWN goes on`() {
    var bench = Bench.feeding(.buffering)
    bench.send(.feed(.player(.failed(code: "http-404", text: "gone"), run: bench.state.feed.run)))
    #expect(bench.state.modeName == "feed.failed" && bench.state.feed.fault?.code == "http-404")
    #expect(bench.effects.orders == [.feed(.stop)])
    // What is told of it afterwards is late.
    bench.send(.feed(.player(.playing, run: bench.state.feed.run)))
    #expect(bench.state.modeName == "feed.failed")
    bench.tap(.centre)
    #expect(bench.state.modeName == "feed.buffering")
    bench.send(.feed(.player(.failed(code: "x", text: "x"), run: bench.state.feed.run)))
    bench.tap(.down)
    #expect(bench.state.modeName == "feed.buffering" && bench.state.feed.item == Bench.feedItems[1])
  }

  @Test func `A feed that cannot be had is a card, and CENTRE loads it`() {
    var bench = Bench.feeding(.loading)
    bench.send(.feed(.pageFailed(FeedFault(code: "http-500", text: "broken"), request: bench.request)))
    #expect(bench.state.modeName == "feed.failed")
    bench.tap(.centre)
    #expect(bench.state.modeName == "feed.loading")
    bench.send(.feed(.page(FeedPage(items: []), request: bench.request)))
    #expect(bench.state.modeName == "feed.empty")
  }

  @Test func `A page that fails hides neither the card of an item nor is hidden before there is one`() {
    let broken = FeedFault(code: "http-500", text: "broken")
    for isPageFirst in [true, false] {
      var bench = Bench.feeding(.loading)
      let first = FeedPage(items: [Bench.feedItems[0]], next: "http://a.example/2")
      bench.send(.feed(.page(first, request: bench.request)))
      let page = FeedReport.pageFailed(broken, request: bench.request)
      let run = bench.state.feed.run
      let item = FeedReport.player(.failed(code: "http-404", text: "gone"), run: run)
      bench.send(.feed(isPageFirst ? page : item))
      #expect(bench.state.notice?.code == (isPageFirst ? "http-500" : nil))
      bench.send(.feed(isPageFirst ? item : page))
      #expect(bench.state.notice == nil && bench.state.feed.fault?.code == "http-404", "\(isPageFirst)")
      #expect(bench.state.modeName == "feed.failed")
      // The page's fault is known all the same, and going on asks for it again.
      bench.tap(.down)
      #expect(bench.effects.orders.contains { if case .feed(.load) = $0 { true } else { false } })
    }
  }

  @Test func `What begins by itself does not close the options`() {
    var bench = Bench.feeding(.loading)
    bench.hold(.centre, 700)
    bench.send(.feed(.page(FeedPage(items: Bench.feedItems), request: bench.request)))
    #expect(bench.state.screen == .options && bench.state.modeName == "feed.buffering")
    bench.send(.feed(.player(.playing, run: bench.state.feed.run)))
    bench.send(.feed(.player(.ended, run: bench.state.feed.run)))
    #expect(bench.state.screen == .options && bench.state.modeName == "feed.buffering")
    bench.tap(.stop)
    #expect(bench.state.screen == .main && bench.state.feed.isBusy)
  }

  @Test func `Without a network what was kept plays, and that is said once`() {
    var bench = Bench.feeding(.loading)
    bench.send(.feed(.page(FeedPage(items: Bench.feedItems, isOffline: true), request: bench.request)))
    #expect(bench.state.notice?.code == "feed-offline" && bench.state.feedStatus.isOffline)
    #expect(bench.state.modeName == "feed.buffering")
  }

  @Test func `What ends is begun again, but not what was never heard`() {
    var bench = Bench.feeding()
    let run = bench.state.feed.run
    bench.send(.feed(.player(.ended, run: run)))
    #expect(
      bench.effects.orders.first == .feed(.play(Bench.feedItems[0], language: "en", isMuted: false, run: run + 1)))
    bench.send(.feed(.player(.ended, run: run + 1)))
    #expect(bench.state.feed.fault?.code == "feed-silent")
  }

  @Test func `Another feed is a row of the options`() {
    var bench = Bench.feeding {
      try? $0.settings.set("feed.sources", to: .text("News=http://a.example/feed.json"))
    }
    bench.hold(.centre, 700)
    bench.tap(.down)
    bench.tap(.right)
    #expect(bench.state.settings.feedSource == "http://a.example/feed.json")
    #expect(bench.state.screen == .options)
    #expect(
      bench.effects.orders.contains(
        .feed(.load(source: "http://a.example/feed.json", page: nil, request: bench.request))))
    #expect(bench.state.words(of: bench.state.options.row).english == "News")
    #expect(bench.tap(.right).ignored == [.atLimit])
  }

  @Test func `The console names a feed by name, place or address`() {
    for (name, address) in [
      ("local", ""), ("1", ""), ("news", "http://a.example/feed.json"), ("2", "http://a.example/feed.json"),
      ("https://b.example/x", "https://b.example/x"),
    ] {
      var bench = Bench.feeding { try? $0.settings.set("feed.sources", to: .text("News=http://a.example/feed.json")) }
      bench.send(.command(.openFeed(source: name)))
      #expect(bench.state.settings.feedSource == address, "\(name)")
    }
    var bench = Bench.feeding()
    for name in ["nothing", "0", "99", "ftp://x", "file:///etc/passwd"] {
      bench.send(.command(.openFeed(source: name)))
      #expect(bench.effects.ignored == [.nothingLoaded], "\(name)")
    }
  }
}

extension Bench {
  static let feedItems = (1...3).map {
    FeedItem(id: "i\($0)", title: "Item \($0)", kind: .remote, address: "http://a.example/\($0).mp4")
  }

  /// The number of the page that is waited for.
  var request: Int { machine.state.feed.presenter.request?.number ?? -1 }

  /// A healthy device in the feed, doing something there.
  static func feeding(
    _ activity: FeedActivity = .playing, screen: Screen = .main, _ change: (inout State) -> Void = { _ in }
  ) -> Bench {
    Bench { state in
      state.mode = .feed
      state.screen = screen
      state.health.hasNetwork = true
      state.health.hasSpeaker = true
      var presenter = FeedPresenter()
      presenter.open(at: nil)
      let number = presenter.request?.number ?? 0
      switch activity {
      case .loading: break
      case .empty: _ = presenter.receive(FeedPage(items: []), of: number)
      case .idle, .buffering, .playing, .failed: _ = presenter.receive(FeedPage(items: feedItems), of: number)
      }
      var play: FeedPlay?
      if [.buffering, .playing, .failed].contains(activity) {
        play = FeedPlay(of: feedItems[0])
        play?.isBuffering = activity != .playing
        play?.hasPlayed = activity == .playing
        if activity == .failed { play?.fault = FeedFault(code: "http-404", text: "It is not there.") }
      }
      state.feed = FeedState(isAvailable: true, presenter: presenter, run: 7, play: play)
      change(&state)
    }
  }
}
