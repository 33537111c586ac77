import Hardware

extension Turn {
  private static let hintTime: Duration = .seconds(2)

  /// Locks at once and says how to unlock. Whatever is being held loses its meaning; the recording goes on.
  mutating func lock() {
    guard !state.isLocked else {
      refuseMeaningless()
      return
    }
    endScrub()
    state.isLocked = true
    state.files.isConfirmingDelete = false
    // The hold that locked must not unlock, nor a key that was down act under the lock.
    state.spentKeys = .all
    state.repeatingKeys = KeySet()
    showHint()
    announce(.lock(true))
  }

  mutating func unlock() {
    guard state.isLocked else {
      refuseMeaningless()
      return
    }
    state.isLocked = false
    state.spentKeys = .all
    if state.lockHintUntil != nil {
      state.lockHintUntil = nil
      effects.append(.cancelTimer(.lockHintExpires))
    }
    announce(.lock(false))
  }

  /// Under the lock a key shows the hint. LOCK held unlocks; STOP held ends the take if the user has set it so.
  mutating func takeLocked(_ gesture: Gesture) {
    let key = gesture.button
    let mayEndTake = key == .stop && state.settings.lockedStopWorks && hasRunningTake
    switch gesture.kind {
    case .press:
      showHint()
      // The hold of these two may yet mean something; their taps are refused when they turn out to be taps.
      guard key != .lock, !mayEndTake else { return }
      state.spentKeys.insert(key)
      refuse(.locked)
    case .short:
      state.spentKeys.insert(key)
      refuse(.locked)
    case .long where mayEndTake:
      state.spentKeys.insert(key)
      stopRecording(at: gesture.pressedAt, reason: .user)
    case .veryLong where key == .lock:
      unlock()
    default: break
    }
  }

  mutating func hintRanOut() {
    guard let until = state.lockHintUntil, until <= now else { return }
    state.lockHintUntil = nil
  }

  private var hasRunningTake: Bool { state.activity == .recording || state.activity == .paused }

  private mutating func showHint() {
    let until = now + Self.hintTime
    state.lockHintUntil = until
    effects.append(.setTimer(.lockHintExpires, at: until))
  }
}
