/// What is edited on the panel: a schedule, or the zone and the place that all of them count by. Nothing of it counts before
/// the editor is left: a time that is only passed on the way to another one must not begin a take.
public struct ScheduleDraft: Hashable, Sendable {
  /// A row of the editor.
  enum Row: Hashable, Sendable {
    case days, from, fromTime, to, toTime, every, length
    case day(Int)
    case zone, latitude, longitude
  }

  /// Index of the highlighted row.
  public private(set) var selected = 0
  /// `nil`: zone and place are edited. The number 0: it is a new one.
  private var schedule: Schedule?
  private var zone: String
  private var place: Place?

  init(_ schedule: Schedule?, _ settings: Settings) {
    self.schedule = schedule
    zone = settings.zone
    place = Place(settings.place)
  }

  var rows: [Row] {
    guard let schedule else { return [.zone, .latitude, .longitude] }
    let turns: [Row] = schedule.turns == nil ? [.every] : [.every, .length]
    return [.days, .from, .fromTime, .to, .toTime] + turns + (0..<7).map { .day($0) }
  }

  /// The rows for people, from the top.
  public var texts: [(title: Translated, value: Translated)] { rows.map(text) }

  private func text(of row: Row) -> (title: Translated, value: Translated) {
    let schedule = schedule ?? .new
    return switch row {
    case .days: (row.words, schedule.daysWords)
    case .from: (row.words, schedule.from.kind)
    case .fromTime: schedule.from.title
    case .to: (row.words, schedule.to.kind)
    case .toTime: schedule.to.title
    case .every: (row.words, schedule.turns.map { .minutes($0.every) } ?? .allTheTime)
    case .length: (row.words, schedule.turns.map { .minutes($0.length) } ?? Translated(""))
    case .day(let day): (row.words, schedule.days & 1 << day == 0 ? .off : .on)
    case .zone: (row.words, Translated(zone))
    case .latitude: (row.words, Self.degrees(place?.latitude))
    case .longitude: (row.words, Self.degrees(place?.longitude))
    }
  }

  private static func degrees(_ number: Double?) -> Translated { number.map { Translated("\($0)") } ?? .notSet }

  // MARK: Editing

  /// - Returns: whether there was another row in that direction.
  mutating func move(by step: Int) -> Bool {
    guard let row = Appliance.Row.moved(selected, by: step, count: rows.count) else { return false }
    selected = row
    return true
  }

  /// The highlighted value one step, or a large one, to the left (−1) or right (+1).
  ///
  /// - Returns: whether it could be changed.
  mutating func change(by direction: Int, isFast: Bool) -> Bool {
    let before = self
    let row = rows[selected]
    if var changed = schedule {
      changed.change(row, by: direction, isFast: isFast)
      schedule = changed
    } else {
      switch row {
      case .zone: zone = Step.neighbour(of: zone, in: ZoneNames.all, by: direction) ?? zone
      case .latitude: place = (place ?? .origin).moved(north: direction, isFast: isFast)
      default: place = (place ?? .origin).moved(east: direction, isFast: isFast)
      }
    }
    return self != before
  }

  /// What is kept when the editor is left.
  func put(into settings: inout Settings) throws(SettingError) {
    guard let schedule else {
      return try settings.set(["clock.zone": .text(zone), "clock.place": .text(place?.text ?? settings.place)])
    }
    var schedules = settings.planned
    schedules.put(schedule)
    try settings.set("recording.schedules", to: .text(schedules.text))
  }
}

extension Schedule {
  fileprivate mutating func change(_ row: ScheduleDraft.Row, by direction: Int, isFast: Bool) {
    switch row {
    case .days: days = Step.neighbour(of: days, in: [Self.everyDay, 0x1F, 0x60], by: direction) ?? days
    case .from: from = from.ofNextKind(by: direction) ?? from
    case .fromTime: from = from.moved(by: direction, isFast: isFast)
    case .to: to = to.ofNextKind(by: direction) ?? to
    case .toTime: to = to.moved(by: direction, isFast: isFast)
    case .every:
      let every = Step.next(after: turns?.every ?? 0, in: [0] + Self.everies, by: direction) ?? 0
      if every > 0 { turns = Turns(every: every, length: min(turns?.length ?? 1, every - 1)) }
      if every == 0, direction < 0 { turns = nil }
    case .length:
      guard let turns, let length = Step.next(after: turns.length, in: Self.lengths, by: direction),
        length < turns.every
      else { return }
      self.turns = Turns(every: turns.every, length: length)
    case .day(let day):
      let others = days & ~(1 << day)
      days = direction > 0 || others == 0 ? others | 1 << day : others
    case .zone, .latitude, .longitude: break
    }
  }

  private static let lengths = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 720]
  private static let everies = lengths.dropFirst() + [1440]
}

extension Schedule.Moment {
  fileprivate func ofNextKind(by direction: Int) -> Self? {
    switch self {
    case .clock: direction > 0 ? .sunrise(0) : nil
    case .sunrise(let offset): direction > 0 ? .sunset(offset) : .clock(360)
    case .sunset(let offset): direction > 0 ? nil : .sunrise(offset)
    }
  }

  /// By 5 minutes, or by half an hour. The clock has no end; offsets from the sun have.
  fileprivate func moved(by direction: Int, isFast: Bool) -> Self {
    func moved(_ minutes: Int) -> Int { Step.multiple(after: minutes, of: isFast ? 30 : 5, by: direction) }
    func offset(_ minutes: Int) -> Int {
      min(max(moved(minutes), Schedule.furthestFromSun.lowerBound), Schedule.furthestFromSun.upperBound)
    }
    return switch self {
    case .clock(let minutes): .clock((moved(minutes) + 1440) % 1440)
    case .sunrise(let minutes): .sunrise(offset(minutes))
    case .sunset(let minutes): .sunset(offset(minutes))
    }
  }
}

extension Place {
  fileprivate static let origin = Place(latitude: 0, longitude: 0)

  /// As it is kept.
  fileprivate var text: String { "\(latitude),\(longitude)" }

  /// By a tenth of a degree, or by one.
  fileprivate func moved(north direction: Int, isFast: Bool) -> Place {
    Place(latitude: min(max(Self.moved(latitude, direction, isFast), -90), 90), longitude: longitude)
  }

  /// Around the earth.
  fileprivate func moved(east direction: Int, isFast: Bool) -> Place {
    let degrees = Self.moved(longitude, direction, isFast)
    return Place(
      latitude: latitude, longitude: degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees)
  }

  private static func moved(_ degrees: Double, _ direction: Int, _ isFast: Bool) -> Double {
    Double(Step.multiple(after: Int((degrees * 1000).rounded()), of: isFast ? 1000 : 100, by: direction)) / 1000
  }
}

/// Where LEFT (−1) and RIGHT (+1) go from a value.
private enum Step {
  /// The next multiple of a unit.
  static func multiple(after value: Int, of unit: Int, by direction: Int) -> Int {
    (Int((Double(value) / Double(unit)).rounded(direction < 0 ? .up : .down)) + direction) * unit
  }

  /// The next of ascending numbers, also from one between two of them.
  static func next(after number: Int, in numbers: [Int], by direction: Int) -> Int? {
    direction < 0 ? numbers.last { $0 < number } : numbers.first { $0 > number }
  }

  /// The value beside one in a list; its first from what is not in it.
  static func neighbour<Value: Equatable>(of value: Value, in values: [Value], by direction: Int) -> Value? {
    guard let index = values.firstIndex(of: value) else { return values.first }
    return values.indices.contains(index + direction) ? values[index + direction] : nil
  }
}
