/// Decimal seconds as scripts and faults write them: `3`, `0.5`, `+3600`, `-1.25`.
enum Seconds {
  /// What still fits into 64 bits of nanoseconds.
  private static let limit: Int64 = 9_000_000_000

  /// Reads at most nine decimals exactly, without a detour over binary fractions; at most 285 years.
  static func parse(_ text: some StringProtocol, signed: Bool = false) -> Duration? {
    var digits = Substring(text)
    var sign: Int64 = 1
    if signed, let first = digits.first, first == "+" || first == "-" {
      sign = first == "-" ? -1 : 1
      digits.removeFirst()
    }
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, isDigits(whole), whole.count <= 10, let seconds = Int64(whole), seconds <= limit
    else { return nil }
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      guard isDigits(parts[1]), parts[1].count <= 9, let fraction = Int64(parts[1]) else { return nil }
      nanoseconds = fraction
      for _ in parts[1].count..<9 { nanoseconds *= 10 }
    }
    return .nanoseconds(sign * (seconds * 1_000_000_000 + nanoseconds))
  }

  /// The shortest decimal form with at least one decimal: `0.5`, `12.0`, `3.000000001`.
  static func text(nanoseconds: Int64) -> String {
    let magnitude = nanoseconds.magnitude
    var fraction = String(magnitude % 1_000_000_000)
    fraction = String(repeating: "0", count: 9 - fraction.count) + fraction
    while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
    return "\(nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000_000).\(fraction)"
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
