public import Hardware

/// What the panel asks of the wall clock.
public enum ClockOrder: Hashable, Sendable {
  /// Tells what it shows.
  case tell
  /// Sets it; the answer comes when it shows the new time, or does not.
  case set(WallTime)
}

/// What is told of the wall clock.
public enum ClockReport: Hashable, Sendable {
  case shows(WallTime)
  /// It was set, and shows this.
  case set(WallTime)
  /// It was not; `code` as in console errors.
  case failed(code: String, text: String)
}

extension ClockDraft.Field: Wording {
  public var words: Translated {
    switch self {
    case .year: Translated("Year", "Год")
    case .month: Translated("Month", "Месяц")
    case .day: Translated("Day", "День")
    case .hour: Translated("Hour", "Часы")
    case .minute: Translated("Minute", "Минуты")
    case .zone: Translated("Zone", "Пояс")
    }
  }
}
