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
    case date
    case length
    case size

    /// - Parameter descending: nil: as the word says by itself, of dates, lengths and sizes the highest first.
    func sort(descending: Bool?) -> TakeSort {
      switch self {
      case .newest, .date: TakeSort(.date, reversed: descending == false)
      case .oldest: TakeSort(.date, reversed: descending != true)
      case .name: TakeSort(.name, reversed: descending == true)
      case .longest, .length: TakeSort(.duration, reversed: descending == false)
      case .largest, .size: TakeSort(.size, reversed: descending == false)
      }
    }
  }

  struct Parameters {
    var filter = TakeFilter()
    var offset = 0
    var limit = 50
    var sort = Order.newest
    var descending: Bool?
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
        offset: wanted.offset, limit: wanted.limit, sort: wanted.sort.sort(descending: wanted.descending),
        filter: wanted.filter)
      return Answer(total: page.total, pending: library.pending, offset: wanted.offset, takes: page.takes)
    }
  }
}

extension LibraryList.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    filter.query =
      try given.optional(
        "query", .text(limit: 200), "only those whose name, tags or titles of marks contain these words") ?? ""
    offset = try given.value("offset", .integer(0...10_000_000), default: 0, "how many to leave out at the beginning")
    limit = try given.value("limit", .integer(1...1000), default: 50, "how many at most")
    sort = try given.value("sort", .choice(.newest), default: .newest, "the order")
    descending = try given.optional(
      "descending", .flag, "the highest first, or not; without it names go from A to Z, all else from the highest")
    filter.favouritesOnly = try given.value("favourites", .flag, default: false, "only favourites")
    filter.tag = try given.optional("tag", .text(limit: 200), "only those with this tag")
    filter.markedOnly = try given.value("marks", .flag, default: false, "only those with marks")
  }
}

extension TakePart: WireObject {
  public static let fields: [Field<TakePart>] = [
    Field("id", \.id, "its file name in recordings/"), Field("frames", \.frames, "length"),
    Field("bytes", \.bytes, "size of the file"),
  ]
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
    Field("safety", \.hasSafety, "whether there is a safety take beside it, 12 dB lower"),
    Field("safetyBytes", ifAny: \.safetyBytes, "size of that"),
    Field("parts", ifAny: \.parts, "the files of a split take, in their order; what is told of it is of all of them"),
  ]
}
