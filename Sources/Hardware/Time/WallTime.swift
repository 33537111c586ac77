/// A reading of the wall clock: an annotation on takes and logs, never a time base.
///
/// A board without a battery-backed clock starts in 1970; nothing may depend on this value growing.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted (as POSIX `time_t`).
  public var nanosecondsSince1970: Int64

  public init(nanosecondsSince1970: Int64) { self.nanosecondsSince1970 = nanosecondsSince1970 }

  /// False while the clock has not been set: before 2025 no such device existed.
  public var isPlausible: Bool { nanosecondsSince1970 > 1_735_689_600_000_000_000 }

  /// Between the years that clocks of boards can hold: 2025 to 2099.
  public var isSettable: Bool { isPlausible && utc.year <= 2099 }

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

  /// Reads `2026-11-20T21:54:00Z`; also with fractions of a second and with an offset (`+02:00`) instead of `Z`,
  /// as other programs write them (ISO 8601, the profile of RFC 3339). `nil` if it is not such a time.
  public init?(iso8601 text: String) { self.init(text, timeSeparator: UInt8(ascii: ":")) }

  /// Reads the stamp of a file name, `2026-11-20T21-54-00Z`.
  public init?(fileNameStamp text: String) { self.init(text, timeSeparator: UInt8(ascii: "-")) }

  /// The same time without the fraction of its second, which metadata does not keep.
  public var wholeSeconds: WallTime {
    // Of the first second that 64 bits hold there is no beginning.
    let whole = max(-9_223_372_036, nanosecondsSince1970.floorDivided(by: 1_000_000_000))
    return WallTime(nanosecondsSince1970: whole * 1_000_000_000)
  }

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

  private init?(_ text: String, timeSeparator: UInt8) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.count <= 40 else { return nil }
    func number(_ start: Int, _ count: Int) -> Int? {
      guard start + count <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[start..<start + count] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return value
    }
    let dash = UInt8(ascii: "-")
    guard bytes[4] == dash, bytes[7] == dash, bytes[10] == UInt8(ascii: "T"), bytes[13] == timeSeparator,
      bytes[16] == timeSeparator,
      let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var position = 19
    var fraction = 0
    if bytes[position] == UInt8(ascii: ".") {
      position += 1
      var unit = 100_000_000
      while position < bytes.count, let digit = number(position, 1) {
        fraction += digit * unit
        unit /= 10
        position += 1
      }
    }
    var offset = 0
    switch position < bytes.count ? bytes[position] : 0 {
    case UInt8(ascii: "Z") where position + 1 == bytes.count: break
    case UInt8(ascii: "+") where position + 6 == bytes.count, dash where position + 6 == bytes.count:
      guard let hours = number(position + 1, 2), let minutes = number(position + 4, 2), hours < 24, minutes < 60 else {
        return nil
      }
      offset = (hours * 60 + minutes) * (bytes[position] == dash ? -60 : 60)
    default: return nil
    }
    // Civil date to days: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    // Nanoseconds in 64 bits reach from 1678 to 2262; a time beyond is as good as none.
    let (nanoseconds, isTooFar) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooFar, nanoseconds < Int64.max - 1_000_000_000 else { return nil }
    self.init(nanosecondsSince1970: nanoseconds + Int64(fraction))
  }
}

extension WallTime {
  /// Whole seconds since 1970.
  public var seconds: Int { Int(wholeSeconds.nanosecondsSince1970 / 1_000_000_000) }

  /// - Parameter seconds: since 1970; within the 290 years that nanoseconds reach.
  public init(seconds: Int) {
    self.init(nanosecondsSince1970: Int64(max(-9_000_000_000, min(9_000_000_000, seconds))) * 1_000_000_000)
  }
}

extension Int64 {
  /// Division that rounds towards minus infinity, so that times before 1970 keep their calendar.
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
