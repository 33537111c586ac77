internal import JSON

extension CommandTable {
  static let clip = Parameter("id", .clip, "the clip's file name, as clips.list shows it")

  /// The methods of clip capture.
  static let clips = [
    CommandDefinition(
      "clips.trigger", "keeps a clip: the seconds in the ring, and the post-roll", result: "{}: see onCaptureStarted",
      discussion: "onCaptureCompleted says when the file is there and durable. Only in clip mode: panel.mode clips."),
    CommandDefinition(
      "clips.endPostRoll", "ends the clip that runs now", result: "{}: onCaptureCompleted says when it is durable"),
    CommandDefinition(
      "clips.continuous", "keeps everything from now on, in clips that join without a seam",
      result: "{}", discussion: "clips.endPostRoll ends it."),
    CommandDefinition(
      "clips.timeLapse", "keeps a picture every so often in one clip, shown at 30 a second",
      [Parameter("seconds", .number(0.1...86_400), default: 1.0, "from one picture to the next")],
      result: "{}", discussion: "clips.endPostRoll ends it. It has no sound."),
    CommandDefinition("clips.snapshot", "keeps the picture of now as a JPEG", result: "{}: see onSnapshotSaved"),
    CommandDefinition(
      "clips.status", "tells what camera and ring hold, and which clips are open",
      result:
        "{mode, camera{present, name, format, timestamps}, bufferSeconds, windowSeconds, bufferBytes, capacityBytes, fps, "
        + "dropped, open[{clip, secondsToGo, saving}], secondsToGo, last?}"),
    CommandDefinition(
      "clips.list", "lists clips, newest first",
      [
        Parameter("query", .text(limit: 200), optional: true, "only those whose name contains this"),
        Parameter("offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning"),
        Parameter("limit", .integer(1...1000), default: 50, "how many at most"),
      ], result: "{total, offset, clips[{id, path, createdAt, seconds, bytes, protected, trigger}]}"),
    CommandDefinition(
      "clips.receipt", "tells all about a clip", [clip], result: "its receipt: times, frames, gaps, skew, drift"),
    CommandDefinition(
      "clips.protect", "keeps a clip from being deleted, or no longer",
      [clip, Parameter("protected", .flag, default: true, "false takes the protection off")],
      result: "{id, protected}"),
    CommandDefinition("clips.delete", "deletes a clip that is not protected", [clip], result: "{id}"),
    CommandDefinition(
      "clips.trim", "makes a clip of a part of another, without encoding again",
      [
        clip, Parameter("start", .number(0...86_400), default: 0, "where the part begins, in seconds"),
        Parameter("end", .number(0...86_400), optional: true, "where it ends; the clip's end without it"),
      ], result: "{id}: the new clip", discussion: "The start is exact, by an edit list; the other clip stays."),
    CommandDefinition(
      "clips.concat", "makes one clip of several, without encoding again",
      [Parameter("ids", .clips, "the clips, in their order")], result: "{id}: the new clip",
      discussion: "They must be of one size and coding; they stay."),
    CommandDefinition(
      "clips.telemetry", "gives the readings of the last minutes, oldest first",
      [Parameter("count", .integer(1...600), default: 60, "how many at most")],
      result: "{readings[{t, fps, dropped, bufferSeconds, bufferBytes, soundDriftPPM, temperature, cpuPercent, rssKB, "
        + "freeBytes}]}"),
  ]

  /// What `clip` takes after it, and the method behind each.
  private static let actions = [
    ("keep", "clips.trigger"), ("end", "clips.endPostRoll"), ("picture", "clips.snapshot"),
    ("status", "clips.status"), ("list", "clips.list"), ("continuous", "clips.continuous"),
  ]

  static let clipWords = [
    Word(
      "clip", "keeps a clip; or ends it, keeps a picture, tells how things stand, lists",
      [Parameter("action", .choice(actions.map(\.0)), default: "keep", "what to do")],
      discussion: "More is done by the methods: clips.receipt ID, clips.protect ID, clips.trim ID 1.5 4, "
        + "clips.concat ID ID. The mode has to be clips: mode clips.",
      methods: actions.map(\.1),
      next: { arguments, results in
        let action = arguments["action"]?.stringValue ?? "keep"
        guard results.isEmpty, let method = actions.first(where: { $0.0 == action })?.1 else { return nil }
        return CommandRequest(method)
      },
      format: { arguments, results, width in
        let result = results.last ?? .null
        switch arguments["action"]?.stringValue {
        case "list": return PeopleText.clips(result, width)
        case "status": return PeopleText.tree(result, width)
        default: return PeopleText.outcome(result, width)
        }
      })
  ]
}
