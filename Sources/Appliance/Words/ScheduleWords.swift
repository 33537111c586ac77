public import Hardware

// What the list of schedules and its editor say.

extension Schedule {
  /// As short as it gets, for the panel: `Mon-Fri 06:30-08:00 2/15`, `daily rise-30 to 09:00`.
  public var words: Translated {
    let turns = turns.map { " \($0.length)/\($0.every)" } ?? ""
    let days = daysWords
    let (start, end) = (from.short, to.short)
    return Translated(
      "\(days.english) \(start.english)\(needsPlace ? " to " : "-")\(end.english)\(turns)",
      "\(days.text(in: .russian)) \(start.text(in: .russian))-\(end.text(in: .russian))\(turns)")
  }

  /// `daily`, `Mon-Fri`, `Sat`, `Mo,We,Fr`.
  var daysWords: Translated {
    if days == Self.everyDay { return Translated("daily", "ежедн.") }
    let chosen = (0..<7).filter { days & 1 << $0 != 0 }
    guard let first = chosen.first, let last = chosen.last else { return Translated("") }
    if first == last { return Self.dayWords(first) }
    if last - first == chosen.count - 1 {
      let (begin, end) = (Self.dayWords(first), Self.dayWords(last))
      return Translated(
        "\(begin.english)-\(end.english)", "\(begin.text(in: .russian))-\(end.text(in: .russian))")
    }
    return Translated(
      chosen.map { String(Self.dayWords($0).english.prefix(2)) }.joined(separator: ","),
      chosen.map { Self.dayWords($0).text(in: .russian) }.joined(separator: ","))
  }

  /// `Mon`; 0 is Monday.
  static func dayWords(_ day: Int) -> Translated {
    switch day {
    case 0: Translated("Mon", "Пн")
    case 1: Translated("Tue", "Вт")
    case 2: Translated("Wed", "Ср")
    case 3: Translated("Thu", "Чт")
    case 4: Translated("Fri", "Пт")
    case 5: Translated("Sat", "Сб")
    default: Translated("Sun", "Вс")
    }
  }
}

extension Schedule.Moment {
  /// In a schedule's title.
  fileprivate var short: Translated {
    switch self {
    case .clock: Translated(Schedule.text(of: self))
    case .sunrise(let offset): Translated("rise" + Schedule.signed(offset), "восх" + Schedule.signed(offset))
    case .sunset(let offset): Translated("set" + Schedule.signed(offset), "зах" + Schedule.signed(offset))
    }
  }

  /// What a time is told by.
  var kind: Translated {
    switch self {
    case .clock: Translated("the clock", "часы")
    case .sunrise: Translated("sunrise", "восход")
    case .sunset: Translated("sunset", "закат")
    }
  }

  /// The row of the time itself.
  var title: (title: Translated, value: Translated) {
    switch self {
    case .clock: (Translated("at", "в"), Translated(Schedule.text(of: self)))
    case .sunrise(let offset), .sunset(let offset):
      (
        offset < 0 ? Translated("before", "раньше на") : Translated("after", "позже на"),
        .minutes(Int(offset.magnitude))
      )
    }
  }
}

extension ScheduleDraft.Row {
  /// What the editor calls it; the rows of times have more to say.
  var words: Translated {
    switch self {
    case .days: Translated("Days", "Дни")
    case .from: Translated("From", "Начало")
    case .to: Translated("To", "Конец")
    case .fromTime, .toTime: Translated("at", "в")
    case .every: Translated("Every", "Каждые")
    case .length: Translated("for", "по")
    case .day(let day): Schedule.dayWords(day)
    case .zone: Translated("Zone", "Пояс")
    case .latitude: Translated("Latitude", "Широта")
    case .longitude: Translated("Longitude", "Долгота")
    }
  }
}

extension Translated {
  static let allTheTime = Translated("all the time", "всё время")
  static let notSet = Translated("not set", "не задана")
  static let off = Translated("off", "выкл")
  static let on = Translated("on", "вкл")

  static func minutes(_ number: Int) -> Translated { Translated("\(number) min", "\(number) мин") }

  /// Why something planned was missed.
  static let cutShort = Translated("its take was cut short", "запись прервалась")
  static let anotherTake = Translated("another take was being recorded", "шла другая запись")
  static let wasOff = Translated(
    "the device was off, or its clock was not set", "устройство было выключено или часы не стояли")
}

extension Refusal {
  /// Why something planned was missed, once its time is over: what to do about it then is of no use any more.
  public var pastWords: Translated {
    switch reason {
    case .busy("recording"): .anotherTake
    case .busy("saving"), .busy("queued"):
      Translated("another take was being saved", "сохранялась другая запись")
    case .busy: Translated("the device was busy", "устройство было занято")
    default: Translated(Self.unended(words.english), Self.unended(words.text(in: .russian)))
    }
  }

  /// The sentence around it has its own full stop.
  private static func unended(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}

extension Zone {
  /// `Mon 06:30` there.
  public func words(of time: WallTime) -> Translated {
    let day = Schedule.dayWords(day(at: time).weekday)
    return Translated("\(day.english) \(clockText(time))", "\(day.text(in: .russian)) \(clockText(time))")
  }

  /// `2026-11-20 21:54` there, `20.11.2026 21:54` in Russian.
  public func dateText(_ time: WallTime, in language: Language) -> String {
    let date = WallTime(seconds: day(at: time).seconds).iso8601.prefix(10)
    switch language {
    case .english: return "\(date) \(clockText(time))"
    case .russian: return date.split(separator: "-").reversed().joined(separator: ".") + " \(clockText(time))"
    }
  }
}
