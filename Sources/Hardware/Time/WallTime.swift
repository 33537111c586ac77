/// A reading of the wall clock: an annotation on takes and logs, never a time base.
///
/// A board without a battery-backed clock starts in 1970; nothing may depend on this value growing.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted (as POSIX `time_t`).
  public var nanosecondsSince1970: Int64

  public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.nanosecondsSince1970 < right.nanosecondsSince1970
  }

  /// The UTC calendar fields of this reading, by the proleptic Gregorian calendar.
  public var utc: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    let seconds = nanosecondsSince1970.floorDivided(by: 1_000_000_000)
    let days = seconds.floorDivided(by: 86_400)
    let ofDay = Int(seconds - days * 86_400)
    // Days to civil date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let shifted = days + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    return (year, month, day, ofDay / 3600, ofDay / 60 % 60, ofDay % 60)
  }

  /// `2026-11-20T21:54:00Z`, the form used in metadata.
  public var iso8601: String { text(timeSeparator: ":") }

  /// `2026-11-20T21-54-00Z`, the form used in file names (no colon: FAT and exFAT refuse it).
  public var fileNameStamp: String { text(timeSeparator: "-") }

  private func text(timeSeparator: String) -> String {
    let fields = utc
    let date = "\(padded(fields.year, 4))-\(padded(fields.month, 2))-\(padded(fields.day, 2))"
    let time = [fields.hour, fields.minute, fields.second].map { padded($0, 2) }.joined(separator: timeSeparator)
    return "\(date)T\(time)Z"
  }

  private func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Int64 {
  /// Division that rounds towards minus infinity, so that times before 1970 keep their calendar.
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
