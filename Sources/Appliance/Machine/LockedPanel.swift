internal import Hardware

/// The keys under the lock, and the PIN that may be asked for.
enum LockedPanel {
  /// Under the lock a key shows the hint. LOCK held unlocks; of other keys, what the mode says.
  ///
  /// - Parameter meaning: what the mode does under the lock when the key is held.
  /// - Returns: what is to be done.
  static func action(
    of gesture: Gesture, meaning: KeyAction?, _ transition: inout Transition
  ) -> KeyAction? {
    let key = gesture.button
    if transition.pin.digits != nil, key.isForPin { return type(gesture, &transition) }
    switch gesture.kind {
    case .press:
      // The PIN that is asked for stays in sight as long as keys type it.
      if transition.pin.digits == nil { transition.showLockHint() }
      // A hold of these may yet mean something; their taps are refused when they turn out to be taps.
      guard key != .lock, meaning == nil else { return nil }
      transition.holds.spend(key)
      transition.refuse(.locked)
    case .short:
      transition.holds.spend(key)
      transition.refuse(.locked)
    case .long:
      if meaning != nil { transition.holds.spend(key) }
      return meaning
    case .veryLong where key == .lock: return askToUnlock(&transition)
    case .veryLong, .repeat, .release: break
    }
    return nil
  }

  /// LOCK was held: without a PIN that is all it takes.
  private static func askToUnlock(_ transition: inout Transition) -> KeyAction? {
    guard !transition.settings.panelPin.isEmpty else { return .panel(.unlock) }
    transition.holds.spendAll()
    if let seconds = transition.pin.waiting(at: transition.now) {
      tellWait(seconds, &transition)
      transition.refuse(.locked)
    } else {
      transition.dismissNotice { $0.code == "pin" }
      transition.askForPin()
    }
    return nil
  }

  /// A key while the PIN is asked for: UP and DOWN change the digit, RIGHT and LEFT go to another place, CENTRE tries it,
  /// LOCK leaves. REC, STOP and MARK mean what they do under the lock.
  private static func type(_ gesture: Gesture, _ transition: inout Transition) -> KeyAction? {
    switch (gesture.button, gesture.kind) {
    case (.up, .press), (.up, .repeat): transition.pin.change(by: 1, at: transition.now)
    case (.down, .press), (.down, .repeat): transition.pin.change(by: -1, at: transition.now)
    case (.right, .press):
      if !transition.pin.go(by: 1, at: transition.now) { transition.refuse(.atLimit) }
    case (.left, .press):
      if !transition.pin.go(by: -1, at: transition.now) { transition.refuse(.atLimit) }
    case (.centre, .press): if let action = enterPin(&transition) { return action }
    case (.lock, .press):
      transition.holds.spend(.lock)
      transition.pin.leave()
    default: break
    }
    transition.keepAskingForPin()
    return nil
  }

  private static func enterPin(_ transition: inout Transition) -> KeyAction? {
    if transition.pin.enter(transition.settings.panelPin, at: transition.now) { return .panel(.unlock) }
    // The key that ends the waiting must not be this one.
    transition.holds.spendAll()
    let seconds = transition.pin.waiting(at: transition.now)
    if let seconds { tellWait(seconds, &transition) }
    transition.announce(
      .error(code: "denied", text: "wrong PIN on the panel, number \(transition.pin.mistakes) since the last right one")
    )
    return nil
  }

  /// Over whatever else is told: under the lock no key takes that away.
  private static func tellWait(_ seconds: Int, _ transition: inout Transition) {
    transition.raise(.error, "pin", .wrongPin(seconds: seconds), for: .seconds(3))
  }
}

extension Button {
  /// Whether it does something about the PIN that is asked for; the others mean what they do under the lock.
  fileprivate var isForPin: Bool {
    switch self {
    case .rec, .stop, .mark: false
    case .up, .down, .left, .right, .centre, .lock: true
    }
  }
}
