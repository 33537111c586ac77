internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Media

enum LibraryExport: DeviceTask {
  static let row = MethodRow(
    "library.export", "copies takes and clips to the stick, reads them back, and lets go of it", .operator,
    whileRecording: .queued,
    discussion:
      "While something is being recorded it waits. Tells how far it is by onLibraryProgress; library.cancel ends "
      + "it: what is whole on the stick stays there.")

  struct Parameters: ParameterSet {
    /// `nil`: all.
    let ids: [String]?
    let isSingle: Bool
    let withSafety: Bool
    let format: ExportFormat?

    init(_ given: inout Given) throws(CommandFailure) {
      let id = try given.optional("id", .take, "the file name, or the number, of a take or of a clip")
      let many = try given.optional("ids", .takes, "instead of it, those of many")
      let isAll = try given.value("all", .flag, default: false, "true: all takes and clips")
      withSafety = try given.value("safety", .flag, default: false, "true: safety takes, too")
      ids = isAll ? nil : (id.map { [$0] } ?? []) + (many ?? [])
      format = try given.optional(
        "format", .choice(ExportFormat.asIs),
        "what takes become there, each in one file with name, date and marks; asIs: the files themselves; left out: as "
          + "export.format says. Clips, and takes that were not made here, go as they are")
      isSingle = id != nil && many == nil && !isAll
    }

    /// These, or all.
    init(ids: [String]?, as format: ExportFormat?) {
      (self.ids, self.format, isSingle, withSafety) = (ids, format, false, false)
    }

    /// What people type: `all`, or a take.
    init(word: String, as format: ExportFormat?, withSafety: Bool) {
      self.format = format
      let isAll = word.lowercased() == "all"
      (ids, isSingle, self.withSafety) = (isAll ? nil : [word], !isAll, withSafety)
    }
  }

  struct Answer: WireObject {
    let end: ExportEnd
    static let fields: [Field<Self>] = [
      Field("done", { $0.end.outcome.done }, "takes and clips that are whole on the stick"),
      Field("copied", { $0.end.outcome.copied }, "files that were copied"),
      Field("there", { $0.end.outcome.there }, "files that were on it already"),
      Field("cancelled", \.end.isCancelled, "whether library.cancel, or a key, has ended it before all were done"),
      Field("safe", \.end.isSafe, "whether the stick may be pulled out"),
      Field("failed", { TakesAnswer.Failure.all(of: $0.end.outcome) }, "those that could not be read"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    if let ids = wanted.ids, ids.isEmpty {
      return reply(.failure(CommandFailure(.badArgument, "library.export needs id, ids, or all")))
    }
    order(wanted, in: device) { end in
      // Of one take its own failure is that of the order.
      let own = wanted.isSingle ? end.outcome.failures.first.map { CommandFailure($0.error) } : nil
      if let failure = end.failure?.failure ?? own { return reply(.failure(failure)) }
      reply(.success(Answer(end: end)))
    }
  }

  /// Has it begun as soon as the stick is free; `library.cancel` ends it.
  static func order(_ wanted: Parameters, in device: CommandContext, onEnd: @escaping (ExportEnd) -> Void) {
    let (works, token) = (device.works, device.works.begin())
    let teller = BetweenSteps(ProgressTeller(device, "export", id: wanted.isSingle ? wanted.ids?.first : nil))
    let answer = ControlLaneReply<ExportEnd>(device.inbox) { end in
      works.end()
      onEnd(end)
    }
    device.storage.stick.post(
      ExportOrder(
        ids: wanted.ids, withSafety: wanted.withSafety,
        format: ConvertedFormat(wanted.format ?? device.state.settings.exportFormat),
        words: ExportWords(device.state.settings), isFromPanel: false,
        isStopped: { works.isStopped(token) }, onProgress: { teller.value.tell($0, of: $1) },
        onEnd: { answer.send($0) }))
  }
}

enum StickStatus: DeviceMethod {
  static let row = MethodRow("stick.status", "tells what is in the socket for a stick", .viewer)

  struct Answer: WireObject {
    let hasSocket: Bool
    let state: StickState
    static let fields: [Field<Self>] = [
      Field("socket", \.hasSocket, "whether the board has one"),
      Field("state", \.state.condition.rawValue, "absent, plugged, mounted, safe (may be pulled out), or unusable"),
      Field("label", \.state.label, "what the stick is called; may be empty"),
      Field("bytes", \.state.bytes, "its size; 0 while it is not known"),
      Field("reason", \.state.reason, "why it cannot be used; empty if it can"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(hasSocket: device.storage.stick.hasSocket, state: device.storage.stick.current)
  }
}
