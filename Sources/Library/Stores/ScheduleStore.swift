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

  /// What was kept: names of occurrences, and up to when all is settled, in seconds since 1970. Nothing, if there is none or it
  /// cannot be read.
  public func load() -> (done: [String], seen: Int?) {
    guard let fields = try? document.load(at: clock.wallNow) else { return ([], nil) }
    return (fields["done"]?.arrayValue?.compactMap(\.stringValue) ?? [], fields["seen"]?.integerValue)
  }

  public func save(done: [String], seen: Int?) throws(LibraryError) {
    try document.save(["done": .array(done.map(JSONValue.string)), "seen": seen.map(JSONValue.integer) ?? .null])
  }
}
