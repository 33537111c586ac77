import Hardware

// The keys of clip mode. REC triggers on every screen, and STOP ends a running post-roll on every screen: what they
// are for cannot wait for a menu to be closed.
extension State {
  func clipBinding(of key: Button) -> KeyBinding {
    switch key {
    case .lock: .key(.lock)
    case .rec: .key(.triggerClip)
    case .mark: .key(nil)
    case .stop where clips.activity == .capturing: .key(.endPostRoll)
    default: screen == .main ? clipMainBinding(of: key) : clipListBinding(of: key)
    }
  }

  private func clipMainBinding(of key: Button) -> KeyBinding {
    switch key {
    case .stop where activity != .idle: .key(.stopPlayback, hold: .changeMode)
    case .stop: .key(clips.activity == .saving ? .waitForClip : nil, hold: .changeMode)
    case .centre: .key(clipPlayback, hold: .openOptions)
    case .left: .key(.snapshot)
    case .right: .key(.windowLength)
    case .up: .key(nil, hold: .openGuide)
    case .down: .key(.openList)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  private var clipPlayback: KeyAction {
    switch activity {
    case .playing: .pausePlayback
    case .playbackPaused: .play
    case .idle, .recording, .paused, .saving: .playClip
    }
  }

  private func clipListBinding(of key: Button) -> KeyBinding {
    switch screen {
    case .files where files.isConfirmingDelete: confirmBinding(of: key)
    case .files: clipFilesBinding(of: key)
    case .receipt: receiptBinding(of: key)
    case .options: optionsBinding(of: key)
    case .guide, .main, .languages: guideBinding(of: key)
    }
  }

  private func clipFilesBinding(of key: Button) -> KeyBinding {
    switch key {
    case .up: files.selected == 0 ? .key(.moveUp, hold: .openGuide) : .repeating(.moveUp)
    case .down: .repeating(.moveDown)
    case .left: .key(.openReceipt)
    case .right: .key(.protectClip, hold: .askDelete)
    case .centre: .key(.playSelected, hold: .openOptions)
    case .stop: .key(.close, hold: .changeMode)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  private func receiptBinding(of key: Button) -> KeyBinding {
    switch key {
    case .up: .key(.close, hold: .openGuide)
    case .centre: .key(.playSelected, hold: .openOptions)
    case .stop: .key(.close, hold: .changeMode)
    case .down, .left, .right: .key(.close)
    case .rec, .lock, .mark: .key(nil)
    }
  }
}
