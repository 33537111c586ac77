public import Hardware

extension WallTime {
  /// Reads `2026-11-20T21:54:00Z`; also with fractions of a second and with an offset (`+02:00`) instead of `Z`,
  /// as other programs write them (ISO 8601, the profile of RFC 3339). `nil` if it is not such a time.
  public init?(iso8601 text: String) { self.init(text, timeSeparator: UInt8(ascii: ":")) }

  /// Reads the stamp of a file name, `2026-11-20T21-54-00Z`.
  public init?(fileNameStamp text: String) { self.init(text, timeSeparator: UInt8(ascii: "-")) }

  /// The same time without the fraction of its second, which metadata does not keep.
  public var wholeSeconds: WallTime {
    let remainder = nanosecondsSince1970 % 1_000_000_000
    return WallTime(
      nanosecondsSince1970: nanosecondsSince1970 - (remainder < 0 ? remainder + 1_000_000_000 : remainder))
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
