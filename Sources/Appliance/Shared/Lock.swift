public import Hardware

/// The lock of the keys, and the hint that says how to undo it.
public struct Lock: Hashable, Sendable {
  public private(set) var isLocked: Bool
  /// The hint is on the screen until this time.
  public private(set) var hintUntil: Instant?

  /// Hardly ever anything else than shut, and the state is copied with every event: it is copied as a pointer.
  private var gate: Apart<PinGate>?

  private static let hintTime: Duration = .seconds(2)

  public init(isLocked: Bool = false, hintUntil: Instant? = nil, pin: PinGate = PinGate()) {
    self.isLocked = isLocked
    self.hintUntil = hintUntil
    self.pin = pin
  }

  /// Who is asked for the PIN of the panel.
  public internal(set) var pin: PinGate {
    get { if case .value(let pin) = gate { pin } else { PinGate() } }
    set { gate = newValue == PinGate() ? nil : .value(newValue) }
  }

  /// Asks for the PIN, over whatever the hint says.
  mutating func askForPin(at now: Instant, _ effects: inout [Effect]) {
    pin.ask(at: now)
    hintUntil = nil
    keepAsking(&effects)
  }

  /// A key was pressed while the PIN is asked for.
  mutating func keepAsking(_ effects: inout [Effect]) {
    if let until = pin.asksUntil { effects.append(.setTimer(.pinExpires, at: until)) }
  }

  /// Locks, and says how to unlock.
  mutating func lock(at now: Instant, _ effects: inout [Effect]) {
    isLocked = true
    showHint(at: now, &effects)
    effects.append(.announce(.lock(true)))
  }

  mutating func unlock(_ effects: inout [Effect]) {
    isLocked = false
    pin.leave()
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
