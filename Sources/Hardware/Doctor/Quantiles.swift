/// Median, 99th percentile and maximum of some measurements, by the nearest rank.
public struct Quantiles: Hashable, Sendable {
  public var p50: Int
  public var p99: Int
  public var maximum: Int

  /// All zero for no measurements.
  public init(_ values: [Int]) {
    let sorted = values.sorted()
    func rank(_ percent: Int) -> Int {
      guard !sorted.isEmpty else { return 0 }
      return sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
    }
    p50 = rank(50)
    p99 = rank(99)
    maximum = sorted.last ?? 0
  }
}
