/// Times, sizes and levels as people read them. Any value gives a text of bounded length.
enum Amounts {
  /// `0m05s`, `7m26s`, `1h07m26s`, `99h59m59s`: at most ten characters; whole seconds, rounded down.
  static func timer(_ seconds: Double) -> String {
    let total = whole(seconds, upTo: 999 * 3600 + 3599)
    let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
    return hours > 0 ? "\(hours)h\(two(minutes))m\(two(rest))s" : "\(minutes)m\(two(rest))s"
  }

  /// The two fields that matter: `26s`, `7m26s`, `1h07m`, `99h59m`, `123h`, `999h+`: at most six characters.
  static func brief(_ seconds: Double) -> String {
    let total = whole(seconds, upTo: 1000 * 3600)
    let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
    switch total {
    case ..<60: return "\(rest)s"
    case ..<3600: return "\(minutes)m\(two(rest))s"
    case ..<360_000: return "\(hours)h\(two(minutes))m"
    case ..<3_600_000: return "\(hours)h"
    default: return "999h+"
    }
  }

  /// A length beside a timer: from ten hours on without its seconds, at most eight characters.
  static func length(_ seconds: Double) -> String { seconds < 36_000 ? timer(seconds) : brief(seconds) }

  /// Three significant digits and a decimal unit (1 kB = 1000 B): `999 B`, `12.3 kB`, `1.23 GB`: at most seven
  /// characters.
  static func size(_ bytes: Int64) -> String {
    guard bytes >= 1000 else { return "\(max(0, bytes)) B" }
    var value = Double(bytes)
    for unit in ["kB", "MB", "GB", "TB", "PB"] {
      value /= 1000
      // Rounded to three digits, 999.5 would read 1000.
      if value < 9.995 { return "\(decimal(value, places: 2)) \(unit)" }
      if value < 99.95 { return "\(decimal(value, places: 1)) \(unit)" }
      if value < 999.5 { return "\(decimal(value, places: 0)) \(unit)" }
    }
    return "1 EB+"
  }

  /// A level in dBFS: `-12.3`, `+0.5`, `-∞`: at most five characters. Anything below −99.9 is silence.
  static func level(_ decibels: Double) -> String {
    guard decibels >= -99.9 else { return "-∞" }
    let text = decimal(min(99.9, decibels), places: 1)
    if text == "-0.0" { return "0.0" }
    return decibels >= 0.05 ? "+" + text : text
  }

  /// A gain in whole decibels with its sign: `+6 dB`.
  static func gain(_ decibels: Int) -> String { (decibels > 0 ? "+" : "") + "\(decibels) dB" }

  /// A fixed number of decimal places, 0 to 3, rounded to nearest; the standard library alone has no such thing.
  static func decimal(_ value: Double, places: Int) -> String {
    let scale = [1, 10, 100, 1000][min(3, max(0, places))]
    let clamped = value.isNaN ? 0 : min(1e12, max(-1e12, value))
    let scaled = Int((clamped.magnitude * Double(scale)).rounded())
    let sign = clamped < 0 ? "-" : ""
    guard scale > 1 else { return sign + "\(scaled)" }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: String(scale).count - 1 - fraction.count)
    return sign + "\(scaled / scale)." + zeros + fraction
  }

  private static func whole(_ seconds: Double, upTo limit: Int) -> Int {
    guard seconds > 0 else { return 0 }
    return seconds >= Double(limit) ? limit : Int(seconds)
  }

  private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
