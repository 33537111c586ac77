public import Hardware

/// Date, time and zone being set on the panel. Nothing of it counts before CENTRE sets it.
public struct ClockDraft: Hashable, Sendable {
  /// What LEFT and RIGHT go through.
  public enum Field: Int, Hashable, Sendable, CaseIterable {
    case year, month, day, hour, minute, zone
  }

  /// What CENTRE comes to.
  public struct Wish: Hashable, Sendable {
    /// `nil`: it stays as it is.
    public var time: WallTime?
    public var zone: String?
  }

  public private(set) var field: Field
  public private(set) var zone: String
  /// Minutes since 1970 by the clocks of the zone.
  private var minutes: Int
  /// What the clock has shown; where nobody has changed date or time it is left alone.
  private let shown: WallTime
  private var isTouched = false
  private let zoneBefore: String
  /// The clock has been told, and has not answered yet.
  public internal(set) var isWaiting = false

  /// What boards' clocks can hold.
  private static let years = 2025...2099

  /// - Parameter now: what the clock shows; one that is not set begins with the first day of 2026.
  public init(_ now: WallTime, zone: String, at field: Field = .year) {
    self.field = field
    shown = now.isSettable ? now : WallTime(seconds: CalendarDay(year: 2026, month: 1, day: 1).seconds)
    self.zone = zone
    zoneBefore = zone
    minutes = Self.minutes(of: shown, in: zone)
  }

  private static func minutes(of time: WallTime, in zone: String) -> Int {
    (time.seconds + (Zone(zone) ?? .utc).offset(at: time)) / 60
  }

  private var parts: (year: Int, month: Int, day: Int, hour: Int, minute: Int) {
    let fields = WallTime(seconds: minutes * 60).utc
    return (fields.year, fields.month, fields.day, fields.hour, fields.minute)
  }

  /// A field as it stands.
  public func text(of field: Field) -> String {
    let parts = parts
    return switch field {
    case .year: "\(parts.year)"
    case .month: Self.twoDigits(parts.month)
    case .day: Self.twoDigits(parts.day)
    case .hour: Self.twoDigits(parts.hour)
    case .minute: Self.twoDigits(parts.minute)
    case .zone: zone
    }
  }

  private static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }

  /// What CENTRE sets: only what has been changed.
  public var wish: Wish {
    Wish(
      time: isTouched ? (Zone(zone) ?? .utc).time(ofLocal: minutes * 60) : nil,
      zone: zone == zoneBefore ? nil : zone)
  }

  // MARK: Keys

  /// - Returns: whether there is a field in that direction.
  mutating func go(by step: Int) -> Bool {
    guard let next = Field(rawValue: field.rawValue + step) else { return false }
    field = next
    return true
  }

  /// The highlighted field up (+1) or down (−1); all but the year go around.
  ///
  /// - Parameter isFast: minutes by five, zones by what stands before the stroke.
  /// - Returns: whether it could be changed.
  mutating func change(by direction: Int, isFast: Bool) -> Bool {
    guard !isWaiting else { return false }
    if field == .zone {
      // Names are read downwards.
      zone = Self.zone(beside: zone, by: -direction, isFast: isFast)
      if !isTouched { minutes = Self.minutes(of: shown, in: zone) }
      return true
    }
    var (year, month, day, hour, minute) = parts
    switch field {
    case .year:
      guard Self.years.contains(year + direction) else { return false }
      year += direction
    case .month: month = Self.turned(month - 1 + direction, of: 12) + 1
    case .day: day = Self.turned(day - 1 + direction, of: Self.days(in: month, of: year)) + 1
    case .hour: hour = Self.turned(hour + direction, of: 24)
    case .minute: minute = Self.turned(isFast ? minute / 5 * 5 + direction * 5 : minute + direction, of: 60)
    case .zone: break
    }
    day = min(day, Self.days(in: month, of: year))
    minutes = (CalendarDay(year: year, month: month, day: day).number * 24 + hour) * 60 + minute
    isTouched = true
    return true
  }

  private static func turned(_ number: Int, of count: Int) -> Int { (number % count + count) % count }

  private static func days(in month: Int, of year: Int) -> Int {
    let next = month == 12 ? CalendarDay(year: year + 1, month: 1, day: 1) : .init(year: year, month: month + 1, day: 1)
    return next.number - CalendarDay(year: year, month: month, day: 1).number
  }

  /// The next zone, or the first one of the next region; from a rule that has no name, the first of all.
  private static func zone(beside zone: String, by direction: Int, isFast: Bool) -> String {
    let names = ZoneNames.all
    guard let place = names.firstIndex(of: zone) else { return names[0] }
    func region(_ name: String) -> Substring { name.prefix { $0 != "/" } }
    guard isFast else { return names[turned(place + direction, of: names.count)] }
    return names[(place + 1)...].first { region($0) != region(zone) } ?? names[0]
  }
}
