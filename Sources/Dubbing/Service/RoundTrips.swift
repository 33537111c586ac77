/// The last round trips, for their 95th percentile.
struct RoundTrips: Sendable {
  private static let kept = 40
  private var durations: [Duration] = []

  mutating func add(_ duration: Duration) {
    durations.append(duration)
    if durations.count > Self.kept { durations.removeFirst() }
  }

  var p95: Duration? {
    guard !durations.isEmpty else { return nil }
    let sorted = durations.sorted()
    // Nearest rank.
    return sorted[max(0, (sorted.count * 95 + 99) / 100 - 1)]
  }
}
