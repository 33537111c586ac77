internal import Appliance
internal import Console
internal import Hardware

extension Words {
  private enum ClipAction: String, CaseIterable {
    case keep
    case end
    case picture
    case status
    case list
    case continuous
  }

  private struct ClipWord: ParameterSet {
    let action: ClipAction

    init(_ given: inout Given) throws(CommandFailure) {
      action = try given.value("action", .choice(.keep), default: .keep, "what to do")
    }
  }

  static let clips: [Word<CommandContext>] = [
    Word(
      "clip", "keeps a clip; or ends it, keeps a picture, tells how things stand, lists",
      discussion: "More is done by the methods: clips.receipt ID, clips.protect ID, clips.trim ID 1.5 4, "
        + "clips.concat ID ID. The mode has to be clips: mode clips.",
      methods: [
        ClipsTrigger.self, ClipsEndPostRoll.self, ClipsSnapshot.self, ClipsStatus.self, ClipsList.self,
        ClipsContinuous.self,
      ]
    ) { (word: ClipWord, call: Call) in
      switch word.action {
      // The number that a program gets counts the run's clips: it is no name, and `play 1` may be another.
      case .keep: call.show(ClipsTrigger.self, ClipsTrigger.Parameters()) { _, _ in ["ok"] }
      case .end: call.show(ClipsEndPostRoll.self, NoParameters())
      case .picture: call.show(ClipsSnapshot.self, NoParameters())
      case .status: call.show(ClipsStatus.self, NoParameters()) { PeopleText.tree($0.json, $1) }
      case .list: call.show(ClipsList.self, ClipsList.Parameters(), LibraryText.clips)
      case .continuous: call.show(ClipsContinuous.self, NoParameters())
      }
    }
  ]

  private enum DubAction: String, CaseIterable {
    case start
    case stop
    case pause
    case resume
    case status
    case list
    case language
    case volume
    case on
    case off
    case receipt
  }

  private struct DubWord: ParameterSet {
    let action: DubAction
    /// The rest of the line.
    let rest: String?
    var words: [String] { (rest ?? "").split(separator: " ").map(String.init) }

    init(_ given: inout Given) throws(CommandFailure) {
      action = try given.value("action", .choice(.status), default: .status, "what to do")
      rest = try given.optional(
        "what", .source, "of start, language, volume and receipt: see below")
    }

    /// The source with a language behind it: names may have blanks in them, addresses and languages have none.
    var spoken: DubStart.Parameters? {
      guard let rest, let blank = rest.lastIndex(of: " ") else { return nil }
      let last = String(rest[rest.index(after: blank)...])
      return Languages.isTag(last) ? DubStart.Parameters(source: String(rest[..<blank]), language: last) : nil
    }

    /// One or two numbers.
    func volume() throws(CommandFailure) -> DubVolume.Parameters {
      let numbers = words.map { Int($0) }
      guard numbers.count <= 2, numbers.allSatisfy({ $0.map { (-40...0).contains($0) } ?? false }) else {
        throw CommandFailure(.badArgument, "dub volume takes two integers from -40 to 0, such as dub volume -20 0")
      }
      return DubVolume.Parameters(original: numbers.first ?? nil, dub: numbers.dropFirst().first ?? nil)
    }

    func language() throws(CommandFailure) -> DubLanguage.Parameters {
      guard let language = words.first else { return DubLanguage.Parameters() }
      guard words.count == 1, Languages.isTag(language) else {
        throw CommandFailure(.badArgument, "dub language takes a language tag such as es or pt-BR")
      }
      return DubLanguage.Parameters(language: language)
    }
  }

  static let dubbing: [Word<CommandContext>] = [
    Word(
      "dub", "plays something with its sound in another language",
      discussion:
        "dub start [SOURCE [LANGUAGE]] plays; dub list shows what there is; dub language LANGUAGE changes the "
        + "language; dub volume ORIGINAL DUB sets both in dB; dub on and dub off switch between dub and original; "
        + "dub receipt [NAME] tells how the last one was dubbed.",
      methods: [
        DubStart.self, DubStop.self, DubPause.self, DubResume.self, DubNow.self, DubSources.self, DubLanguage.self,
        DubVolume.self, DubEnable.self, DubReceipt.self,
      ]
    ) { (word: DubWord, call: Call) in
      do throws(CommandFailure) { try dub(word, call) } catch { call.fail(error) }
    }
  ]

  private static func dub(_ word: DubWord, _ call: Call) throws(CommandFailure) {
    switch word.action {
    case .start:
      let whole = DubStart.Parameters(source: word.rest)
      guard let spoken = word.spoken else { return call.show(DubStart.self, whole) }
      call.ask(DubStart.self, spoken) { answer in
        switch answer {
        case .success(let answer): call.show(PeopleText.outcome(answer.json, call.width))
        // The last word may be of the name, too: "Interview one".
        case .failure(let failure) where failure.code == .notFound: call.show(DubStart.self, whole)
        case .failure(let failure): call.fail(failure)
        }
      }
    case .stop: call.show(DubStop.self, NoParameters())
    case .pause: call.show(DubPause.self, NoParameters())
    case .resume: call.show(DubResume.self, NoParameters())
    case .status: call.show(DubNow.self, NoParameters()) { PeopleText.tree($0.json, $1) }
    case .list: call.show(DubSources.self, NoParameters()) { sources($0.sources, width: $1) }
    case .language: call.show(DubLanguage.self, try word.language()) { PeopleText.tree($0.json, $1) }
    case .volume: call.show(DubVolume.self, try word.volume()) { PeopleText.tree($0.json, $1) }
    case .receipt:
      call.show(DubReceipt.self, DubReceipt.Parameters(id: word.words.first)) { PeopleText.tree($0.json, $1) }
    case .on, .off:
      call.show(DubEnable.self, DubEnable.Parameters(isOn: word.action == .on)) { PeopleText.tree($0.json, $1) }
    }
  }

  private static func sources(_ sources: [DubSource], width: Int) -> [String] {
    guard !sources.isEmpty else { return ["nothing to play: set dub.sources, or make a clip"] }
    let table = PeopleTable<(offset: Int, element: DubSource)>([
      .init("", alignsRight: true) { String($0.offset + 1) }, .init("name", cell: \.element.name),
      .init("kind", cell: \.element.kind.rawValue), .init("source", shrinks: true, cell: \.element.publicID),
    ])
    return table.lines(Array(sources.enumerated()), width: width)
  }
}
