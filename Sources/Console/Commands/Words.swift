internal import JSON

extension CommandTable {
  /// The words for people, in the order of help.
  static let allWords = state + panel + sound + takes + clipWords + dubWords + device + session

  private static let state = [
    Word(
      "status", "shows what the device is doing", methods: ["panel.state", "recorder.status", "player.status"],
      queries: ["panel.state", "recorder.status", "player.status"],
      next: { _, results in
        let methods = ["panel.state", "recorder.status", "player.status"]
        return results.count < methods.count ? CommandRequest(methods[results.count]) : nil
      },
      format: { _, results, width in PeopleText.status(results, width) }),
    Word("meters", "shows the level meters", calls: "recorder.meters", format: PeopleText.meters),
    Word("screen", "shows the texts on the screen", calls: "panel.state", format: PeopleText.screen),
  ]

  private static let panel = [
    Word(
      "press", "presses a key shortly", [Parameter("button", .choice(buttons), "the key")], calls: "panel.press"),
    Word(
      "hold", "holds a key down",
      [
        Parameter("button", .choice(buttons), "the key"),
        Parameter("seconds", .number(0.001...60), default: 1.0, "how long; unlocking takes 2"),
      ], methods: ["panel.press"],
      next: { arguments, results in
        let milliseconds = ((arguments["seconds"]?.numberValue ?? 1) * 1000).rounded()
        let call: JSONValue = ["button": arguments["button"] ?? .null, "ms": .integer(Int(exactly: milliseconds) ?? 0)]
        return results.isEmpty ? CommandRequest("panel.press", call) : nil
      },
      format: { _, results, width in PeopleText.outcome(results.last ?? .null, width) }),
    Word(
      "mode", "shows or changes the mode", [Parameter("mode", .choice(modes), optional: true, "the new mode")],
      methods: ["panel.mode", "panel.state"],
      next: { arguments, results in
        guard results.isEmpty else { return nil }
        return arguments["mode"] == nil ? CommandRequest("panel.state") : CommandRequest("panel.mode", arguments)
      },
      format: { _, results, _ in [results.last?["mode"]?.stringValue ?? "ok"] }),
  ]

  private static let sound = [
    Word(
      "rec", "starts a take, or goes on with the paused one",
      methods: ["panel.state", "recorder.start", "recorder.resume"],
      queries: ["panel.state"],
      next: { _, results in
        switch results.count {
        case 0: CommandRequest("panel.state")
        case 1: CommandRequest(mode(results) == "dictaphone.paused" ? "recorder.resume" : "recorder.start")
        default: nil
        }
      }, format: lastOutcome),
    Word(
      "pause", "pauses the take or the player", methods: ["player.status", "recorder.pause", "player.pause"],
      queries: ["player.status"],
      next: { _, results in
        switch results.count {
        case 0: CommandRequest("player.status")
        case 1: CommandRequest(results[0]["state"]?.stringValue == "playing" ? "player.pause" : "recorder.pause")
        default: nil
        }
      }, format: lastOutcome),
    Word(
      "stop", "ends and saves the take, or stops the player",
      methods: ["player.status", "recorder.stop", "player.stop"],
      queries: ["player.status"],
      next: { _, results in
        switch results.count {
        case 0: CommandRequest("player.status")
        case 1:
          CommandRequest(
            ["playing", "paused"].contains(results[0]["state"]?.stringValue) ? "player.stop" : "recorder.stop")
        default: nil
        }
      }, format: lastOutcome),
    Word(
      "play", "plays a take, or goes on playing",
      [Parameter("id", .take, optional: true, "the take; the loaded one without it")], calls: "player.play"),
    Word(
      "seek", "moves forward or back in the take that plays",
      [Parameter("seconds", .number(-86_400...86_400), "by how much; negative: back")], calls: "player.seek"),
    Word(
      "mark", "puts a mark where the take, or the player, is now",
      [Parameter("title", .text(limit: 200), optional: true, "the mark's title")], calls: "recorder.mark"),
  ]

  private static let takes = [
    Word(
      "list", "lists takes, newest first",
      [
        Parameter("limit", .integer(1...1000), default: 15, "how many at most"),
        Parameter("offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning"),
        Parameter("sort", .choice(sortings), default: "newest", "the order"),
      ], discussion: "For the next page give an offset: list 15 15.", calls: "library.list", format: PeopleText.takes),
    Word(
      "find", "lists takes whose name or tags contain a text", [Parameter("query", .text(limit: 200), "the text")],
      calls: "library.list", format: PeopleText.takes),
    Word("show", "tells all about a take", [take], calls: "library.show", format: PeopleText.tree),
    Word(
      "rename", "changes the name that people see",
      [take, Parameter("name", .text(limit: 200), "the new name, to the end of the line")], calls: "library.rename"),
    Word("delete", "deletes a take; \"undelete\" brings it back for a while", [take], calls: "library.delete"),
    Word("undelete", "brings back the take that was deleted last", calls: "library.undelete"),
    Word(
      "verify", "reads takes from end to end and says what is wrong", [oneTake], calls: "library.verify",
      format: PeopleText.problems),
    Word("repair", "mends what can be mended", [oneTake], calls: "library.repair", format: PeopleText.problems),
  ]

  private static let device = [
    Word(
      "settings", "shows or changes settings",
      [
        Parameter("key", .settingKey, optional: true, "one setting; all of them without it"),
        Parameter("value", .settingValue, optional: true, "its new value"),
      ], discussion: "For example: settings recording.format wav.", methods: ["settings.get", "settings.set"],
      next: { arguments, results in
        guard results.isEmpty else { return nil }
        guard let key = arguments["key"]?.stringValue, let value = arguments["value"] else {
          return CommandRequest("settings.get", arguments)
        }
        return CommandRequest("settings.set", .object([key: value]))
      },
      format: { _, results, width in PeopleText.tree(results.last ?? .null, width) }),
    Word(
      "budget", "shows memory and processor time, declared and used", calls: "budget.report",
      format: PeopleText.budget),
    Word("selftest", "checks the running device", calls: "system.selftest", format: PeopleText.selftest),
    Word("doctor", "probes every device and says how to mend it", calls: "system.doctor", format: PeopleText.checks),
    Word(
      "log", "shows the latest lines of the log",
      [
        Parameter("lines", .integer(1...1000), default: 20, "how many"),
        Parameter("level", .choice(levels), default: "info", "the least severe level"),
      ], calls: "log.tail", format: PeopleText.log),
    Word("version", "tells version, board, uptime and devices", calls: "system.info", format: PeopleText.tree),
    Word(
      "fault", "makes a device fail, in the simulator and on the rig",
      [Parameter("fault", .fault, "such as \"microphone unplug\" or \"storage stall 10\"")], calls: "fault.inject"),
  ]

  private static let session = [
    Word(
      "events", "shows events as they happen; \"events off\" shows no more",
      [Parameter("topics", .list(topics + ["off"]), optional: true, "which; all of them without it")],
      methods: ["events.subscribe", "events.unsubscribe"],
      next: { arguments, results in
        guard results.isEmpty else { return nil }
        return arguments["topics"]?.arrayValue?.contains("off") == true
          ? CommandRequest("events.unsubscribe") : CommandRequest("events.subscribe", arguments)
      }, format: { _, _, _ in [] }),
    Word(
      "help", aliases: ["?"], "lists the commands, or explains one",
      [Parameter("command", .command, optional: true, "the command")], calls: "session.help",
      format: { result, _ in (result["lines"]?.arrayValue ?? []).compactMap(\.stringValue) }),
    Word("exit", aliases: ["quit"], "closes this console", calls: "session.end", format: { _, _ in [] }),
  ]

  private static func mode(_ results: [JSONValue]) -> String? { results.first?["mode"]?.stringValue }

  @Sendable private static func lastOutcome(_: JSONValue, _ results: [JSONValue], _ width: Int) -> [String] {
    PeopleText.outcome(results.last ?? .null, width)
  }
}
