internal import Appliance
internal import Console
internal import Hardware
internal import Library

enum ExportStart: DeviceMethod {
  typealias Answer = Done
  static let row = MethodRow(
    "export.start", "begins to copy takes and clips to the stick, and does not wait for it", .operator,
    whileRecording: .queued,
    discussion:
      "`export.status` tells how far it is and what came of it; library.cancel ends it. It is library.export for programs that "
      + "look from time to time. While something is being recorded it waits.")

  /// Where takes can go.
  enum Target: String, CaseIterable, Sendable {
    case stick
  }

  struct Parameters: ParameterSet {
    /// `nil`: all.
    let ids: [String]?
    let format: ExportFormat?

    init(_ given: inout Given) throws(CommandFailure) {
      ids = try given.optional(
        "ids", .takes, "the file names, or the numbers, of takes and clips; left out: all of them")
      _ = try given.value("to", .choice(Target.stick), default: .stick, "where they go: a stick is all there is")
      format = try given.optional(
        "format", .choice(ExportFormat.asIs), "as for library.export; left out: as export.format says")
    }
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    if let ids = wanted.ids, ids.isEmpty { throw CommandFailure(.badArgument, "export.start: there is nothing in ids") }
    let stick = device.storage.stick
    guard stick.hasSocket else { throw CommandFailure(.unsupported, "this board has no socket for a stick") }
    switch stick.current.condition {
    case .absent: throw CommandFailure(.notFound, "there is no stick; put a USB stick in")
    case .unusable: throw CommandFailure(.unsupported, stick.current.reason)
    case .plugged, .mounted, .safe: break
    }
    LibraryExport.order(LibraryExport.Parameters(ids: wanted.ids, as: wanted.format), in: device) { _ in }
    return Done()
  }
}

enum ExportProgress: DeviceMethod {
  static let row = MethodRow(
    "export.status", "tells how far an export to the stick is, or what came of the last one", .viewer,
    discussion: "Whoever has begun it: export.start, library.export, or a key.")

  struct Answer: WireObject {
    let status: ExportStatus
    static let fields: [Field<Self>] = [
      Field(
        "phase", \.status.phase.rawValue,
        "none, waiting (for the stick, or for what is being recorded), mounting, copying, releasing; then done, cancelled or "
          + "failed"),
      Field("doneBytes", \.status.doneBytes, "bytes that have been copied, or were there"),
      Field("totalBytes", \.status.totalBytes, "of so many"),
      Field(
        "done", { $0.status.ending?.outcome.done ?? 0 }, "takes and clips that are whole on the stick; once it is over"),
      Field("safe", { $0.status.ending?.isSafe ?? false }, "whether the stick may be pulled out"),
      Field(
        "code", ifAny: { $0.status.ending?.failure?.failure.code.rawValue }, "as that of an error, of what ended it"),
      Field("message", ifAny: { $0.status.ending?.failure?.failure.message }, "what was wrong"),
      Field("failed", { TakesAnswer.Failure.all(of: $0.status.ending?.outcome) }, "those that could not be read"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(status: device.storage.stick.export)
  }
}
