public import Hardware

/// A zone: how far its clocks are from UTC, in winter and in summer, by the rule that POSIX has for it (`TZ`, chapter 8.3:
/// `CET-1CEST,M3.5.0,M10.5.0/3`). Rules of today hold for all times: what governments change comes with a new rule.
public struct Zone: Hashable, Sendable {
  /// When the clocks are changed.
  private struct Change: Hashable {
    enum Day: Hashable {
      /// The `week`th (5: the last) `weekday` (0 is Sunday) of a month.
      case weekday(month: Int, week: Int, weekday: Int)
      /// 1…365, the 29th of February not counted.
      case plain(Int)
      /// 0…365, counted.
      case counted(Int)
    }
    var day: Day
    /// Of that day, by the clock as it is before.
    var seconds = 7200

    /// Seconds since 1970 by the local clock.
    func local(in year: Int) -> Int {
      switch day {
      case .weekday(let month, let week, let weekday):
        let first = CalendarDay(year: year, month: month, day: 1)
        // Here Monday is 0.
        var date = first.number + ((weekday + 6) % 7 - first.weekday + 7) % 7 + 7 * (week - 1)
        let end =
          month == 12 ? CalendarDay(year: year + 1, month: 1, day: 1) : .init(year: year, month: month + 1, day: 1)
        while date >= end.number { date -= 7 }
        return date * 86_400 + seconds
      case .plain(let day):
        let isLeap =
          CalendarDay(year: year, month: 3, day: 1).number - CalendarDay(year: year, month: 2, day: 1).number == 29
        return (CalendarDay(year: year, month: 1, day: 1).number + day - 1 + (isLeap && day >= 60 ? 1 : 0)) * 86_400
          + seconds
      case .counted(let day): return (CalendarDay(year: year, month: 1, day: 1).number + day) * 86_400 + seconds
      }
    }
  }

  /// Seconds east of UTC.
  private let standard: Int
  private let summer: Int
  private let toSummer: Change?
  private let toStandard: Change?

  public static let utc = Zone(standard: 0)

  private init(standard: Int) {
    self.standard = standard
    summer = standard
    toSummer = nil
    toStandard = nil
  }

  /// A zone by its name (`Europe/Berlin`) or by its rule; nil if it is neither.
  public init?(_ text: String) {
    var rule = Scan(ZoneNames.rule(text) ?? text)
    guard rule.rest.count <= 60, rule.name(), let west = rule.time() else { return nil }
    standard = -west
    guard !rule.isAtEnd else {
      summer = standard
      toSummer = nil
      toStandard = nil
      return
    }
    guard rule.name() else { return nil }
    var east = standard + 3600
    if !rule.isAtEnd, rule.peek != "," {
      guard let west = rule.time() else { return nil }
      east = -west
    }
    summer = east
    guard let start = Self.change(&rule), let end = Self.change(&rule), rule.isAtEnd else { return nil }
    toSummer = start
    toStandard = end
  }

  private static func change(_ rule: inout Scan) -> Change? {
    guard rule.take(",") else { return nil }
    let day: Change.Day
    if rule.take("M") {
      guard let month = rule.number(1...12), rule.take("."), let week = rule.number(1...5), rule.take("."),
        let weekday = rule.number(0...6)
      else { return nil }
      day = .weekday(month: month, week: week, weekday: weekday)
    } else if rule.take("J") {
      guard let number = rule.number(1...365) else { return nil }
      day = .plain(number)
    } else {
      guard let number = rule.number(0...365) else { return nil }
      day = .counted(number)
    }
    guard rule.take("/") else { return Change(day: day) }
    return rule.time().map { Change(day: day, seconds: $0) }
  }

  /// Seconds east of UTC at a time.
  public func offset(at time: WallTime) -> Int {
    guard let toSummer, let toStandard else { return standard }
    let seconds = time.seconds
    let year = CalendarDay(containing: seconds + standard).year
    let start = toSummer.local(in: year) - standard
    let end = toStandard.local(in: year) - summer
    let isSummer = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end
    return isSummer ? summer : standard
  }

  /// The time at which the zone's clocks show this; of two, the first. A time that is skipped when the clocks go forward
  /// is as much after the change.
  func time(ofLocal seconds: Int) -> WallTime {
    for offset in [max(standard, summer), min(standard, summer)] {
      let time = WallTime(seconds: seconds - offset)
      if self.offset(at: time) == offset { return time }
    }
    return WallTime(seconds: seconds - min(standard, summer))
  }

  /// The day there at a time.
  func day(at time: WallTime) -> CalendarDay { CalendarDay(containing: time.seconds + offset(at: time)) }

  /// `21 Nov 09:41` there.
  public func dayAndClock(_ time: WallTime, in language: Language) -> String {
    let date = WallTime(seconds: time.seconds + offset(at: time)).utc
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let day =
      language == .russian
      ? "\(date.day)." + (date.month < 10 ? "0" : "") + "\(date.month)" : "\(date.day) \(months[date.month - 1])"
    return day + " " + clockText(time)
  }

  /// `21:54` there.
  public func clockText(_ time: WallTime) -> String {
    let minute = (time.seconds + offset(at: time)) / 60
    let (hours, minutes) = ((minute / 60 % 24 + 24) % 24, (minute % 60 + 60) % 60)
    return (hours < 10 ? "0" : "") + "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes)"
  }
}

/// A text that is read from the left.
private struct Scan {
  private(set) var rest: Substring

  init(_ text: String) { rest = Substring(text) }

  var isAtEnd: Bool { rest.isEmpty }
  var peek: Character? { rest.first }

  mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard (1...3).contains(digits.count), let number = Int(digits), range.contains(number) else { return nil }
    rest = rest[digits.endIndex...]
    return number
  }

  /// Three letters and more, or anything in `<>`.
  mutating func name() -> Bool {
    if take("<") {
      let name = rest.prefix { $0 != ">" }
      rest = rest[name.endIndex...]
      return name.count >= 3 && take(">")
    }
    let name = rest.prefix { $0.isASCII && $0.isLetter }
    rest = rest[name.endIndex...]
    return name.count >= 3
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func time() -> Int? {
    let sign = take("-") ? -1 : 1
    if sign == 1 { _ = take("+") }
    guard var seconds = number(0...167).map({ $0 * 3600 }) else { return nil }
    for unit in [60, 1] where peek == ":" {
      rest.removeFirst()
      guard let part = number(0...59) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }
}
