public import Console
internal import Hardware
public import Library

enum LibraryList: DeviceTask {
  static let row = MethodRow("library.list", "lists takes", .viewer, whileRecording: .queued)

  /// The order of a list.
  enum Order: String, CaseIterable {
    case newest
    case oldest
    case name
    case longest
    case largest

    var sort: TakeSort {
      switch self {
      case .newest: TakeSort(.date)
      case .oldest: TakeSort(.date, reversed: true)
      case .name: TakeSort(.name)
      case .longest: TakeSort(.duration)
      case .largest: TakeSort(.size)
      }
    }
  }

  struct Parameters {
    var query: String?
    var offset = 0
    var limit = 50
    var sort = Order.newest
  }

  struct Answer: WireObject {
    let total: Int
    let pending: Int
    let offset: Int
    let takes: [TakeSummary]

    static let fields: [Field<Self>] = [
      Field("total", \.total, "takes that fit in all"),
      Field("pending", \.pending, "takes that are still being looked at after a power cut"),
      Field("offset", \.offset, "how many were left out at the beginning"),
      Field("takes", \.takes, "those of this page"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      let page = library.list(
        offset: wanted.offset, limit: wanted.limit, query: wanted.query ?? "", sort: wanted.sort.sort)
      return Answer(total: page.total, pending: library.pending, offset: wanted.offset, takes: page.takes)
    }
  }
}

extension LibraryList.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    query = try given.optional("query", .text(limit: 200), "only those whose name or tags contain this")
    offset = try given.value("offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning")
    limit = try given.value("limit", .integer(1...1000), default: 50, "how many at most")
    sort = try given.value("sort", .choice(.newest), default: .newest, "the order")
  }
}

extension TakeSummary: WireObject {
  /// A take of `library.list` and of `mynah library list --json`.
  public static let fields: [Field<TakeSummary>] = [
    Field("id", \.id, "its file name in recordings/"), Field("name", \.displayName, "the name that people see"),
    Field("createdAt", \.createdAt.iso8601, "when REC was pressed, by the wall clock, in ISO 8601"),
    Field("seconds", \.duration, "length; 0 while it is being recorded"),
    Field("frames", \.frames, "the same in frames"), Field("sampleRate", \.sampleRate, "Hz"),
    Field("channels", \.channels, "how many"), Field("format", \.format, "what it is written as"),
    Field("bytes", \.fileSizeBytes, "size of the file"), Field("favourite", \.favourite, "whether it is one"),
    Field("protected", \.isProtected, "whether it is locked against deletion"),
    Field("unreadable", \.isUnreadable, "a file from elsewhere of which nothing can be made; it is left as it is"),
    Field("pending", \.isPending, "a file that has not been looked at yet: only its name and size are known"),
    Field("tags", \.userTags, "its tags"), Field("marks", \.bookmarkCount, "how many marks it has"),
    Field("stopReason", \.stopReason, "why it ended; null while it is being recorded"),
  ]
}
