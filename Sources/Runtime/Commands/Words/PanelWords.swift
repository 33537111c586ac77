internal import Appliance
internal import Console
internal import Hardware

extension Words {
  private struct Key: ParameterSet {
    let button: Button

    init(_ given: inout Given) throws(CommandFailure) { button = try given.value("button", .choice(.rec), "the key") }
  }

  private struct HeldKey: ParameterSet {
    let button: Button
    let seconds: Double

    init(_ given: inout Given) throws(CommandFailure) {
      button = try Key(&given).button
      seconds = try given.value("seconds", .number(0.001...60), default: 1, "how long; unlocking takes 2")
    }
  }

  private struct ModeWord: ParameterSet {
    let mode: PanelMode.Place?

    init(_ given: inout Given) throws(CommandFailure) {
      mode = try given.optional("mode", .choice(.dictaphone), "the new mode")
    }
  }

  static let panel: [Word<CommandContext>] = [
    Word("press", "presses a key shortly", methods: [PanelPress.self]) { (key: Key, call: Call) in
      call.show(PanelPress.self, PanelPress.Parameters(button: key.button, milliseconds: 100))
    },
    Word("hold", "holds a key down", methods: [PanelPress.self]) { (key: HeldKey, call: Call) in
      let milliseconds = max(1, Int((key.seconds * 1000).rounded()))
      call.show(PanelPress.self, PanelPress.Parameters(button: key.button, milliseconds: milliseconds))
    },
    Word("mode", "shows or changes the mode", methods: [PanelMode.self, PanelState.self]) {
      (wanted: ModeWord, call: Call) in
      guard let mode = wanted.mode else {
        return call.show(PanelState.self, NoParameters()) { panel, _ in [panel.mode] }
      }
      call.show(PanelMode.self, PanelMode.Parameters(mode: mode)) { panel, _ in [panel.mode] }
    },
  ]

  static let sound: [Word<CommandContext>] = [
    Word(
      "rec", "starts a take, or goes on with the paused one",
      methods: [RecorderStatus.self, RecorderStart.self, RecorderResume.self]
    ) { (_: NoParameters, call: Call) in
      call.call(RecorderStatus.self, NoParameters()) { recorder in
        if recorder.activity == Activity.paused.rawValue {
          call.show(RecorderResume.self, NoParameters())
        } else {
          call.show(RecorderStart.self, NoParameters())
        }
      }
    },
    Word(
      "pause", "pauses the take or the player",
      methods: [PlayerStatus.self, RecorderPause.self, PlayerPause.self]
    ) { (_: NoParameters, call: Call) in
      call.call(PlayerStatus.self, NoParameters()) { player in
        if player.state == .playing {
          call.show(PlayerPause.self, NoParameters())
        } else {
          call.show(RecorderPause.self, NoParameters())
        }
      }
    },
    Word("resume", "goes on with the paused take, or with what is played", calls: RecorderResume.self),
    Word(
      "stop", "ends and saves the take, or stops the player",
      methods: [PlayerStatus.self, RecorderStop.self, PlayerStop.self]
    ) { (_: NoParameters, call: Call) in
      call.call(PlayerStatus.self, NoParameters()) { player in
        if player.state == .stopped {
          call.show(RecorderStop.self, NoParameters())
        } else {
          call.show(PlayerStop.self, NoParameters())
        }
      }
    },
    Word("play", "plays a take, or goes on playing", calls: PlayerPlay.self),
    Word("seek", "moves forward or back in the take that plays", calls: PlayerSeek.self),
    Word("skip", "goes to the next or the previous mark", calls: PlayerSkip.self),
    Word("loop", "repeats what lies between two places of the take, in seconds", calls: PlayerLoop.self),
    Word("mark", "puts a mark where the take, or the player, is now", calls: RecorderMark.self),
  ]
}
