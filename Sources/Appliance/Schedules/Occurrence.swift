public import Hardware

/// One time that a schedule records.
public struct Occurrence: Hashable, Sendable {
  /// Tells it from all others, over restarts: the schedule, and when it was to begin.
  public struct Key: Hashable, Sendable, CustomStringConvertible {
    public let schedule: Int
    public let start: WallTime

    public var description: String { "\(schedule)@\(start.seconds)" }

    init(schedule: Int, start: WallTime) {
      self.schedule = schedule
      self.start = start
    }

    /// Reads what `description` writes.
    public init?(_ text: String) {
      let parts = text.split(separator: "@").map { Int($0) }
      guard parts.count == 2, let schedule = parts[0], let start = parts[1] else { return nil }
      self.init(schedule: schedule, start: WallTime(seconds: start))
    }
  }

  public let key: Key
  public let end: WallTime
  public var start: WallTime { key.start }
}

/// Where and by which clocks schedules count.
public struct ScheduleBasis: Hashable, Sendable {
  public var schedules: Schedules
  public var zone: Zone
  /// Nil: where is not known, so that schedules by the sun rest.
  public var place: Place?

  public init(_ schedules: Schedules, zone: Zone, place: Place?) {
    self.schedules = schedules
    self.zone = zone
    self.place = place
  }

  /// How far ahead the next one is looked for: a year, for the sun may stay away for months.
  private static let horizonDays = 366

  /// Those that begin on a day of the zone's calendar, in the order of their beginnings.
  func occurrences(on day: CalendarDay) -> [Occurrence] {
    schedules.all.flatMap { occurrences(of: $0, on: day) }.sorted { $0.start < $1.start }
  }

  private func occurrences(of schedule: Schedule, on day: CalendarDay) -> [Occurrence] {
    guard schedule.isOn, schedule.days & 1 << day.weekday != 0, let start = time(schedule.from, on: day) else {
      return []
    }
    let tomorrow = CalendarDay(number: day.number + 1)
    guard var end = time(schedule.to, on: day) ?? time(schedule.to, on: tomorrow) else { return [] }
    if case .clock(let from) = schedule.from, case .clock(let to) = schedule.to, from < to, end <= start {
      // The clocks skip its beginning: it lasts as long as on other days, not until tomorrow.
      end = WallTime(seconds: start.seconds + (to - from) * 60)
    } else if end <= start {
      guard let later = time(schedule.to, on: tomorrow), later > start else { return [] }
      end = later
    }
    guard let turns = schedule.turns else {
      return [Occurrence(key: Occurrence.Key(schedule: schedule.number, start: start), end: end)]
    }
    return stride(from: start.seconds, to: end.seconds, by: turns.every * 60).map { begin in
      Occurrence(
        key: Occurrence.Key(schedule: schedule.number, start: WallTime(seconds: begin)),
        end: WallTime(seconds: min(begin + turns.length * 60, end.seconds)))
    }
  }

  private func time(_ moment: Schedule.Moment, on day: CalendarDay) -> WallTime? {
    switch moment {
    case .clock(let minutes): zone.time(ofLocal: day.seconds + minutes * 60)
    case .sunrise(let offset): sun(.rise, offset, on: day)
    case .sunset(let offset): sun(.set, offset, on: day)
    }
  }

  private func sun(_ event: Place.SunEvent, _ offset: Int, on day: CalendarDay) -> WallTime? {
    place?.sun(event, on: day, in: zone).map { WallTime(seconds: $0.seconds + offset * 60) }
  }

  /// Those that go on, or are over, between two times: that end after the first and begin not after the second.
  ///
  /// - Parameter time: at most a month after `past`; what is older is not looked at.
  func occurrences(after past: WallTime, upTo time: WallTime) -> [Occurrence] {
    let last = zone.day(at: time)
    let first = max(zone.day(at: past).number - 2, last.number - 31)
    guard first <= last.number + 1 else { return [] }
    return (first...last.number + 1).flatMap { occurrences(on: CalendarDay(number: $0)) }
      .filter { $0.end > past && $0.start <= time }
  }

  /// The first that begins after a time.
  public func next(after time: WallTime) -> Occurrence? {
    guard schedules.all.contains(where: \.isOn) else { return nil }
    let today = zone.day(at: time).number
    var (first, last) = (nil as Occurrence?, today + Self.horizonDays)
    for day in today - 2...today + Self.horizonDays where day <= last {
      guard let found = occurrences(on: CalendarDay(number: day)).first(where: { $0.start > time }) else { continue }
      // Parts of one go on for days: others of those days may begin before them.
      if first == nil { last = min(last, day + 3) }
      if found.start < first?.start ?? .distantFuture { first = found }
    }
    return first
  }
}
