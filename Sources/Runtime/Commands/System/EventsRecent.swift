internal import Console

/// What has happened, for whoever was not there when it did.
enum EventsRecent: DeviceMethod {
  static let row = MethodRow(
    "events.recent", "shows the latest events", .viewer,
    discussion: "The latest 200 of this run, without telemetry, which comes ten times a second, and answers to a "
      + "script. events.subscribe sends those to come.")

  struct Parameters: ParameterSet {
    let count: Int
    let topics: [EventTopic]

    init(_ given: inout Given) throws(CommandFailure) {
      count = try given.value("count", .integer(1...EventStream.mostRecent), default: 20, "how many")
      topics = try given.optional("topics", .list(), "which; all of them without it, or if it is empty") ?? []
    }
  }

  struct Answer: WireObject {
    let events: [EventRecord]
    static let fields: [Field<Self>] = [Field("events", \.events, "oldest first")]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let topics = Set(wanted.topics)
    let events = device.events.recent.suffix(EventStream.mostRecent)
    return Answer(events: events.filter { topics.isEmpty || topics.contains($0.topic) }.suffix(wanted.count))
  }
}
