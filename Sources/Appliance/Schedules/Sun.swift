internal import Glibc
internal import Hardware

/// A place on the earth, in degrees: north and east are positive.
public struct Place: Hashable, Sendable {
  public let latitude: Double
  public let longitude: Double

  init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Reads `52.52,13.40`; nil if it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0.trimmingBlanks) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], (-90...90).contains(latitude),
      (-180...180).contains(longitude)
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  enum SunEvent: Hashable, Sendable { case rise, set }

  /// The sun's rise or set of a day of the local calendar, to within a minute below the polar circles: when its upper edge is
  /// seen at a level horizon, 50 minutes of arc below its true place. Nil: it does not on that day.
  ///
  /// The series are those of NOAA's solar calculator (Meeus, "Astronomical Algorithms", chapters 25 and 28).
  func sun(_ event: SunEvent, on day: CalendarDay, in zone: Zone) -> WallTime? {
    let noon = day.seconds + 43_200
    var seconds = Double(noon) - longitude * 240
    // Of the day by the clocks there, wherever the sun's own noon is.
    let offset = zone.offset(at: WallTime(seconds: noon))
    while seconds + Double(offset) >= Double(day.seconds + 86_400) { seconds -= 86_400 }
    while seconds + Double(offset) < Double(day.seconds) { seconds += 86_400 }
    let start = seconds
    for _ in 0..<5 {
      let sun = SolarPlace(secondsSince1970: seconds)
      let latitude = latitude * .pi / 180
      let cosine =
        (cos(90.833 * .pi / 180) - sin(latitude) * sin(sun.declination)) / (cos(latitude) * cos(sun.declination))
      guard cosine.isFinite, abs(cosine) <= 1 else { return nil }
      let angle = acos(cosine) * 180 / .pi
      seconds = start - sun.equationOfTime * 60 + (event == .rise ? -angle : angle) * 240
    }
    return WallTime(seconds: Int((seconds / 60).rounded()) * 60)
  }
}

/// Where the sun is: declination in radians, the equation of time in minutes.
private struct SolarPlace {
  let declination: Double
  let equationOfTime: Double

  init(secondsSince1970 seconds: Double) {
    let radians = Double.pi / 180
    // Julian centuries since 2000.
    let t = (seconds / 86_400 + 2_440_587.5 - 2_451_545) / 36_525
    let longitude = (280.46646 + t * (36_000.76983 + t * 0.0003032)).truncatingRemainder(dividingBy: 360) * radians
    let anomaly = (357.52911 + t * (35_999.05029 - 0.0001537 * t)) * radians
    let eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t)
    let centre =
      sin(anomaly) * (1.914602 - t * (0.004817 + 0.000014 * t)) + sin(2 * anomaly) * (0.019993 - 0.000101 * t)
      + sin(3 * anomaly) * 0.000289
    let node = (125.04 - 1934.136 * t) * radians
    let apparent = longitude + (centre - 0.00569 - 0.00478 * sin(node)) * radians
    let obliquity =
      (23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60 + 0.00256 * cos(node)) * radians
    declination = asin(sin(obliquity) * sin(apparent))
    let y = tan(obliquity / 2) * tan(obliquity / 2)
    let minutes =
      y * sin(2 * longitude) - 2 * eccentricity * sin(anomaly) + 4 * eccentricity * y * sin(anomaly)
      * cos(2 * longitude)
      - 0.5 * y * y * sin(4 * longitude) - 1.25 * eccentricity * eccentricity * sin(2 * anomaly)
    equationOfTime = 4 * minutes / radians
  }
}

extension StringProtocol {
  /// Without blanks at its ends.
  var trimmingBlanks: String { split(separator: " ").joined(separator: " ") }
}
