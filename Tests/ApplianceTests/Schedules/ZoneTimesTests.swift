import Hardware
import Testing

@testable import Appliance

@Suite struct ZoneTimesTests {
  private let berlin = Zone("Europe/Berlin") ?? .utc
  private let now = WallTime(seconds: 1_795_211_640)

  @Test(arguments: [
    ("2026-11-23T16:30:00Z", "2026-11-23T16:30:00Z"), ("2026-11-23T16:30:00+05:30", "2026-11-23T11:00:00Z"),
    ("2026-11-23 16:30", "2026-11-23T15:30:00Z"), ("2026-07-23 16:30:15", "2026-07-23T14:30:15Z"),
    // 22:54 there on the 20th.
    ("01:00", "2026-11-20T00:00:00Z"), ("01:00:59", "2026-11-20T00:00:59Z"),
    ("2028-02-29 12:00", "2028-02-29T11:00:00Z"),
    // The hour that is skipped, and the first of the two that are there twice.
    ("2026-03-29 02:30", "2026-03-29T01:30:00Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00Z"),
  ])
  func `Times are read as people write them`(text: String, time: String) {
    #expect(berlin.time(text, today: now)?.iso8601 == time)
  }

  @Test(arguments: [
    "", " ", "noon", "2026-11-23", "24:00", "12:60", "2026-13-01 12:00", "a b c", "12:00 2026-11-23", "1:2:3:4",
    "2026-02-30 12:00", "2027-02-29 12:00", "2026-04-31T12:00:00Z", "2026-11-31T12:00:00+01:00",
  ])
  func `What is no time is none`(text: String) { #expect(berlin.time(text, today: now) == nil) }

  @Test func `A time is written with its distance from UTC`() {
    #expect(berlin.isoText(now) == "2026-11-20T22:54:00+01:00")
    #expect(
      Zone("America/St_Johns").map { $0.isoText(now) } ?? "2026-11-20T18:24:00-03:30" == "2026-11-20T18:24:00-03:30")
    #expect(Zone.utc.isoText(now) == "2026-11-20T21:54:00+00:00")
  }
}
