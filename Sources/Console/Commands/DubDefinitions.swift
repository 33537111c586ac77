internal import JSON

extension CommandTable {
  /// The methods of dubbed playback.
  static let dubbing = [
    CommandDefinition(
      "dub.start", "plays a stream, a clip or a take with its sound in another language",
      [
        Parameter(
          "source", .text(limit: 1000), optional: true,
          "name, place in the list, http(s) address, or file name; the highlighted one without it"),
        Parameter("language", .language, optional: true, "language of the dub; as it is set without it"),
      ], result: "{source, language}: onDubbingStatus says what is heard",
      discussion: "Takes up the mode dub by itself. Not while a take is being recorded or a clip being kept."),
    CommandDefinition("dub.stop", "ends dubbed playback", result: "{}"),
    CommandDefinition("dub.pause", "stops the sound for a while", result: "{}"),
    CommandDefinition("dub.resume", "goes on after dub.pause", result: "{}"),
    CommandDefinition(
      "dub.seek", "moves forward or back; in a live stream within what the server still has",
      [Parameter("seconds", .number(-86_400...86_400), "by how much; negative: back")], result: "{seconds}"),
    CommandDefinition(
      "dub.language", "tells or changes the language of the dub, while it plays",
      [Parameter("language", .language, optional: true, "such as es or pt-BR; only told without it")],
      result: "{language, languages[]}: those that can be heard of what plays"),
    CommandDefinition(
      "dub.volume", "tells or changes how loud original and dub are",
      [
        Parameter("original", .integer(-40...0), optional: true, "dB beside a dub"),
        Parameter("dub", .integer(-40...0), optional: true, "dB"),
      ], result: "{original, dub, mode}"),
    CommandDefinition(
      "dub.enable", "switches between dub and original", [Parameter("on", .flag, default: true, "false: the original")],
      result: "{on}"),
    CommandDefinition("dub.sources", "lists what can be played", result: "{sources[{id, name, kind}], selected}"),
    CommandDefinition(
      "dub.status", "tells what is heard, from where, and how healthy it is", result: dubStatusFields,
      discussion: "onDubbingStatus carries the same with every change, and every five seconds while something plays."),
  ]

  /// The fields of `dub.status` and of `onDubbingStatus`.
  static let dubStatusFields =
    "{state: idle|buffering|playing|paused, dubbing, source?, name?, kind?, language, rung: service|rendition|sidecar|"
    + "synthesised|original, link: up|lost, reason, run, live, positionSeconds, lengthSeconds?, behindLiveSeconds?, "
    + "bufferSeconds, segments, segmentLimit, utterances, onTime, onTimePercent?, fallbacks, longestGapMs, startMs?, "
    + "driftMs, speakerPPM, service?, lowPower, caption, bandwidth, variantBandwidth, "
    + "screen?, picturesShown, picturesDropped, picturesLate, picturesDamaged}"

  /// What `dub` takes after it, and the method behind each.
  private static let dubActions = [
    "start", "stop", "pause", "resume", "status", "list", "language", "volume", "on", "off",
  ]

  static let dubWords = [
    Word(
      "dub", "plays something with its sound in another language",
      [
        Parameter("action", .choice(dubActions), default: "status", "what to do"),
        Parameter("what", .text(limit: 1000), optional: true, "of start, language and volume: see below"),
      ],
      discussion:
        "dub start [SOURCE [LANGUAGE]] plays; dub list shows what there is; dub language LANGUAGE changes the "
        + "language; dub volume ORIGINAL DUB sets both in dB; dub on and dub off switch between dub and original.",
      methods: [
        "dub.start", "dub.stop", "dub.pause", "dub.resume", "dub.status", "dub.sources", "dub.language", "dub.volume",
        "dub.enable",
      ],
      next: { arguments, results in results.isEmpty ? dubRequest(arguments) : nil },
      format: { arguments, results, width in
        let result = results.last ?? .null
        switch arguments["action"]?.stringValue {
        case "list": return PeopleText.dubSources(result, width)
        case "start", "stop", "pause", "resume": return PeopleText.outcome(result, width)
        default: return PeopleText.tree(result, width)
        }
      })
  ]

  private static func dubRequest(_ arguments: JSONValue) -> CommandRequest {
    let words = (arguments["what"]?.stringValue ?? "").split(separator: " ").map(String.init)
    switch arguments["action"]?.stringValue {
    case "start":
      // Names may have blanks in them, addresses and languages have none.
      guard let last = words.last else { return CommandRequest("dub.start") }
      guard words.count > 1, Parameter.isLanguage(last) else {
        return CommandRequest("dub.start", ["source": .string(words.joined(separator: " "))])
      }
      let source = words.dropLast().joined(separator: " ")
      return CommandRequest("dub.start", ["source": .string(source), "language": .string(last)])
    case "stop": return CommandRequest("dub.stop")
    case "pause": return CommandRequest("dub.pause")
    case "resume": return CommandRequest("dub.resume")
    case "list": return CommandRequest("dub.sources")
    case "language":
      return CommandRequest("dub.language", words.first.map { ["language": .string($0)] } ?? [:])
    case "volume":
      var volumes: [String: JSONValue] = [:]
      for (name, word) in zip(["original", "dub"], words) {
        volumes[name] = Int(word).map { .integer($0) } ?? .string(word)
      }
      return CommandRequest("dub.volume", .object(volumes))
    case "on": return CommandRequest("dub.enable", ["on": true])
    case "off": return CommandRequest("dub.enable", ["on": false])
    default: return CommandRequest("dub.status")
    }
  }
}
