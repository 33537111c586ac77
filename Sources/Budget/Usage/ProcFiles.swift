/// Reads the texts of /proc; see proc(5). Whatever the bytes are, nothing traps: what cannot be read is nil.
enum ProcFiles {
  /// The fields of `/proc/PID/stat` or `/proc/PID/task/TID/stat` that matter here.
  struct Stat: Hashable {
    var id: Int
    var name: String
    /// User and system time, clock ticks.
    var ticks: Int
  }

  /// Field 1 is the id, field 2 the name in parentheses (which may itself hold blanks and parentheses: the last
  /// closing one ends it), fields 14 and 15 user and system time.
  static func stat(_ bytes: [UInt8]) -> Stat? {
    guard let open = bytes.firstIndex(of: UInt8(ascii: "(")), let close = bytes.lastIndex(of: UInt8(ascii: ")")),
      open < close, let id = number(bytes[..<open].split(separator: UInt8(ascii: " ")).first ?? [])
    else { return nil }
    let fields = bytes[(close + 1)...].split(whereSeparator: isBlank)
    guard fields.count > 12, let user = number(fields[11]), let system = number(fields[12]) else { return nil }
    let (ticks, overflow) = user.addingReportingOverflow(system)
    guard !overflow else { return nil }
    return Stat(id: id, name: String(decoding: bytes[(open + 1)..<close], as: UTF8.self), ticks: ticks)
  }

  /// Resident pages: the second field of `/proc/PID/statm`.
  static func residentPages(_ bytes: [UInt8]) -> Int? {
    let fields = bytes.split(whereSeparator: isBlank)
    return fields.count > 1 ? number(fields[1]) : nil
  }

  /// The number after `name:` in `/proc/PID/status` or `/proc/meminfo`; both give KiB for what is asked here.
  static func kilobytes(_ name: String, in bytes: [UInt8]) -> Int? {
    let start = Array((name + ":").utf8)
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: start) {
      return line.dropFirst(start.count).split(whereSeparator: isBlank).first.flatMap { number($0) }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 9 }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count < 20 else { return nil }
    var number = 0
    for digit in digits {
      guard digit >= 48, digit <= 57 else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(digit) - 48)
      guard !overflow, !carry else { return nil }
      number = sum
    }
    return number
  }
}
