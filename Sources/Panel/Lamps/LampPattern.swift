public import Hardware

/// How a lamp is driven over time. All lamps keep time from the clock's origin, so that equal patterns blink together.
///
/// The raw value is the word of scripts and of `panel.state`: `expect led REC blink-slow`.
public enum LampPattern: String, Hashable, Sendable, CaseIterable {
  case off
  case on
  /// Half a second lit, half a second dark.
  case blinkSlow = "blink-slow"
  /// 100 ms lit, 100 ms dark.
  case blinkFast = "blink-fast"
  /// Two flashes of 100 ms, then dark for 700 ms.
  case doubleFlash = "double-flash"
  /// Three flashes of 100 ms, then dark for 900 ms.
  case tripleFlash = "triple-flash"
  /// A flash of 100 ms every half second.
  case quickFlash = "quick-flash"
  /// Lit, with a dark wink of 150 ms every 1.5 s.
  case wink
  /// Lit, with two dark winks of 100 ms every 1.5 s.
  case doubleWink = "double-wink"
  /// A flash of 100 ms every 1.5 s.
  case flash
  /// A flash of 50 ms every 3 s: alive, and no more.
  case glimmer

  /// The word of the contract.
  public var name: String { rawValue }

  /// Milliseconds lit, dark, lit, … of one period; empty for a steady lamp.
  public var period: [Int64] {
    switch self {
    case .off, .on: []
    case .blinkSlow: [500, 500]
    case .blinkFast: [100, 100]
    case .doubleFlash: [100, 100, 100, 700]
    case .tripleFlash: [100, 100, 100, 100, 100, 900]
    case .quickFlash: [100, 400]
    case .wink: [1350, 150]
    case .doubleWink: [1200, 100, 100, 100]
    case .flash: [100, 1400]
    case .glimmer: [50, 2950]
    }
  }

  /// Whether the lamp is lit at a time.
  public func isLit(at now: Instant) -> Bool {
    guard let step = step(at: now) else { return self == .on }
    return step.index % 2 == 0
  }

  /// When the lamp next goes on or off; `nil` if it stays as it is. Always after `now`.
  public func nextChange(after now: Instant) -> Instant? {
    step(at: now).map { Instant(nanoseconds: now.nanoseconds &+ $0.remaining) }
  }

  /// The step of the period that `now` falls into, and the nanoseconds until the next one.
  private func step(at now: Instant) -> (index: Int, remaining: Int64)? {
    let period = period
    guard !period.isEmpty else { return nil }
    let length = period.reduce(0, +) * 1_000_000
    var phase = now.nanoseconds % length
    if phase < 0 { phase += length }
    for (index, milliseconds) in period.enumerated() {
      let step = milliseconds * 1_000_000
      if phase < step { return (index, step - phase) }
      phase -= step
    }
    return (0, length)
  }
}
