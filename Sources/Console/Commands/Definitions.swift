internal import Hardware
internal import JSON

extension CommandTable {
  /// The methods, in the order of help.
  static let allDefinitions = panel + recorder + player + library + clips + dubbing + device + session

  static let buttons = Button.allCases.map(\.rawValue)
  static let modes = ["dictaphone", "clips", "dub", "feed", "files"]
  static let sortings = ["newest", "oldest", "name", "longest", "largest"]
  static let topics = EventTopic.allCases.map(\.rawValue)
  static let levels = LogSeverity.allCases.map(\.rawValue)

  static let take = Parameter("id", .take, "the take's file name, as \"list\" shows it")
  static let oneTake = Parameter("id", .take, optional: true, "one take; all of them without it")

  private static let panel = [
    CommandDefinition(
      "panel.press", "presses a key of the panel",
      [
        Parameter("button", .choice(buttons), "the key"),
        Parameter("ms", .integer(1...60_000), default: 100, "how long it is down; a long press is 600, unlocking 2000"),
      ],
      result: "{ignored?}: why the press did nothing, once the key is up again",
      discussion: "The same as a finger on the key: the lock and the mode apply."),
    CommandDefinition(
      "panel.mode", "changes the mode, or opens the file list",
      [Parameter("mode", .choice(modes), "the mode")], result: "{mode}"),
    CommandDefinition(
      "panel.state", "tells mode, lock, LEDs and what is on the screen",
      result: "{mode, locked, screen, texts[], leds{}, notice{code, severity, text} or null, takes}"),
    CommandDefinition(
      "panel.screen", "gives the picture on the screen", result: "{png, width, height}: png in base64"),
  ]

  private static let recorder = [
    CommandDefinition(
      "recorder.start", "starts a take", result: "{}: the take's name comes with onTakeStarted",
      discussion: "The take begins with the pre-recorded seconds before the call."),
    CommandDefinition("recorder.pause", "pauses the take", result: "{}"),
    CommandDefinition("recorder.resume", "goes on with the paused take", result: "{}"),
    CommandDefinition(
      "recorder.stop", "ends the take and saves it", result: "{}: onTakeSaved says when it is durable"),
    CommandDefinition(
      "recorder.mark", "puts a mark where the take, or the player, is now",
      [Parameter("title", .text(limit: 200), optional: true, "the mark's title")], result: "{}"),
    CommandDefinition(
      "recorder.status", "tells what the recorder does",
      result: "{activity, armed, id?, name?, seconds, frames, sampleRate, channels, format, secondsLeft, gaps}"),
    CommandDefinition(
      "recorder.meters", "reads the level meters",
      result: "{channels[{averageDecibels, peakDecibels, holdDecibels, clips}]}: decibels below full scale"),
  ]

  private static let player = [
    CommandDefinition(
      "player.play", "plays a take", [Parameter("id", .take, optional: true, "the take; the loaded one without it")],
      result: "{}"),
    CommandDefinition("player.pause", "pauses playing", result: "{}"),
    CommandDefinition("player.stop", "stops playing; the position is kept", result: "{}"),
    CommandDefinition(
      "player.seek", "moves forward or back",
      [Parameter("seconds", .number(-86_400...86_400), "by how much; negative: back")], result: "{seconds}"),
    CommandDefinition(
      "player.status", "tells what the player does", result: "{state, id?, name?, seconds, lengthSeconds, sampleRate}"),
  ]

  private static let library = [
    CommandDefinition(
      "library.list", "lists takes",
      [
        Parameter("query", .text(limit: 200), optional: true, "only those whose name or tags contain this"),
        Parameter("offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning"),
        Parameter("limit", .integer(1...1000), default: 50, "how many at most"),
        Parameter("sort", .choice(sortings), default: "newest", "the order"),
      ], result: "{total, pending, offset, takes[{id, name, createdAt, seconds, format, bytes, favourite}]}"),
    CommandDefinition("library.show", "tells all about a take", [take], result: "its metadata"),
    CommandDefinition(
      "library.rename", "changes the name that people see; the file keeps its own",
      [take, Parameter("name", .text(limit: 200), "the new name")], result: "{id, name}"),
    CommandDefinition(
      "library.delete", "deletes a take; \"undelete\" brings it back for a while", [take], result: "{id}"),
    CommandDefinition("library.undelete", "brings back the take that was deleted last", result: "{id}"),
    CommandDefinition(
      "library.verify", "reads takes from end to end and says what is wrong", [oneTake],
      result: "{checked, problems[{id, problem, remedy}]}"),
    CommandDefinition(
      "library.repair", "mends what can be mended; what cannot goes to _Corrupted/ with a note", [oneTake],
      result: "{checked, problems[{id, problem, remedy}]}"),
  ]

  private static let device = [
    CommandDefinition(
      "settings.get", "reads settings", [Parameter("key", .settingKey, optional: true, "one setting; all without it")],
      result: "{name: value}"),
    CommandDefinition(
      "settings.set", "changes settings: {name: value}, all of them or none", isOpen: true, result: "{name: value}",
      discussion: "A name that does not exist or a value out of range is refused, and nothing is changed."),
    CommandDefinition(
      "budget.report", "shows memory and processor time, declared and used",
      result:
        "{lines[{subsystem, declaredKB, allocatedKB, measuredKB, declaredCPUPercent, measuredCPUPercent, isWithin}], "
        + "declaredKB, allocatedKB, rssKB, peakRSSKB, declaredCPUPercent, measuredCPUPercent, isWithin}: KB is KiB"),
    CommandDefinition(
      "log.tail", "shows the latest lines of the log",
      [
        Parameter("lines", .integer(1...1000), default: 20, "how many"),
        Parameter("level", .choice(levels), default: "info", "the least severe level"),
      ], result: "{lines[{t, level, subsystem, text}], lost}"),
    CommandDefinition(
      "system.info", "tells version, board, uptime and devices",
      result: "{version, board, uptimeSeconds, devices{}, storage{freeBytes, totalBytes}}"),
    CommandDefinition(
      "system.doctor", "probes every device and says how to mend what does not work",
      result:
        "{works, failed, summary, board, version, checks[{device, place, verdict, works, detail, remedy, facts{}}]}",
      discussion: "Verdicts: works, in use, limited, absent; missing, denied, busy, failed have to be mended."),
    CommandDefinition(
      "system.selftest", "checks budget, settings, storage, screens, and records and decodes a trial take",
      result: "{works, checks[{name, works, detail, milliseconds}]}",
      discussion: "Takes some seconds, beside what the device does; not while something is being recorded."),
    CommandDefinition(
      "fault.inject", "makes a device fail, in the simulator and on the rig",
      [Parameter("fault", .fault, "the fault, in the words of scripts")], result: "{}",
      discussion: "microphone unplug, replug, overrun S, stall S; storage full, ok, stall S; speaker, display or "
        + "camera unplug, replug; camera stall S, garbage; clock jump +S or -S; power cut. S is in seconds."),
  ]

  private static let session = [
    CommandDefinition(
      "events.subscribe", "sends events to this console from now on",
      [Parameter("topics", .list(topics), optional: true, "which; all of them without it")],
      result: "{topics[], seq}: seq is the number that the next event will have",
      discussion: "Each console counts its own events, without a hole. Events that it is too slow to take are "
        + "dropped, oldest first, and counted in \"lost\" of the next one."),
    CommandDefinition("events.unsubscribe", "sends no more events to this console", result: "{}"),
    CommandDefinition("session.human", "goes back to the prompt", result: "{}"),
    CommandDefinition("session.end", "closes this console, where it can be closed", result: "{}"),
    CommandDefinition(
      "session.help", "explains the commands",
      [Parameter("command", .command, optional: true, "one command; a list of all without it")], result: "{lines[]}"),
    CommandDefinition(
      "rpc.methods", "lists the methods and what they take", result: "[{method, summary, parameters[]}]"),
  ]
}
