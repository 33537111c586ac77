internal import Appliance
public import Console
internal import Hardware
internal import JSON
public import Library
internal import Threads

enum ClipsList: DeviceTask {
  static let row = MethodRow("clips.list", "lists clips, newest first", .viewer, whileRecording: .queued)

  struct Parameters {
    var query: String?
    var offset = 0
    var limit = 50
  }

  struct Answer: WireObject {
    let total: Int
    let offset: Int
    let clips: [ClipSummary]

    static let fields: [Field<Self>] = [
      Field("total", \.total, "clips that fit in all"),
      Field("offset", \.offset, "how many were left out at the beginning"),
      Field("clips", \.clips, "those of this page"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let listing = BetweenSteps<ClipListing?>(nil)
    device.onLibraryInSteps(reply) { library throws(LibraryError) in
      let pages =
        listing.value
        ?? library.clips.listing(offset: wanted.offset, limit: wanted.limit, query: wanted.query ?? "")
      listing.value = pages
      return try pages.step().map { Answer(total: $0.total, offset: wanted.offset, clips: $0.clips) }
    }
  }
}

extension ClipsList.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    query = try given.optional("query", .text(limit: 200), "only those whose name contains this")
    offset = try given.value("offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning")
    limit = try given.value("limit", .integer(1...1000), default: 50, "how many at most")
  }
}

extension ClipSummary: WireObject {
  public static let fields: [Field<ClipSummary>] = [
    Field("id", \.id, "its file name in clips/"), Field("path", { "clips/\($0.id)" }, "in the data directory"),
    Field(
      "createdAt", { TakeName($0.id)?.createdAt?.iso8601 },
      "when it was made, by the wall clock, in ISO 8601; null if its name does not say"),
    Field("seconds", \.duration, "length; 0 if nobody can tell"), Field("bytes", \.bytes, "size of the file"),
    Field("protected", \.isProtected, "whether it is kept from being deleted"),
    Field("trigger", \.trigger, "what started it; null for a clip made of others"),
    Field("stopReason", \.stopReason, "why it ended; null if its receipt does not say"),
    Field("sampleRate", \.sampleRate, "Hz of its sound; 0 without sound"),
    Field("frames", \.frames, "length of its sound"),
    Field("unreadable", \.isUnreadable, "a file from elsewhere of which nothing can be made; it is left as it is"),
  ]
}

enum ClipsReceipt: DeviceTask {
  static let row = MethodRow("clips.receipt", "tells all about a clip", .viewer, whileRecording: .queued)
  typealias Answer = ClipReceiptAnswer
  typealias Parameters = ClipParameters

  static func perform(_ clip: ClipParameters, in device: CommandContext, reply: @escaping Reply) {
    device.storage.receipt(of: clip.id, ControlLaneReply(device.inbox, reply)) { ClipReceiptAnswer(json: $0) }
  }
}

enum ClipsProtect: DeviceTask {
  static let row = MethodRow(
    "clips.protect", "keeps a clip from being deleted, or no longer", .operator, whileRecording: .queued)
  typealias Answer = Protection
  typealias Parameters = Protect<ClipParameters>

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.protect(wanted, reply)
  }
}

enum ClipsDelete: DeviceTask {
  static let row = MethodRow(
    "clips.delete", "deletes a clip that is not protected; \"undelete\" brings it back for a while", .operator,
    whileRecording: .queued)
  typealias Answer = RecordingAnswer
  typealias Parameters = ClipParameters

  static func perform(_ clip: ClipParameters, in device: CommandContext, reply: @escaping Reply) {
    let id = clip.id
    device.onLibrary(reply) { [storage = device.storage, media = device.media] library throws(LibraryError) in
      try storage.delete(id, isClip: true, from: library)
      // What could not be deleted plays on.
      media.post(.unload(id: id))
      return RecordingAnswer(id: id)
    }
  }
}
