import Appliance
import Hardware

@testable import Console

extension FuzzTarget {
  /// Schedules, a zone and a place, a line each, as settings have them: what is read can be written, and its next times lie
  /// ahead and end after they begin.
  static let schedule = FuzzTarget(
    "schedule",
    .text([
      "1 on daily 06:00 07:00", "2 off mon-fri sunrise-30 sunset+60", "3 on sat,sun 22:00 06:00 every 15 for 2", "; ",
      "\nEurope/Berlin", "\nUTC+05:30", "\n52.5,13.4", "\n-89.9,180", "\n71.2,-156.8",
      "999 on sun 00:00 23:59 every 1440 for 1",
      "sunset-9223372036854775808",
    ])
  ) { bytes in
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard let schedules = Schedules(String(lines[0])) else { return nil }
    guard Schedules(schedules.text) == schedules else { return "what was written reads otherwise: \(schedules.text)" }
    let basis = ScheduleBasis(
      schedules, zone: lines.count > 1 ? Zone(String(lines[1])) ?? .utc : .utc,
      place: lines.count > 2 ? Place(String(lines[2])) : nil)
    // Midwinter, a day on which summer time begins, midsummer; the first and the last second that a clock can tell.
    for seconds in [1_798_000_000, 1_806_195_600, 1_813_500_000, 1_735_689_601, 9_223_372_036] {
      let now = WallTime(seconds: seconds)
      guard let next = basis.next(after: now) else { continue }
      guard next.start > now, next.end > next.start else { return "after \(now.iso8601) comes \(next)" }
    }
    return nil
  }

  /// A file of the log: a line that is read is written as it was read.
  static let log = FuzzTarget(
    "log",
    .text([
      "2026-11-20T21:54:00Z     12.345 warning recorder: the microphone lost 0.300 s", " 1e300 ", "error", "info",
      "debug", ": ", "9999-12-31T23:59:59Z ", "0000-00-00T00:00:00Z", " -1 ", " nan ", " 8999999999.999 ",
    ])
  ) { bytes in
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard let read = LogLine(stamped: line) else { continue }
      guard let again = LogLine(stamped: read.stampedLine), again.isSame(as: read) else {
        return "what was written reads otherwise: \(read.stampedLine)"
      }
    }
    return nil
  }
}
