internal import Console

extension Words {
  private enum FeedAction: String, CaseIterable {
    case open
    case next
    case previous
    case status
    case pause
    case resume
    case stop
    case mute
    case sound
    case refresh
    case favourite
  }

  private struct FeedWord: ParameterSet {
    let action: FeedAction
    /// The rest of the line.
    let words: [String]

    init(_ given: inout Given) throws(CommandFailure) {
      action = try given.value("action", .choice(.status), default: .status, "what is done")
      let rest = try given.optional("source", .source, "of open: name, place or address of a feed")
      words = (rest ?? "").split(separator: " ").map(String.init)
    }
  }

  static let feed: [Word<CommandContext>] = [
    Word(
      "feed", "browses clips, takes, or a feed from elsewhere",
      discussion: "feed open [SOURCE] opens local or what feed.sources names; feed next and feed previous go on; "
        + "feed mute and feed sound; feed favourite marks what is shown; feed refresh loads it anew.",
      methods: [
        FeedOpen.self, FeedNext.self, FeedPrevious.self, FeedNow.self, FeedPause.self, FeedResume.self, FeedStop.self,
        FeedMute.self, FeedRefresh.self, FeedFavourite.self,
      ]
    ) { (word: FeedWord, call: Call) in
      switch word.action {
      case .open:
        call.show(
          FeedOpen.self, FeedOpen.Parameters(source: word.words.isEmpty ? nil : word.words.joined(separator: " "))
        ) { PeopleText.tree($0.json, $1) }
      case .next: call.show(FeedNext.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .previous: call.show(FeedPrevious.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .status: call.show(FeedNow.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .pause: call.show(FeedPause.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .resume: call.show(FeedResume.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .stop: call.show(FeedStop.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .mute, .sound:
        call.show(FeedMute.self, FeedMute.Parameters(isOn: word.action == .mute)) { PeopleText.tree($0.json, $1) }
      case .refresh: call.show(FeedRefresh.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .favourite: call.show(FeedFavourite.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      }
    }
  ]
}
