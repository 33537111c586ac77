internal import Console
internal import JSON
internal import Library

/// The receipt of something that was played, as its file has it.
struct DubReceiptAnswer: WireValue {
  let json: JSONValue

  static let schema = Schema.object(range + figures, isOpen: true)

  private static let figures = DubFigures.fields.map(\.member).map {
    Schema.Member($0.name, $0.schema, isOptional: true, $0.meaning)
  }

  private static let range: [Schema.Member] = [
    .init("version", .integer, isOptional: true, "of the receipt"),
    .init("id", .text, isOptional: true, "its file name"),
    .init("path", .text, isOptional: true, "in the data directory"),
    .init("source", .text, isOptional: true, "what was played, without a user's name and password"),
    .init("name", .text, isOptional: true, "its name"), .init("kind", .text, isOptional: true, "what it was"),
    .init("language", .text, isOptional: true, "of the dub, at the start"),
    .init("begunAt", .text, isOptional: true, "by the wall clock, in ISO 8601"),
    .init("start", .number, isOptional: true, "on the monotonic clock, in seconds"),
    .init("durationSeconds", .number, isOptional: true, "from the order to the end"),
    .init("stopReason", .text, isOptional: true, "user, ended or error"),
    .init(
      "fault", .object([.init("code", .text, "stable"), .init("text", .text, "for people")], isOpen: false),
      isOptional: true,
      "why it could not go on"),
    .init("reason", .text, isOptional: true, "why what was heard at the end was not the best that was wanted"),
  ]
}

enum DubReceipt: DeviceTask {
  static let row = MethodRow(
    "dub.receipt", "tells how something was dubbed that is over", .viewer, whileRecording: .queued,
    discussion: "Beside what it says of itself it has the figures of dub.status, as they were at the end.")
  typealias Answer = DubReceiptAnswer

  struct Parameters: ParameterSet {
    let id: String?

    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.optional("id", .text(limit: 100), "its file name, as dub.receipts shows it; the newest without it")
    }

    init(id: String?) { self.id = id }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let reading = BetweenSteps<ReceiptReading?>(nil)
    device.onLibraryInSteps(reply) { library throws(LibraryError) in
      if let reading = reading.value { return try reading.step().map { DubReceiptAnswer(json: $0) } }
      let newest = try library.dubs.list().first
      guard let id = wanted.id ?? newest else { throw .notFound("a receipt of a dub") }
      reading.value = try library.dubs.reading(of: id)
      return nil
    }
  }
}

enum DubReceipts: DeviceTask {
  static let row = MethodRow(
    "dub.receipts", "lists the receipts of what was dubbed, the newest first", .viewer, whileRecording: .queued)

  struct Answer: WireObject {
    let receipts: [String]
    static let fields: [Field<Self>] = [Field("receipts", \.receipts, "their file names in dubs/")]
  }

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in Answer(receipts: try library.dubs.list()) }
  }
}
