internal import Appliance
internal import Console
internal import Hardware
internal import Sound

extension Words {
  private struct SessionWord: ParameterSet {
    let name: SessionChoice?

    init(_ given: inout Given) throws(CommandFailure) {
      name = try given.optional("strategy", .choice(SessionChoice.board), "another one; shows the formats without it")
    }
  }

  private struct TalkBackWord: ParameterSet {
    let isOn: Bool?

    init(_ given: inout Given) throws(CommandFailure) {
      isOn = try given.optional("on", .flag, "whether it is heard; only told without it")
    }
  }

  static let sessions: [Word<CommandContext>] = [
    Word(
      "session", "shows which sound formats are requested, granted, delivered, or changes how that is settled",
      discussion: "For example: session locked.", methods: [SessionStatusMethod.self, SessionStrategyMethod.self]
    ) { (word: SessionWord, call: Call) in
      guard let name = word.name else {
        return call.show(SessionStatusMethod.self, NoParameters()) { status, _ in SessionText.lines(status) }
      }
      call.show(SessionStrategyMethod.self, SessionStrategyMethod.Parameters(name: name)) { answer, _ in
        ["session.strategy is \(answer.choice.rawValue)"]
      }
    },
    Word(
      "talkback", "has the microphone be heard on the speaker at once: talkback on, talkback off",
      methods: [SettingsGet.self, SessionTalkBack.self]
    ) { (word: TalkBackWord, call: Call) in
      guard let isOn = word.isOn else {
        return call.show(SettingsGet.self, SettingsGet.Parameters(key: "session.talkBack"), SettingsText.values)
      }
      call.show(SessionTalkBack.self, SessionTalkBack.Parameters(isOn: isOn)) { _, _ in
        ["talk-back is \(isOn ? "on" : "off")"]
      }
    },
  ]
}

/// Formats, as people read them.
enum SessionText {
  static func lines(_ status: SessionStatus) -> [String] {
    let session = AudioSessions.session(status.strategy, forcedRate: status.rate)
    return ["\(status.strategy.rawValue): \(session.description)"]
      + [("microphone", status.capture), ("speaker", status.playback)].map { name, state in
        PeopleText.pad(name, 12) + state.description
      } + status.clients.map { PeopleText.pad("client", 12) + $0.text }
  }
}
