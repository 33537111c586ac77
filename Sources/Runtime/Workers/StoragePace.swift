internal import Hardware

/// How long the medium lets the storage lane wait: the longest step, or stall of a medium that does not answer. A plain
/// value behind a lock.
struct StoragePace {
  /// Whether work that nobody has asked for is slowed down.
  var isSlow = false
  private var longest = Duration.zero
  private var stepBegan: Instant?
  private var stallBegan: Instant?

  mutating func begin(at now: Instant) { stepBegan = now }

  mutating func end(at now: Instant, isStalled: Bool) {
    let began = stepBegan ?? now
    stepBegan = nil
    if isStalled {
      stallBegan = stallBegan ?? began
    } else {
      longest = max(longest, now - (stallBegan ?? began))
      stallBegan = nil
    }
  }

  /// Since when the medium has not answered; `nil` if it does.
  var standsSince: Instant? { stallBegan ?? stepBegan }

  /// The longest since the last call, one that goes on included.
  mutating func take(at now: Instant) -> Duration {
    defer { longest = .zero }
    return max(longest, standsSince.map { now - $0 } ?? .zero)
  }
}
