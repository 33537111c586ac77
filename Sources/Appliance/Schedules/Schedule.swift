internal import Hardware

/// When the device records by itself: on these days, from then to then, all the time or every so many minutes.
public struct Schedule: Hashable, Sendable {
  /// A time of a day.
  public enum Moment: Hashable, Sendable {
    /// Minutes after midnight by the zone's clocks.
    case clock(Int)
    /// Minutes after (or, below zero, before) the sun's rise.
    case sunrise(Int)
    case sunset(Int)
  }

  /// Minutes: so many of every so many.
  public struct Turns: Hashable, Sendable {
    public internal(set) var every: Int
    public internal(set) var length: Int
  }

  /// Its own among the schedules; a number is not given twice while there are others.
  public internal(set) var number: Int
  public internal(set) var isOn = true
  /// 0 is Monday; bits.
  public internal(set) var days: Int
  public internal(set) var from: Moment
  /// On the next day, if it is not after `from`.
  public internal(set) var to: Moment
  public internal(set) var turns: Turns?

  /// One to begin with, which has no number yet.
  static let new = Schedule(number: 0, days: everyDay, from: .clock(360), to: .clock(420))

  static let everyDay = 0x7F
  static let most = 16
  private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  static let furthestFromSun = -360...360

  public var needsPlace: Bool {
    if case .clock = from, case .clock = to { return false }
    return true
  }

  // MARK: As text

  /// `1 on mon,tue sunrise-30 09:00 every 15 for 2`, as it is kept, without number and state.
  public var text: String {
    let turns = turns.map { " every \($0.every) for \($0.length)" } ?? ""
    return "\(daysText) \(Self.text(of: from)) \(Self.text(of: to))\(turns)"
  }

  /// `daily`, `mon,tue`.
  public var daysText: String {
    days == Self.everyDay
      ? "daily"
      : Self.dayNames.enumerated().filter { days & 1 << $0.offset != 0 }.map(\.element).joined(separator: ",")
  }

  static func text(of moment: Moment) -> String {
    switch moment {
    case .clock(let minutes):
      (minutes < 600 ? "0" : "") + "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
    case .sunrise(let offset): "sunrise" + signed(offset)
    case .sunset(let offset): "sunset" + signed(offset)
    }
  }

  static func signed(_ offset: Int) -> String { offset == 0 ? "" : offset > 0 ? "+\(offset)" : "\(offset)" }

  /// For people who have typed something else.
  public static let grammar =
    "days (daily, mon-fri, sat,sun), from and to (06:30, sunrise-30, sunset+15), and for parts of it: every MINUTES for MINUTES"

  private init(number: Int, days: Int, from: Moment, to: Moment) {
    self.number = number
    self.days = days
    self.from = from
    self.to = to
  }

  /// Reads what `text` writes, and `mon-fri`; nil if it is no schedule.
  public init?(number: Int, isOn: Bool = true, _ text: some StringProtocol) {
    var words = text.lowercased().split(separator: " ")[...]
    func next() -> Substring { words.popFirst() ?? "" }
    guard let days = Self.days(next()), let from = Self.moment(next()), let to = Self.moment(next()) else { return nil }
    self.number = number
    self.isOn = isOn
    self.days = days
    self.from = from
    self.to = to
    guard !words.isEmpty else { return }
    guard next() == "every", let every = Int(next()), next() == "for", let length = Int(next()), words.isEmpty,
      (2...1440).contains(every), (1..<every).contains(length)
    else { return nil }
    turns = Turns(every: every, length: length)
  }

  private static func days(_ text: Substring) -> Int? {
    if text == "daily" { return everyDay }
    var days = 0
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
        dayNames.firstIndex(of: String($0))
      }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else { return nil }
      var day = first
      days |= 1 << day
      while day != last {
        day = (day + 1) % 7
        days |= 1 << day
      }
    }
    return days
  }

  private static func moment(_ text: Substring) -> Moment? {
    for (name, make) in [("sunrise", Moment.sunrise), ("sunset", Moment.sunset)] where text.hasPrefix(name) {
      let rest = text.dropFirst(name.count)
      guard !rest.isEmpty else { return make(0) }
      guard "+-".contains(rest.first ?? " "), let offset = Int(rest), furthestFromSun.contains(offset)
      else { return nil }
      return make(offset)
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2, let hour = Int(parts[0]),
      let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    return .clock(hour * 60 + minute)
  }
}

/// All schedules: one text in the settings, `1 on daily 06:00 08:00; 2 off …`.
public struct Schedules: Hashable, Sendable {
  public internal(set) var all: [Schedule] = []

  public init() {}

  public init?(_ text: String) {
    for part in text.split(separator: ";") {
      let words = part.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let number = Int(words[0]), (1...999).contains(number), ["on", "off"].contains(words[1]),
        let schedule = Schedule(number: number, isOn: words[1] == "on", words[2]),
        !all.contains(where: { $0.number == number }), all.count < Schedule.most
      else { return nil }
      all.append(schedule)
    }
  }

  /// One of them alone.
  public func only(_ number: Int) -> Schedules {
    var one = self
    one.all.removeAll { $0.number != number }
    return one
  }

  public var text: String {
    all.map { "\($0.number) \($0.isOn ? "on" : "off") \($0.text)" }.joined(separator: "; ")
  }

  /// Adds one under a number of its own; nil if there are too many, or it is none.
  public mutating func add(_ text: String) -> Schedule? {
    guard let schedule = Schedule(number: freeNumber, text), put(schedule) else { return nil }
    return schedule
  }

  private var freeNumber: Int { (all.map(\.number).max() ?? 0) % 999 + 1 }

  /// Puts one in the place of that of its number, else after all others; one without a number, or with one that is
  /// taken by then, gets its own.
  ///
  /// - Returns: whether there was room.
  @discardableResult
  mutating func put(_ schedule: Schedule) -> Bool {
    if let index = all.firstIndex(where: { $0.number == schedule.number }) {
      all[index] = schedule
      return true
    }
    var added = schedule
    if added.number == 0 { added.number = freeNumber }
    guard all.count < Schedule.most, !all.contains(where: { $0.number == added.number }) else { return false }
    all.append(added)
    return true
  }

  /// - Returns: whether there was one.
  public mutating func remove(_ number: Int) -> Bool {
    let count = all.count
    all.removeAll { $0.number == number }
    return all.count < count
  }

  public mutating func enable(_ number: Int, _ isOn: Bool) -> Bool {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return false }
    all[index].isOn = isOn
    return true
  }
}
