internal import Hardware

/// A day of the calendar, whatever the zone: days since 1970-01-01.
struct CalendarDay: Hashable, Sendable {
  var number: Int

  /// 0 is Monday.
  var weekday: Int { ((number + 3) % 7 + 7) % 7 }

  var year: Int { Int(WallTime(seconds: seconds).utc.year) }

  init(number: Int) { self.number = number }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  init(year: Int, month: Int, day: Int) {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The day on which a count of seconds since 1970 is.
  init(containing seconds: Int) { number = (seconds - ((seconds % 86_400) + 86_400) % 86_400) / 86_400 }

  /// Seconds since 1970 at which it begins, as if there were no zones.
  var seconds: Int { number * 86_400 }
}
