public import Hardware
internal import JSON

/// `schedules.json`: which occurrences of schedules are over, so that none is begun twice. Storage worker only; start-up
/// reads it before there are threads.
public final class ScheduleStore {
  private let document: GuardedDocument
  private let clock: any DeviceClock

  public init(storage: any Storage, clock: any DeviceClock) {
    document = GuardedDocument("schedules.json", on: storage)
    self.clock = clock
  }

  /// What was kept: names of occurrences, up to when all is settled, in seconds since 1970, and the one that is recorded.
  /// Nothing, if there is none or it cannot be read.
  public func load() -> (done: [String], seen: Int?, running: String?) {
    guard let fields = try? document.load(at: clock.wallNow) else { return ([], nil, nil) }
    return (
      fields["done"]?.arrayValue?.compactMap(\.stringValue) ?? [], fields["seen"]?.integerValue,
      fields["running"]?.stringValue
    )
  }

  public func save(done: [String], seen: Int?, running: String?) throws(LibraryError) {
    try document.save([
      "done": .array(done.map(JSONValue.string)), "seen": seen.map(JSONValue.integer) ?? .null,
      "running": running.map(JSONValue.string) ?? .null,
    ])
  }
}
