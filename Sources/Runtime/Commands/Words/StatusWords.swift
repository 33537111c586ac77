internal import Appliance
internal import Console
internal import Hardware
internal import Sound

/// The words for people, in the order of help.
enum Words {
  typealias Call = WordCall<CommandContext>

  static let all = [state, panel, sound, takes, clips, dubbing, feed, sessions, device, operators].flatMap(\.self)

  static let state: [Word<CommandContext>] = [
    Word(
      "status", "shows what the device is doing",
      methods: [PanelState.self, RecorderStatus.self, PlayerStatus.self]
    ) { (_: NoParameters, call: Call) in
      call.call(PanelState.self, NoParameters()) { panel in
        call.call(RecorderStatus.self, NoParameters()) { recorder in
          call.call(PlayerStatus.self, NoParameters()) { player in
            call.show(StatusText.lines(panel, recorder, player, width: call.width))
          }
        }
      }
    },
    Word("meters", "shows the level meters", calls: RecorderMeters.self) { StatusText.meters($0.channels, width: $1) },
    Word("sources", "lists the microphones that are there", calls: RecorderSources.self) { answer, _ in
      answer.sources.map { $0 + ($0 == answer.heard ? "  (heard)" : "") }
    },
    Word("screen", "shows the texts on the screen", calls: PanelState.self) { panel, _ in
      ["[\(panel.screen)]"] + panel.texts.map { "  " + $0 }
    },
  ]
}

/// What the device is doing, as people read it.
enum StatusText {
  static func lines(
    _ panel: PanelSnapshot, _ recorder: RecorderStatus.Answer, _ player: PlayerStatus.Answer, width: Int
  ) -> [String] {
    var rows = [("mode", panel.mode + (panel.isLocked ? ", locked" : "") + (recorder.isArmed ? ", armed" : ""))]
    if let notice = panel.notice { rows.append(("notice", notice.text)) }
    let leds = panel.lamps.sorted { $0.key.rawValue < $1.key.rawValue }
    if !leds.isEmpty { rows.append(("leds", leds.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", "))) }
    if let id = recorder.id {
      let gaps = recorder.gaps > 0 ? ", gaps: \(recorder.gaps)" : ""
      rows.append(("take", "\(id), \(PeopleText.duration(recorder.seconds))\(gaps)"))
    }
    let channels =
      recorder.channels == 1 ? "mono" : recorder.channels == 2 ? "stereo" : "\(recorder.channels) channels"
    if let source = recorder.source, source != MicrophoneOrder.board { rows.append(("source", source)) }
    // Of takes; what a press makes in clip mode is told by `clip status`.
    let isOfTakes = !panel.mode.hasPrefix("clips.")
    if isOfTakes { rows.append(("format", "\(recorder.format) \(recorder.sampleRate) Hz \(channels)")) }
    if let id = player.id {
      let place = "\(PeopleText.duration(player.seconds)) of \(PeopleText.duration(player.lengthSeconds))"
      rows.append(("player", "\(id), \(player.state.rawValue) at \(place)"))
    }
    if isOfTakes, let left = recorder.secondsLeft { rows.append(("time left", PeopleText.duration(left))) }
    let margin = String(repeating: " ", count: 11)
    return rows.flatMap {
      PeopleText.wrap($0.1, width: width, first: PeopleText.pad($0.0, 11), rest: margin)
    }
  }

  /// Bars over 60 dB below full scale, one a channel.
  static func meters(_ channels: [ChannelLevel], width: Int) -> [String] {
    guard !channels.isEmpty else { return ["no meters: the microphone is not running"] }
    let room = max(10, min(40, width - 40))
    return channels.enumerated().map { index, channel in
      let average = max(-120, channel.rmsDB)
      let peak = max(-120, channel.peakDB)
      func place(_ decibels: Double) -> Int { Int(max(0, min(1, (decibels + 60) / 60)) * Double(room)) }
      let bar = (0..<room).map { $0 < place(average) ? "=" : $0 + 1 == place(peak) ? "|" : " " }.joined()
      let name = channels.count == 2 ? ["L", "R"][index] : String(index + 1)
      let numbers = "average \(decibels(average)) peak \(decibels(peak)) dB"
      return "\(name) [\(bar)] \(numbers)\(channel.clips > 0 ? " CLIP \(channel.clips)" : "")"
    }
  }

  private static func decibels(_ value: Double) -> String {
    let number = PeopleText.fixed(value, 1)
    return String(repeating: " ", count: max(0, 6 - number.count)) + number
  }
}
