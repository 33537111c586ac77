internal import Appliance
internal import Console
internal import Hardware

extension CommandContext {
  /// What is known of the feed.
  ///
  /// - Throws: that the board has no memory or no speaker for it.
  var browsing: FeedContext {
    get throws(CommandFailure) {
      guard let feed else { throw failure(.notOnBoard(.network)) }
      return feed
    }
  }

  fileprivate func orderFeed(_ command: Command) throws(CommandFailure) -> FeedNow.Answer {
    _ = try browsing
    try order(command, only: .feed)
    return try FeedNow.answer(NoParameters(), in: self)
  }
}

enum FeedNow: DeviceMethod {
  static let row = MethodRow(
    "feed.status", "tells what the feed shows, and how it plays", .viewer,
    discussion: "onFeedChanged carries what changes by an event.")

  struct Answer: WireObject {
    let status: FeedStatus
    let place: FeedPlace?
    let cachedBytes: Int

    static let fields: [Field<Self>] =
      FeedStatus.fields.map { $0.of(\.status) } + [
        Field(
          "positionSeconds", { $0.place.map { Self.rounded($0.seconds) } }, "where the item is; null if none plays"),
        Field("lengthSeconds", { $0.place?.length.map(Self.rounded) }, "how long it is; null if that is not known"),
        Field("buffered", { $0.place.map { Self.rounded($0.buffered) } }, "seconds that are ready to be heard"),
        Field("startMs", { $0.place?.startMilliseconds }, "from the press to the first sound; null before it"),
        Field(
          "longestGapMs", { $0.place.map { Self.rounded($0.longestGapMilliseconds) } },
          "longest silence of the speaker's making"),
        Field("cachedBytes", \.cachedBytes, "bytes that are kept for when there is no network"),
      ]

    /// To the thousandth: people read them, too.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let feed = try device.browsing
    let state = device.state
    return Answer(status: state.feedStatus, place: feed.place(run: state.feed.run), cachedBytes: feed.shelf.bytes)
  }
}

enum FeedOpen: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow(
    "feed.open", "opens a feed, and plays its items one after the other", .operator,
    discussion: "Takes up the mode feed by itself. Not while a take is being recorded or a clip being kept.")

  struct Parameters {
    var source: String?
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    _ = try device.browsing
    let settings = device.state.settings
    var address = settings.feedSource
    if let name = wanted.source {
      guard let named = FeedSources(settings).address(named: name) else {
        throw CommandFailure(.notFound, "There is no such feed: see feed.sources.")
      }
      address = named
    }
    let storage = device.storage.status
    // What is armed is not left for nothing.
    if address.isEmpty, storage.isListed, storage.takes + storage.clips == 0 {
      throw CommandFailure(.notFound, "There is neither a clip nor a take yet.")
    }
    try device.order(.openFeed(source: wanted.source))
    return try FeedNow.answer(NoParameters(), in: device)
  }
}

extension FeedOpen.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    source = try given.optional(
      "source", .source,
      "local for clips and takes, a name or a place in feed.sources, or an http(s) address; the last one without it")
  }
}

enum FeedNext: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.next", "plays the next item", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.stepFeed(1))
  }
}

enum FeedPrevious: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.previous", "plays the item before", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.stepFeed(-1))
  }
}

enum FeedRefresh: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.refresh", "loads the feed anew from its first page", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.refreshFeed)
  }
}

enum FeedFavourite: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.favourite", "makes the item that is shown a favourite, or no longer", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.likeItem)
  }
}

enum FeedMute: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.mute", "plays on without being heard, or is heard again", .operator)

  struct Parameters {
    let isOn: Bool
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.muteFeed(wanted.isOn))
  }
}

extension FeedMute.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    isOn = try given.value("on", .flag, default: true, "false: it is heard")
  }
}

enum FeedPause: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.pause", "stops the item for a while", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.pause)
  }
}

enum FeedResume: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.resume", "goes on, plays what is shown, or tries again what failed", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.play(id: nil))
  }
}

enum FeedSeek: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.seek", "moves forward or back in the item", .operator)

  struct Parameters: ParameterSet {
    let seconds: Double

    init(_ given: inout Given) throws(CommandFailure) {
      seconds = try given.value("seconds", .number(-86_400...86_400), "by how much; negative: back")
    }
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.seek(seconds: wanted.seconds))
  }
}

enum FeedStop: DeviceMethod {
  typealias Answer = FeedNow.Answer

  static let row = MethodRow("feed.stop", "ends the item", .operator)

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> FeedNow.Answer {
    try device.orderFeed(.stop)
  }
}
