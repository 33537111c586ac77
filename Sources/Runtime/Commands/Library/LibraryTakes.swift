internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Threads

enum LibraryShow: DeviceTask {
  static let row = MethodRow("library.show", "tells all about a take", .viewer, whileRecording: .queued)
  typealias Answer = TakeMetadata
  typealias Parameters = TakeParameters

  static func perform(_ take: TakeParameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      var value = try library.show(take.id).value.objectValue ?? [:]
      if let safety = library.safety(of: take.id) {
        let bytes = library.summary(safety)?.files.first?.bytes ?? 0
        (value["safety"], value["safetyBytes"]) = (true, .integer(bytes))
      }
      return TakeMetadata(json: .object(value))
    }
  }
}

enum LibraryRename: DeviceTask {
  static let row = MethodRow(
    "library.rename", "changes the name that people see; the file keeps its own", .operator, whileRecording: .queued)

  struct Parameters: ParameterSet {
    let id: String
    let name: String

    init(_ given: inout Given) throws(CommandFailure) {
      id = try TakeParameters(&given).id
      name = try given.value("name", .text(limit: 200), "the new name")
    }
  }

  struct Answer: WireObject {
    let id: String
    let name: String
    static let fields: [Field<Self>] = [
      Field("id", \.id, "the take's file name"), Field("name", \.name, "its new name"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { [storage = device.storage] library throws(LibraryError) in
      let meta = try library.rename(wanted.id, to: wanted.name)
      storage.news.tellChanged(wanted.id, in: library)
      return Answer(id: meta.id, name: meta.displayName)
    }
  }
}

enum LibraryProtect: DeviceTask {
  static let row = MethodRow(
    "library.protect", "keeps a take from being deleted, or no longer", .operator, whileRecording: .queued)
  typealias Answer = Protection
  typealias Parameters = Protect<TakeParameters>

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.protect(wanted, reply)
  }
}

/// The metadata of a take as its file has it.
struct TakeMetadata: WireValue {
  let json: JSONValue

  static let schema = Schema.object(
    [
      .init("id", .text, "its file name in recordings/"), .init("displayName", .text, "the name that people see"),
      .init("createdAt", .text, "when REC was pressed, by the wall clock, in ISO 8601"),
      .init("lastPlayedPosition", .number, isOptional: true, "where the player was, in seconds"),
      .init("bookmarks", .array(bookmark), "its marks"), .init("audio", audio, "the sound"),
      .init("userTags", .array(.text), "its tags"), .init("custom", .map(.text), "whatever others keep with it"),
      .init("stopReason", .text, isOptional: true, "why it ended"),
      .init("session", .integer, isOptional: true, "its number"), .init("gaps", .array(gap), "what is missing in it"),
      .init("preRecordSeconds", .number, isOptional: true, "what it has from before the press"),
      .init("loudness", loudness, isOptional: true, "as EBU R 128 measures it"),
      .init("favourite", .flag, "whether it is one"),
      .init("protected", .flag, isOptional: true, "whether it is locked against deletion"),
      .init("operator", .text, isOptional: true, "who had logged in where it was started"),
      .init("linkedTake", .text, isOptional: true, "the take that this one continues"),
      .init("newMarks", .flag, isOptional: true, "the file itself does not have its last changes of marks yet"),
      .init("frames", .integer, "exact length"),
      .init("inProgress", .flag, "whether it is being recorded, or its file is still to be completed"),
      .init("safety", .flag, isOptional: true, "there is a safety take beside it, 12 dB lower"),
      .init("safetyBytes", .integer, isOptional: true, "size of that file"),
      .init("source", .text, isOptional: true, "name of the microphone"),
      .init("startedMonotonic", .number, isOptional: true, "the monotonic clock at the first sample, in seconds"),
      .init("receipt", receipt, isOptional: true, "what was captured, and when it was safe"),
    ], isOpen: true)

  /// Times are of the monotonic clock, in seconds.
  private static let receipt = Schema.object(
    [
      .init("version", .integer, "of this form"), .init("frames", .integer, "exact length"),
      .init("grantedSampleRate", .integer, isOptional: true, "Hz that the microphone's device ran at"),
      .init("coder", .text, isOptional: true, "what AAC was coded with in the end: thorough, fast, narrow"),
      .init(
        "coderSteps",
        .object(
          [.init("cheaper", .integer, "with less work"), .init("dearer", .integer, "with more again")], isOpen: true),
        isOptional: true, "times that a busy processor had sound coded otherwise"),
      .init("governor", .array(GovernorStatus.note), isOptional: true, "what gave way or came back meanwhile"),
      .init(
        "longestStepMilliseconds", .map(.number), isOptional: true,
        "the longest step of each lane that records meanwhile, of processor time"),
      .init("requestedSampleRate", .integer, isOptional: true, "Hz that were asked for; audio has what was given"),
      .init("capturedFrames", .integer, "of these, what the microphone delivered"),
      .init("lostFrames", .integer, "of these, silence in the place of lost sound"),
      .init(
        "xruns",
        .object(
          [.init("device", .integer, "the device's own"), .init("ring", .integer, "for want of time to read it")],
          isOpen: true), "losses by cause"),
      .init("start", .number, "of the first frame"), .init("end", .number, "of the last frame"),
      .init("durationSeconds", .number, "length"),
      .init("soundDriftPPM", .number, "the microphone's clock against the system's"),
      .init("fileBytes", .integer, "size of the file"), .init("lastMediaAt", .number, "when the last sound came"),
      .init(
        "anchors",
        .array(
          .object(
            [
              .init("t", .number, "monotonic clock"),
              .init("wall", .integer, "wall clock at the same instant, nanoseconds since 1970"),
            ], isOpen: true)), "both clocks, at the beginning and at the end"),
      .init("durableAt", .number, isOptional: true, "when the whole file was safe"),
      .init("mediaToDurableSeconds", .number, isOptional: true, "how long that took after the last sound"),
      .init("triggeredAt", .number, isOptional: true, "when REC was pressed"),
      .init("firstDurableAt", .number, isOptional: true, "when its first sound was safe"),
      .init(
        "sources",
        .array(
          .object([.init("frame", .integer, "its first"), .init("source", .text, "its name")], isOpen: true)),
        isOptional: true, "where other microphones begin"),
      .init("part", .integer, isOptional: true, "which part of a split take"),
    ], isOpen: true)

  private static let bookmark = Schema.object(
    [
      .init("id", .text, "stable"), .init("time", .number, "seconds from the start"),
      .init("frame", .integer, isOptional: true, "the same in frames"),
      .init("title", .text, isOptional: true, "for people"), .init("note", .text, isOptional: true, "for people"),
      .init("createdAt", .text, "in ISO 8601"),
    ], isOpen: true)

  private static let audio = Schema.object(
    [
      .init("duration", .number, "seconds"), .init("bitrateKbps", .integer, isOptional: true, "kbit/s"),
      .init("sampleRate", .integer, "Hz"), .init("channels", .integer, "how many"),
      .init("format", .text, "what it is written as"), .init("fileSizeBytes", .integer, "size of the file"),
    ], isOpen: true)

  private static let gap = Schema.object(
    [
      .init("frame", .integer, "where it begins"), .init("frames", .integer, "how long it is; silence stands there"),
      .init("reason", .text, "why: overrun, device-lost"),
    ], isOpen: true)

  private static let loudness = Schema.object(
    [
      .init("integratedLUFS", .number, isOptional: true, "LUFS"),
      .init("truePeakDBTP", .number, isOptional: true, "dB true peak"),
    ], isOpen: true)
}
