public import Hardware

// The default keys of the contract, as one table: rows are keys, columns what is done with sound, and in front of
// them the screens that take keys for themselves. REC, MARK and (while a take is open) STOP are never taken away.

extension State {
  /// What a key does now, the lock left aside.
  public func binding(of key: Button) -> KeyBinding {
    switch mode {
    case .dictaphone: dictaphoneBinding(of: key)
    case .clips: clipBinding(of: key)
    case .dub: dubBinding(of: key)
    }
  }

  private func dictaphoneBinding(of key: Button) -> KeyBinding {
    switch key {
    case .lock: .key(.lock)
    case .rec: record
    case .mark: marking
    case .stop where hasOpenTake: stopOpenTake
    default: binding(of: key, on: screen)
    }
  }

  private func binding(of key: Button, on screen: Screen) -> KeyBinding {
    switch screen {
    case .main: activityBinding(of: key)
    case .files: files.isConfirmingDelete ? confirmBinding(of: key) : filesBinding(of: key)
    case .options: optionsBinding(of: key)
    case .guide, .receipt, .languages: guideBinding(of: key)
    }
  }

  // MARK: Keys of sound

  private var record: KeyBinding {
    switch activity {
    case .idle: .key(.record)
    case .recording: .key(.pauseRecording)
    case .paused: .key(.resumeRecording)
    case .saving: .key(.recordNext)
    case .playing, .playbackPaused: .key(.mark)
    }
  }

  private var marking: KeyBinding {
    switch activity {
    case .idle: .key(nil)
    case .saving: .key(.wait)
    case .recording, .paused, .playing, .playbackPaused: .key(.mark)
    }
  }

  private var stopOpenTake: KeyBinding {
    guard activity == .saving else { return .key(.stopAndSave) }
    return .key(queuedRecord != nil && queuedStop == nil ? .stopNext : .wait)
  }

  private func activityBinding(of key: Button) -> KeyBinding {
    switch activity {
    case .idle: stoppedBinding(of: key)
    case .recording, .paused: recordingBinding(of: key)
    case .saving: savingBinding(of: key)
    case .playing, .playbackPaused: playingBinding(of: key)
    }
  }

  private func stoppedBinding(of key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(nil, hold: .changeMode)
    case .centre: .key(.play, hold: .openOptions)
    case .left: .key(.seekBack, hold: .scrubBack)
    case .right: .key(.seekForward, hold: .scrubForward)
    case .up: .key(.speedAndPitch, hold: .openGuide)
    case .down: .key(.openList)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  private func recordingBinding(of key: Button) -> KeyBinding {
    switch key {
    case .centre: .key(.mark, hold: .openOptions)
    case .left: .repeating(.levelDown)
    case .right: .repeating(.levelUp)
    case .up: .key(.source, hold: .openGuide)
    case .down, .stop, .rec, .lock, .mark: .key(nil)
    }
  }

  private func savingBinding(of key: Button) -> KeyBinding {
    switch key {
    case .centre: .key(.wait, hold: .openOptions)
    case .up: .key(.wait, hold: .openGuide)
    case .left, .right, .down: .key(.wait)
    case .stop, .rec, .lock, .mark: .key(nil)
    }
  }

  private func playingBinding(of key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(.stopPlayback, hold: .changeMode)
    case .centre: .key(activity == .playing ? .pausePlayback : .play, hold: .openOptions)
    case .left: .key(.seekBack, hold: .scrubBack)
    case .right: .key(.seekForward, hold: .scrubForward)
    case .up: .key(.speedAndPitch, hold: .openGuide)
    case .down: .key(.loop)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  // MARK: Screens that take keys for themselves

  private func filesBinding(of key: Button) -> KeyBinding {
    switch key {
    // A held UP scrolls; at the top there is nothing to scroll to, and it is the guide's as everywhere.
    case .up: files.selected == 0 ? .key(.moveUp, hold: .openGuide) : .repeating(.moveUp)
    case .down: .repeating(.moveDown)
    case .left: .repeating(.pageUp)
    case .right: .key(.pageDown, hold: .askDelete)
    case .centre: .key(.playSelected, hold: .openOptions)
    case .stop: .key(.close, hold: .changeMode)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  func confirmBinding(of key: Button) -> KeyBinding {
    key == .centre ? .key(.confirmDelete) : .key(.cancelDelete)
  }

  func optionsBinding(of key: Button) -> KeyBinding {
    switch key {
    case .up: .key(.moveUp, hold: .openGuide)
    case .down: .repeating(.moveDown)
    case .left: .repeating(.changeDown)
    case .right: .repeating(.changeUp)
    case .centre: .key(.close)
    case .stop: .key(.close, hold: .changeMode)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  func guideBinding(of key: Button) -> KeyBinding {
    switch key {
    case .up: .repeating(.moveUp)
    case .down: .repeating(.moveDown)
    case .stop: .key(.close, hold: .changeMode)
    case .centre: .key(.close, hold: .openOptions)
    case .left, .right: .key(.close)
    case .rec, .lock, .mark: .key(nil)
    }
  }
}
