internal import Hardware

/// How fast the way is: two exponentially weighted averages, of which the lower one counts, so that it falls quickly
/// and rises slowly. Pure.
struct BandwidthMeter: Hashable, Sendable {
  private struct Average: Hashable, Sendable {
    let halfLife: Double
    private var sum = 0.0
    private var weight = 0.0

    init(halfLife: Double) { self.halfLife = halfLife }

    mutating func add(_ value: Double, seconds: Double) {
      // A way that was many times as wide would else be believed in for half a minute.
      if seconds > 1 { sum = min(sum, value * weight * 8) }
      // 2^(−t/halfLife) by squares of a root, without a mathematics library: t is cut to 16 half-lives.
      let keep = Self.halved(min(16, seconds / halfLife))
      sum = sum * keep + value * (1 - keep)
      weight = weight * keep + (1 - keep)
    }

    var value: Double? { weight > 0 ? sum / weight : nil }

    /// 2^(−x), x in 0…16: whole halvings, and the rest by its series.
    private static func halved(_ x: Double) -> Double {
      let whole = x.rounded(.down)
      let y = -(x - whole) * 0.693_147_180_559_945
      var term = 1.0
      var result = 1.0
      for n in 1...10 {
        term *= y / Double(n)
        result += term
      }
      for _ in 0..<Int(whole) { result /= 2 }
      return result
    }
  }

  /// Smaller transfers measure the way's delay rather than its width.
  private static let leastBytes = 16 << 10
  private var fast = Average(halfLife: 3)
  private var slow = Average(halfLife: 9)

  mutating func add(bytes: Int, over duration: Duration) {
    guard bytes >= Self.leastBytes else { return }
    let seconds = max(0.001, duration.inSeconds)
    // A quick transfer counts for a second at least, or a way that has recovered would not be noticed for a minute.
    fast.add(Double(bytes) * 8 / seconds, seconds: max(1, seconds))
    slow.add(Double(bytes) * 8 / seconds, seconds: max(1, seconds))
  }

  /// Bits a second; `nil` before anything was measured.
  var estimate: Int? {
    guard let fast = fast.value, let slow = slow.value else { return nil }
    return Int(min(fast, slow, 1e12))
  }
}
