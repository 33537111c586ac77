public import Hardware

/// The lock of the keys, and the hint that says how to undo it.
public struct Lock: Hashable, Sendable {
  public private(set) var isLocked: Bool
  /// The hint is on the screen until this time.
  public private(set) var hintUntil: Instant?

  private static let hintTime: Duration = .seconds(2)

  public init(isLocked: Bool = false, hintUntil: Instant? = nil) {
    self.isLocked = isLocked
    self.hintUntil = hintUntil
  }

  /// Locks, and says how to unlock.
  mutating func lock(at now: Instant, _ effects: inout [Effect]) {
    isLocked = true
    showHint(at: now, &effects)
    effects.append(.announce(.lock(true)))
  }

  mutating func unlock(_ effects: inout [Effect]) {
    isLocked = false
    if hintUntil != nil {
      hintUntil = nil
      effects.append(.cancelTimer(.lockHintExpires))
    }
    effects.append(.announce(.lock(false)))
  }

  mutating func showHint(at now: Instant, _ effects: inout [Effect]) {
    let until = now + Self.hintTime
    hintUntil = until
    effects.append(.setTimer(.lockHintExpires, at: until))
  }

  /// Its timer has run out; one that a later hint has overtaken means nothing.
  mutating func expireHint(at now: Instant) {
    if let until = hintUntil, until <= now { hintUntil = nil }
  }
}
