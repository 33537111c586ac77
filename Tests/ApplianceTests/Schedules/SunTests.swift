import Hardware
import Testing

@testable import Appliance

/// Rise and set of the sun beside published times (USNO's definition: 34 minutes of refraction and the upper edge), in standard
/// time. A set after midnight belongs to the day whose noon was before it.
@Suite struct SunTests {
  private static let table: [(city: String, place: String, zone: Int, day: String, rise: String?, set: String?)] = [
    ("Berlin", "52.52,13.405", 1, "2024-03-20", "06:08", "18:20"),
    ("Berlin", "52.52,13.405", 1, "2024-06-21", "03:43", "20:33"),
    ("Berlin", "52.52,13.405", 1, "2024-12-21", "08:15", "15:54"),
    ("Berlin", "52.52,13.405", 1, "2026-10-05", "06:14", "17:34"),
    ("Quito", "-0.1807,-78.4678", -5, "2024-03-20", "06:18", "18:24"),
    ("Quito", "-0.1807,-78.4678", -5, "2024-06-21", "06:12", "18:19"),
    ("Quito", "-0.1807,-78.4678", -5, "2024-12-21", "06:08", "18:16"),
    ("Quito", "-0.1807,-78.4678", -5, "2026-10-05", "05:59", "18:06"),
    ("Sydney", "-33.8688,151.2093", 10, "2024-03-20", "05:58", "18:06"),
    ("Sydney", "-33.8688,151.2093", 10, "2024-06-21", "07:00", "16:54"),
    ("Sydney", "-33.8688,151.2093", 10, "2024-12-21", "04:41", "19:06"),
    ("Sydney", "-33.8688,151.2093", 10, "2026-10-05", "05:27", "18:01"),
    ("Reykjavik", "64.1466,-21.9426", 0, "2024-03-20", "07:27", "19:45"),
    ("Reykjavik", "64.1466,-21.9426", 0, "2024-06-21", "02:55", "00:04"),
    ("Reykjavik", "64.1466,-21.9426", 0, "2024-12-21", "11:23", "15:30"),
    ("Reykjavik", "64.1466,-21.9426", 0, "2026-10-05", "07:48", "18:43"),
    ("New York", "40.7128,-74.006", -5, "2024-03-20", "05:59", "18:09"),
    ("New York", "40.7128,-74.006", -5, "2024-06-21", "04:25", "19:31"),
    ("New York", "40.7128,-74.006", -5, "2024-12-21", "07:17", "16:32"),
    ("New York", "40.7128,-74.006", -5, "2026-10-05", "05:57", "17:31"),
    ("Ushuaia", "-54.8019,-68.303", -3, "2024-03-20", "07:35", "19:44"),
    ("Ushuaia", "-54.8019,-68.303", -3, "2024-06-21", "09:59", "17:11"),
    ("Ushuaia", "-54.8019,-68.303", -3, "2024-12-21", "04:52", "22:12"),
    ("Ushuaia", "-54.8019,-68.303", -3, "2026-10-05", "06:48", "19:56"),
    ("Tokyo", "35.6762,139.6503", 9, "2024-03-20", "05:45", "17:53"),
    ("Tokyo", "35.6762,139.6503", 9, "2024-06-21", "04:26", "19:01"),
    ("Tokyo", "35.6762,139.6503", 9, "2024-12-21", "06:47", "16:32"),
    ("Tokyo", "35.6762,139.6503", 9, "2026-10-05", "05:39", "17:20"),
    ("Tromso", "69.6492,18.9553", 1, "2024-03-20", "05:42", "18:03"),
    ("Tromso", "69.6492,18.9553", 1, "2024-06-21", nil, nil),
    ("Tromso", "69.6492,18.9553", 1, "2024-12-21", nil, nil),
    ("Tromso", "69.6492,18.9553", 1, "2026-10-05", "06:15", "16:49"),
  ]

  private func minutes(_ text: String) -> Int { (Int(text.prefix(2)) ?? 0) * 60 + (Int(text.suffix(2)) ?? 0) }

  @Test("To a minute, from the equator to beyond the polar circle")
  func published() throws {
    for row in Self.table {
      let parts = row.day.split(separator: "-").compactMap { Int($0) }
      let day = CalendarDay(year: parts[0], month: parts[1], day: parts[2])
      let zone = try #require(Zone(rule(row.zone)))
      let place = try #require(Place(row.place))
      for (event, expected) in [(Place.SunEvent.rise, row.rise), (.set, row.set)] {
        let found = place.sun(event, on: day, in: zone)
        guard let expected else {
          #expect(found == nil, "\(row.city) \(row.day)")
          continue
        }
        let clock = zone.clockText(try #require(found, "\(row.city) \(row.day)"))
        let error = abs(minutes(clock) - minutes(expected))
        #expect(min(error, 1440 - error) <= 1, "\(row.city) \(row.day) \(event): \(clock), not \(expected)")
      }
    }
  }

  @Test("No place, no sun", arguments: ["", "52", "91,0", "0,181", "a,b", "52.5,13.4,1", "nan,0"])
  func noPlace(text: String) { #expect(Place(text) == nil) }
}

/// The rule of standard time so many hours east.
private func rule(_ hours: Int) -> String { "<zone>\(-hours)" }
