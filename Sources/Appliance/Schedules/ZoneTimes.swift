public import Hardware

// Times as people write them, by a zone's clocks.

extension Zone {
  /// Reads `2026-11-23T16:30:00Z`, or without the zone (and without seconds, and with a blank for the T) by this zone's
  /// clocks; `16:30` is on its today. nil if it is none of these.
  public func time(_ text: String, today now: WallTime) -> WallTime? {
    let words = text.split(whereSeparator: { $0 == "T" || $0 == " " })
    guard let clock = words.last, (1...2).contains(words.count) else { return nil }
    guard words.count == 1 || Self.isDay(words[0]) else { return nil }
    if let exact = WallTime(iso8601: words.joined(separator: "T")) { return exact }
    let date = words.count == 2 ? String(words[0]) : String(WallTime(seconds: day(at: now).seconds).iso8601.prefix(10))
    let seconds = clock.split(separator: ":", omittingEmptySubsequences: false).count == 2 ? ":00" : ""
    // Read as if it were UTC, then moved to where the zone's clocks show it.
    return WallTime(iso8601: "\(date)T\(clock)\(seconds)Z").map { time(ofLocal: $0.seconds) }
  }

  /// Whether the calendar has the day `2026-11-23`: of 30 February its sums make 2 March.
  private static func isDay(_ text: Substring) -> Bool {
    WallTime(iso8601: "\(text)T00:00:00Z")?.iso8601.hasPrefix(String(text)) ?? false
  }

  /// `2026-11-23T17:30:00+01:00` there.
  public func isoText(_ time: WallTime) -> String {
    let offset = offset(at: time) / 60
    let (hours, minutes) = (Int(offset.magnitude) / 60, Int(offset.magnitude) % 60)
    let local = WallTime(seconds: time.seconds + offset * 60).iso8601.dropLast()
    return local + (offset < 0 ? "-" : "+") + (hours < 10 ? "0" : "") + "\(hours):" + (minutes < 10 ? "0" : "")
      + "\(minutes)"
  }
}
