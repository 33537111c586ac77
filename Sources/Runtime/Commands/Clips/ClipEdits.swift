internal import Console
internal import Hardware
internal import Library

/// A clip that was made of others.
struct EditedClip: WireObject {
  let id: String
  static let fields: [Field<Self>] = [
    Field("id", \.id, "the new clip's file name"), Field("path", { "clips/\($0.id)" }, "in the data directory"),
  ]
}

enum ClipsTrim: DeviceTask {
  static let row = MethodRow(
    "clips.trim", "makes a clip of a part of another, without encoding again", .operator, whileRecording: .queued,
    discussion: "The start is exact, by an edit list; the other clip stays.")
  typealias Answer = EditedClip

  struct Parameters: ParameterSet {
    let id: String
    let start: Double
    let end: Double?

    /// Seconds.
    static let longest = 86_400.0

    init(_ given: inout Given) throws(CommandFailure) {
      id = try ClipParameters(&given).id
      start = try given.value("start", .number(0...Self.longest), default: 0, "where the part begins, in seconds")
      end = try given.optional("end", .number(0...Self.longest), "where it ends; the clip's end without it")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let end = wanted.end ?? Parameters.longest
    guard end > wanted.start else {
      return reply(.failure(CommandFailure(.badArgument, "clips.trim: the end has to be after the start")))
    }
    device.edit(reply) { $0.trim(wanted.id, to: wanted.start..<end) }
  }
}

enum ClipsConcat: DeviceTask {
  static let row = MethodRow(
    "clips.concat", "makes one clip of several, without encoding again", .operator, whileRecording: .queued,
    discussion: "They must be of one size and coding; they stay.")
  typealias Answer = EditedClip

  struct Parameters: ParameterSet {
    let ids: [String]

    init(_ given: inout Given) throws(CommandFailure) {
      ids = try given.value("ids", .clips, "the clips, in their order")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.edit(reply) { $0.join(wanted.ids) }
  }
}

extension CommandContext {
  /// Makes a clip of others, a second of media at a time.
  fileprivate func edit(
    _ reply: @escaping (Result<EditedClip, CommandFailure>) -> Void,
    _ make: @escaping @Sendable (ClipLibrary) -> ClipEditing
  ) {
    let editing = BetweenSteps<ClipEditing?>(nil)
    onLibraryInSteps(reply) { library throws(LibraryError) in
      let edit = editing.value ?? make(library.clips)
      editing.value = edit
      return try edit.step().map { EditedClip(id: $0) }
    }
  }
}
