import Foundation
import Hardware
import Testing

@testable import Appliance

/// Zones, and their summer time.
@Suite struct ZoneTests {
  private func time(_ text: String) -> WallTime { WallTime(iso8601: text) ?? WallTime(seconds: 0) }

  @Test(
    "The clocks at both sides of each change, as tzdata has them",
    arguments: [
      ("Europe/Berlin", "2026-03-29T00:59:59Z", "01:59"), ("Europe/Berlin", "2026-03-29T01:00:00Z", "03:00"),
      ("Europe/Berlin", "2026-10-25T00:59:59Z", "02:59"), ("Europe/Berlin", "2026-10-25T01:00:00Z", "02:00"),
      ("Europe/London", "2026-03-29T01:00:00Z", "02:00"), ("Europe/London", "2026-10-25T01:00:00Z", "01:00"),
      ("America/New_York", "2026-03-08T06:59:00Z", "01:59"), ("America/New_York", "2026-03-08T07:00:00Z", "03:00"),
      ("America/New_York", "2026-11-01T05:59:00Z", "01:59"), ("America/New_York", "2026-11-01T06:00:00Z", "01:00"),
      ("Australia/Sydney", "2026-01-01T00:00:00Z", "11:00"), ("Australia/Sydney", "2026-07-01T00:00:00Z", "10:00"),
      ("Australia/Sydney", "2026-04-04T15:59:00Z", "02:59"), ("Australia/Sydney", "2026-04-04T16:00:00Z", "02:00"),
      ("Asia/Kathmandu", "2026-01-01T00:00:00Z", "05:45"), ("America/St_Johns", "2026-01-01T00:00:00Z", "20:30"),
      ("Africa/Cairo", "2026-04-23T21:59:00Z", "23:59"), ("Africa/Cairo", "2026-04-23T22:00:00Z", "01:00"),
      ("America/Santiago", "2026-07-01T00:00:00Z", "20:00"), ("America/Santiago", "2026-12-01T00:00:00Z", "21:00"),
      ("UTC", "2026-07-01T12:34:00Z", "12:34"), ("EST5EDT,J60/2,J300/2", "2026-06-01T00:00:00Z", "20:00"),
    ])
  func clocks(name: String, time text: String, clock: String) throws {
    #expect(try #require(Zone(name)).clockText(time(text)) == clock)
  }

  @Test("All names have rules", arguments: ZoneNames.all)
  func names(name: String) { #expect(Zone(name) != nil) }

  @Test("Every name of the IANA's zones is known, with the clocks that the system's own data has")
  func everyZone() throws {
    #expect(ZoneNames.names.count > 450)
    #expect(Set(ZoneNames.all).isSubset(of: ZoneNames.names))
    var compared = 0
    var differing: [String] = []
    for name in ZoneNames.names {
      let zone = try #require(Zone(name), "\(name)")
      guard let other = TimeZone(identifier: name) else { continue }
      compared += 1
      for text in ["2026-01-15T12:00:00Z", "2026-04-15T12:00:00Z", "2026-07-15T12:00:00Z", "2026-10-28T12:00:00Z"] {
        let at = time(text)
        if zone.offset(at: at) != other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(at.seconds))) {
          differing.append("\(name) at \(text)")
        }
      }
    }
    #expect(compared > 300)
    // Rules of a few countries change from one version of the data to the next.
    #expect(differing.count < 12, "\(differing.sorted())")
  }

  @Test(
    "What is no zone is refused",
    arguments: [
      "", "Europe/Nowhere", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.5.0", "A1", "<CET-1",
    ])
  func refused(text: String) { #expect(Zone(text) == nil) }

  @Test("A local time that is there twice is the first, one that is skipped lies behind the change")
  func odd() throws {
    let zone = try #require(Zone("Europe/Berlin"))
    let march = CalendarDay(year: 2026, month: 3, day: 29).seconds + 2 * 3600 + 1800
    #expect(zone.time(ofLocal: march) == time("2026-03-29T01:30:00Z"))
    let october = CalendarDay(year: 2026, month: 10, day: 25).seconds + 2 * 3600 + 1800
    #expect(zone.time(ofLocal: october) == time("2026-10-25T00:30:00Z"))
  }

  @Test("From any time to its clock and back, in any zone")
  func roundTrip() {
    for name in ZoneNames.all {
      guard let zone = Zone(name) else { continue }
      for hour in stride(from: 0, to: 9000, by: 7) {
        let time = WallTime(seconds: 1_767_225_600 + hour * 3600)
        let local = time.seconds + zone.offset(at: time)
        let back = zone.time(ofLocal: local)
        // Of two, the first.
        #expect(back == time || back.seconds == time.seconds - 3600, "\(name) \(time.iso8601)")
      }
    }
  }
}
