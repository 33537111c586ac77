import Hardware
import TestSupport
import Testing

@testable import Appliance

/// What a schedule says, and when that is.
@Suite struct ScheduleTests {
  private func basis(_ text: String, zone: String = "UTC", place: String = "") throws -> ScheduleBasis {
    ScheduleBasis(try #require(Schedules(text)), zone: try #require(Zone(zone)), place: Place(place))
  }

  private func time(_ text: String) -> WallTime { WallTime(iso8601: text) ?? WallTime(seconds: 0) }

  @Test("A schedule is read as people write it, and kept in one form")
  func text() throws {
    let all = try #require(Schedules("1 on Mon-Fri 6:30 08:00; 2 off sat,sun sunrise-30 sunset+15 every 15 for 2"))
    #expect(all.text == "1 on mon,tue,wed,thu,fri 06:30 08:00; 2 off sat,sun sunrise-30 sunset+15 every 15 for 2")
    #expect(Schedules(all.text) == all)
    #expect(Schedules("")?.text == "")
    #expect(Schedules("1 on fri-mon 00:00 23:59")?.text == "1 on mon,fri,sat,sun 00:00 23:59")
    #expect(Schedules("1 on mon-sun 1:00 2:00")?.text == "1 on daily 01:00 02:00")
  }

  @Test(
    "What is none is refused",
    arguments: [
      "1", "1 on", "1 on daily 06:00", "0 on daily 06:00 07:00", "1 on daily 24:00 07:00", "1 on daily 6:60 7:00",
      "1 on never 06:00 07:00", "1 on daily sunrise+1000 07:00", "1 on daily 06:00 07:00 every 5 for 5",
      "1 on daily 06:00 07:00 every 15", "1 on daily 06:00 07:00 x", "1 on daily 06:00 07:00; 1 on daily 08:00 09:00",
      "1 on daily sunset-9223372036854775808 07:00", "1 on daily 06:00 sunrise+9223372036854775807",
      "1 on daily sunrise30 07:00", "1 maybe daily 06:00 07:00", "1 on mon- 06:00 07:00",
    ])
  func refused(text: String) { #expect(Schedules(text) == nil) }

  @Test("Any schedule is read as it was written")
  func anySchedule() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      let one = Schedule.random(&random)
      #expect(Schedule(number: one.number, isOn: one.isOn, one.text) == one, "\(one.text)")
    }
  }

  @Test("Days and times are those of the zone, over midnight and over the change of the clocks")
  func occurrences() throws {
    let night = try basis("1 on fri 22:00 02:00", zone: "Europe/Berlin")
    // 2026-11-20 is a Friday.
    let next = try #require(night.next(after: time("2026-11-19T12:00:00Z")))
    #expect(next.start == time("2026-11-20T21:00:00Z") && next.end == time("2026-11-21T01:00:00Z"))
    #expect(night.next(after: next.start)?.start == time("2026-11-27T21:00:00Z"))
    let summer = try basis("1 on sat 22:00 04:00", zone: "Europe/Berlin").next(after: time("2026-03-28T00:00:00Z"))
    #expect(summer?.start == time("2026-03-28T21:00:00Z") && summer?.end == time("2026-03-29T02:00:00Z"))
    // Where the clocks skip its beginning it is an hour later, and no day long.
    for (text, start, end) in [("02:00 03:00", "01:00", "02:00"), ("02:30 03:10", "01:30", "02:10")] {
      let skipped = try basis("1 on daily \(text)", zone: "Europe/Berlin").next(after: time("2027-03-28T00:30:00Z"))
      #expect(skipped?.start == time("2027-03-28T\(start):00Z") && skipped?.end == time("2027-03-28T\(end):00Z"))
    }
    let turns = try basis("1 on daily 06:00 07:00 every 25 for 10")
    let day = turns.occurrences(on: CalendarDay(year: 2026, month: 11, day: 20))
    #expect(day.map(\.start) == ["06:00", "06:25", "06:50"].map { time("2026-11-20T\($0):00Z") })
    #expect(day.map { $0.end.seconds - $0.start.seconds } == [600, 600, 600])
  }

  @Test("By the sun: where it does not rise there is none, until it does; without a place neither")
  func sun() throws {
    let dawn = "1 on daily sunrise-30 sunrise+30"
    let berlin = try basis(dawn, zone: "Europe/Berlin", place: "52.52,13.405").next(after: time("2024-06-20T12:00:00Z"))
    #expect(berlin?.start == time("2024-06-21T02:13:00Z") && berlin?.end == time("2024-06-21T03:13:00Z"))
    let north = try basis(dawn, zone: "Europe/Oslo", place: "69.65,18.96").next(after: time("2024-12-01T00:00:00Z"))
    #expect((north?.start ?? time("2024-12-01T00:00:00Z")) > time("2025-01-10T00:00:00Z"))
    #expect((north?.start ?? time("2026-12-01T00:00:00Z")) < time("2025-01-20T00:00:00Z"))
    #expect(try basis(dawn).next(after: time("2024-12-01T00:00:00Z")) == nil)
    let night = try basis("1 on daily sunset sunrise", zone: "Europe/Berlin", place: "52.52,13.405")
    let one = try #require(night.next(after: time("2026-10-05T10:00:00Z")))
    #expect((11...14).contains((one.end.seconds - one.start.seconds) / 3600))
  }

  @Test("The next one is always the first of those to come, and lies in its schedule's day")
  func nextIsFirst() throws {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<150 {
      var all = Schedules()
      for number in 1...2 {
        var one = Schedule.random(&random)
        one.number = number
        all.all.append(one)
      }
      let basis = ScheduleBasis(all, zone: try #require(Zone("Europe/Berlin")), place: Place("52.52,13.405"))
      let now = WallTime(seconds: 1_760_000_000 + random.below(40_000_000))
      guard let next = basis.next(after: now) else {
        #expect(!all.all.contains { $0.isOn && $0.days != 0 })
        continue
      }
      #expect(next.start > now && next.end > next.start)
      let month = WallTime(seconds: now.seconds + 8 * 86_400)
      let later = basis.occurrences(after: now, upTo: month).filter { $0.start > now }
      #expect(later.map(\.start).min().map { $0 == next.start } ?? true)
    }
  }
}

extension Schedule {
  static func random(_ random: inout SeededGenerator) -> Schedule {
    func moment(_ random: inout SeededGenerator) -> Moment {
      switch random.below(4) {
      case 0: .sunrise(random.below(721) - 360)
      case 1: .sunset(random.below(721) - 360)
      default: .clock(random.below(1440))
      }
    }
    guard var one = Schedule(number: 1 + random.below(999), "daily 00:00 00:00") else { preconditionFailure() }
    one.isOn = !random.chance(4)
    one.days = 1 + random.below(127)
    one.from = moment(&random)
    one.to = moment(&random)
    if random.chance(2) {
      let every = 2 + random.below(1439)
      one.turns = Turns(every: every, length: 1 + random.below(every - 1))
    }
    return one
  }
}
