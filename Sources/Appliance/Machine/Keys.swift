import Hardware

// From gestures to actions: which gesture of a key counts, and that one hold has one effect.
extension Turn {
  mutating func take(_ gesture: Gesture) {
    let key = gesture.button
    switch gesture.kind {
    case .press:
      state.spentKeys.remove(key)
      state.repeatingKeys.remove(key)
    case .release:
      released(key)
      return
    default:
      if state.spentKeys.contains(key) { return }
    }
    if state.isLocked {
      takeLocked(gesture)
      return
    }
    if gesture.kind == .press, isSpentOnNotice(key) {
      state.spentKeys.insert(key)
      return
    }
    let binding = state.binding(of: key)
    switch gesture.kind {
    case .press: pressed(gesture, binding)
    case .short: tapped(gesture, binding)
    case .long: held(gesture, binding)
    case .repeat:
      if state.repeatingKeys.contains(key), binding.trigger == .pressAndRepeat, let action = binding.tap {
        perform(action, pressedAt: gesture.pressedAt)
      }
    case .veryLong, .release: break
    }
  }

  private mutating func pressed(_ gesture: Gesture, _ binding: KeyBinding) {
    switch binding.trigger {
    case .tap: return
    case .pressAndRepeat: state.repeatingKeys.insert(gesture.button)
    case .press: state.spentKeys.insert(gesture.button)
    }
    if let action = binding.tap {
      perform(action, pressedAt: gesture.pressedAt)
    } else {
      refuseMeaningless()
    }
  }

  private mutating func tapped(_ gesture: Gesture, _ binding: KeyBinding) {
    guard !state.repeatingKeys.contains(gesture.button) else { return }
    state.spentKeys.insert(gesture.button)
    if let action = binding.tap {
      perform(action, pressedAt: gesture.pressedAt)
    } else {
      refuseMeaningless()
    }
  }

  private mutating func held(_ gesture: Gesture, _ binding: KeyBinding) {
    if state.repeatingKeys.contains(gesture.button) {
      if binding.trigger == .pressAndRepeat, let action = binding.tap {
        perform(action, pressedAt: gesture.pressedAt)
      }
      return
    }
    guard let action = binding.hold else { return }
    state.spentKeys.insert(gesture.button)
    perform(action, pressedAt: gesture.pressedAt)
  }

  private mutating func released(_ key: Button) {
    state.spentKeys.remove(key)
    state.repeatingKeys.remove(key)
    switch (key, state.scrubbing) {
    case (.left, ..<0), (.right, 1...): endScrub()
    default: break
    }
  }

  /// Any key takes a notice away. It does nothing else if the notice is an error that may have hidden what the
  /// key would act on; but no notice eats REC, STOP, MARK or LOCK, or any key while a take is open.
  private mutating func isSpentOnNotice(_ key: Button) -> Bool {
    guard let notice = state.notice else { return false }
    dismissNotice()
    switch key {
    case .rec, .stop, .mark, .lock: return false
    default: return notice.severity == .error && !state.hasOpenWork
    }
  }

  // MARK: Actions

  mutating func perform(_ action: KeyAction, pressedAt: Instant) {
    switch action {
    case .record: startRecording(at: pressedAt)
    case .recordNext: queueRecording(at: pressedAt)
    case .pauseRecording: pauseRecording(at: pressedAt)
    case .resumeRecording: resumeRecording(at: pressedAt)
    case .stopAndSave: stopRecording(at: pressedAt, reason: .user)
    case .stopNext: state.queuedStop = pressedAt
    case .mark: mark(at: pressedAt, title: nil)
    case .levelDown: changeInputGain(by: -1)
    case .levelUp: changeInputGain(by: 1)
    case .play: playLoaded()
    case .pausePlayback: pausePlayback()
    case .stopPlayback: stopPlayback()
    case .seekBack: seek(by: -10)
    case .seekForward: seek(by: 10)
    case .scrubBack: scrub(-1)
    case .scrubForward: scrub(1)
    case .wait: refuse(.busy("saving"))
    case .lock: lock()
    case .unlock: unlock()
    case .triggerClip: trigger(at: pressedAt, .key)
    case .endPostRoll: endPostRoll(at: pressedAt)
    case .snapshot: snapshot(at: pressedAt)
    case .playClip: playLastClip()
    case .windowLength: stepWindow()
    case .changeMode: takeNextMode()
    case .waitForClip: refuse(.busy("clip"))
    case .startDub: startSelectedDub()
    case .stopDub: stopDub()
    case .pauseDub: pauseDub()
    case .resumeDub: resumeDub()
    case .previousSource: startNeighbour(-1)
    case .nextSource: startNeighbour(1)
    case .nextLanguage: nextLanguage()
    case .openLanguages: openLanguages()
    case .chooseLanguage: chooseHighlightedLanguage()
    case .pictureSize: stepPictureSize()
    case .speedAndPitch, .loop, .source: refuse(.notYet(action.text))
    default: performOnScreen(action)
    }
  }

  private mutating func performOnScreen(_ action: KeyAction) {
    switch action {
    case .openList: show(.files)
    case .openOptions: show(.options)
    case .openGuide: show(.guide)
    case .close: if state.screen == .receipt { state.screen = .files } else { show(.main) }
    case .openReceipt: openReceipt()
    case .protectClip: toggleProtection()
    case .moveUp: move(by: -1)
    case .moveDown: move(by: 1)
    case .pageUp: move(by: -FileList.pageLength)
    case .pageDown: move(by: FileList.pageLength)
    case .playSelected: playSelected()
    case .askDelete: askDelete()
    case .confirmDelete: confirmDelete()
    case .cancelDelete: state.files.isConfirmingDelete = false
    case .changeDown: changeOption(by: -1)
    case .changeUp: changeOption(by: 1)
    default: refuseMeaningless()
    }
  }
}
