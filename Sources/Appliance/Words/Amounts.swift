/// Times, sizes and levels as people read them, in a language. Any value gives a text of bounded length, which is the same
/// in all languages: `1h07m26s` and `1ч07м26с`, `1.23 GB` and `1,23 ГБ`.
public struct Amounts: Hashable, Sendable {
  private let language: Language

  public init(_ language: Language) { self.language = language }

  private var isRussian: Bool { language == .russian }
  private var hour: String { isRussian ? "ч" : "h" }
  private var minute: String { isRussian ? "м" : "m" }
  /// Of time, with a figure before it.
  private var second: String { isRussian ? "с" : "s" }

  /// `0m05s`, `7m26s`, `1h07m26s`, `99h59m59s`: at most ten characters; whole seconds, rounded down.
  public func timer(_ seconds: Double) -> String {
    let total = whole(seconds, upTo: 999 * 3600 + 3599)
    let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
    let tail = minute + two(rest) + second
    return hours > 0 ? "\(hours)\(hour)\(two(minutes))\(tail)" : "\(minutes)\(tail)"
  }

  /// The two fields that matter: `26s`, `7m26s`, `1h07m`, `99h59m`, `123h`, `999h+`: at most six characters.
  public func brief(_ seconds: Double) -> String {
    let total = whole(seconds, upTo: 1000 * 3600)
    let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
    switch total {
    case ..<60: return "\(rest)\(second)"
    case ..<3600: return "\(minutes)\(minute)\(two(rest))\(second)"
    case ..<360_000: return "\(hours)\(hour)\(two(minutes))\(minute)"
    case ..<3_600_000: return "\(hours)\(hour)"
    default: return "999\(hour)+"
    }
  }

  /// A length beside a timer: from ten hours on without its seconds, at most eight characters.
  public func length(_ seconds: Double) -> String { seconds < 36_000 ? timer(seconds) : brief(seconds) }

  /// Three significant digits and a decimal unit (1 kB = 1000 B): `999 B`, `12.3 kB`, `1.23 GB`: at most seven
  /// characters.
  public func size(_ bytes: Int64) -> String {
    guard bytes >= 1000 else { return "\(max(0, bytes)) \(isRussian ? "Б" : "B")" }
    var value = Double(bytes)
    for unit in isRussian ? Self.russianSizes : Self.englishSizes {
      value /= 1000
      // Rounded to three digits, 999.5 would read 1000.
      if value < 9.995 { return "\(decimal(value, places: 2)) \(unit)" }
      if value < 99.95 { return "\(decimal(value, places: 1)) \(unit)" }
      if value < 999.5 { return "\(decimal(value, places: 0)) \(unit)" }
    }
    return isRussian ? "1 ЭБ+" : "1 EB+"
  }

  /// A level in dBFS: `-12.3`, `+0.5`, `-∞`: at most five characters. Anything below −99.9 is silence.
  public func level(_ decibels: Double) -> String {
    guard decibels >= -99.9 else { return "-∞" }
    let text = decimal(min(99.9, decibels), places: 1)
    if decibels <= 0, decibels > -0.05 { return decimal(0, places: 1) }
    return decibels >= 0.05 ? "+" + text : text
  }

  /// A gain in whole decibels with its sign: `+6 dB`.
  public func gain(_ decibels: Int) -> String { (decibels > 0 ? "+" : "") + "\(decibels) \(decibel)" }

  public var decibel: String { isRussian ? "дБ" : "dB" }

  /// `5 s`.
  public func seconds(_ number: some CustomStringConvertible) -> String { "\(number) \(second)" }

  /// `0.9 s`, `1 min 5.3 s`: a place to a tenth of a second.
  public func place(tenths: Int) -> String {
    let (minutes, rest) = (tenths / 600, seconds(decimal(Double(tenths % 600) / 10, places: 1)))
    return minutes > 0 ? "\(minutes) \(isRussian ? "мин" : "min") \(rest)" : rest
  }

  /// `44.1 kHz`, `48 kHz`.
  public func kilohertz(_ hertz: Int) -> String {
    decimal(Double(hertz) / 1000, places: hertz % 1000 == 0 ? 0 : 1) + (isRussian ? " кГц" : " kHz")
  }

  /// `48k`, `44.1k`.
  public func rate(_ hertz: Int) -> String {
    decimal(Double(hertz) / 1000, places: hertz % 1000 == 0 ? 0 : 1) + (isRussian ? "к" : "k")
  }

  /// A fixed number of decimal places, 0 to 3, rounded to nearest; the standard library alone has no such thing.
  public func decimal(_ value: Double, places: Int) -> String {
    let scale = [1, 10, 100, 1000][min(3, max(0, places))]
    let clamped = value.isNaN ? 0 : min(1e12, max(-1e12, value))
    let scaled = Int((clamped.magnitude * Double(scale)).rounded())
    let sign = clamped < 0 ? "-" : ""
    guard scale > 1 else { return sign + "\(scaled)" }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: String(scale).count - 1 - fraction.count)
    return sign + "\(scaled / scale)" + (isRussian ? "," : ".") + zeros + fraction
  }

  private static let englishSizes = ["kB", "MB", "GB", "TB", "PB"]
  private static let russianSizes = ["кБ", "МБ", "ГБ", "ТБ", "ПБ"]

  private func whole(_ seconds: Double, upTo limit: Int) -> Int {
    guard seconds > 0 else { return 0 }
    return seconds >= Double(limit) ? limit : Int(seconds)
  }

  private func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
