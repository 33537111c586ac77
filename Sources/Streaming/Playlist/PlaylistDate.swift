internal import Hardware

/// Dates as EXT-X-PROGRAM-DATE-TIME writes them: ISO 8601, `2026-11-21T12:00:00.250+01:00`. Pure.
enum PlaylistDate {
  /// `nil` if it is none, or outside the years 1970…2200. A time without a zone is taken as UTC.
  static func wallTime(_ text: some Collection<UInt8>) -> WallTime? {
    let bytes = Array(text)
    func number(_ range: Range<Int>) -> Int? {
      range.upperBound <= bytes.count ? PlaylistNumbers.integer(bytes[range]) : nil
    }
    guard bytes.count >= 19, bytes.count <= 48, bytes[4] == 0x2D, bytes[7] == 0x2D,
      bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20, bytes[13] == 0x3A, bytes[16] == 0x3A,
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), (1970...2200).contains(year),
      (1...12).contains(month), (1...31).contains(day), hour <= 24, minute <= 59, second <= 60
    else { return nil }
    var place = 19
    var nanoseconds: Int64 = 0
    if place < bytes.count, bytes[place] == 0x2E || bytes[place] == 0x2C {
      let digits = bytes[(place + 1)...].prefix { (0x30...0x39).contains($0) }
      guard let fraction = PlaylistNumbers.nanoseconds([0x30, 0x2E] + digits) else { return nil }
      nanoseconds = fraction
      place += 1 + digits.count
    }
    var offset = 0
    if place < bytes.count, bytes[place] == 0x2B || bytes[place] == 0x2D {
      let digits = bytes[(place + 1)...].filter { $0 != 0x3A }
      // bounded: two digits each
      guard digits.count == 2 || digits.count == 4, let hours = PlaylistNumbers.integer(digits.prefix(2)),
        let minutes = digits.count == 4 ? PlaylistNumbers.integer(digits.suffix(2)) : 0
      else { return nil }
      offset = (bytes[place] == 0x2D ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    return WallTime(nanosecondsSince1970: Int64(seconds) * 1_000_000_000 + nanoseconds)
  }

  /// Days from 1970-01-01, proleptic Gregorian: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
