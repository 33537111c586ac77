import Hardware

// The keys of clip mode. REC triggers on every screen, and STOP ends a running post-roll on every screen: what they
// are for cannot wait for a menu to be closed.

extension ClipsState {
  func binding(of key: Button, on screen: Screen) -> KeyBinding {
    switch key {
    case .lock: .key(.panel(.lock))
    case .rec: .key(.clips(.trigger(.key)))
    case .mark: screen == .files && files.isConfirmingDelete ? confirming(key) : .none
    case .stop where activity == .capturing: .key(.clips(.endPostRoll))
    default: other(key, on: screen)
    }
  }

  private func other(_ key: Button, on screen: Screen) -> KeyBinding {
    switch screen {
    case .main: onMain(key)
    case .files: files.isConfirmingDelete ? confirming(key) : onFiles(key)
    case .receipt: onReceipt(key)
    case .options: .options(key)
    case .schedules: .schedules(key)
    case .schedule: .schedule(key)
    case .clock: .clock(key)
    case .guide, .marks, .library: .guide(key)
    }
  }

  private func onMain(_ key: Button) -> KeyBinding {
    switch key {
    case .stop where playback.phase != .stopped: .key(.clips(.stop), hold: .panel(.changeMode))
    case .stop: .key(activity == .saving ? .panel(.wait(for: "clip")) : nil, hold: .panel(.changeMode))
    case .centre: .key(.clips(play), hold: .panel(.openOptions))
    case .left: .key(.clips(.snapshot))
    case .right: .key(.clips(.stepWindow))
    case .up: .key(nil, hold: .panel(.openGuide))
    case .down: .key(.panel(.openList))
    case .rec, .lock, .mark: .none
    }
  }

  private var play: ClipsEvent {
    switch playback.phase {
    case .playing: .pause
    case .paused: .play
    case .stopped: .playLast
    }
  }

  private func onFiles(_ key: Button) -> KeyBinding {
    switch key {
    case .up: .upInList(isAtTop: files.selected == 0)
    case .down: .repeating(.panel(.move(by: 1)))
    case .left: .key(.clips(.openReceipt))
    case .right: .key(.clips(.toggleProtection), hold: .clips(.askDelete))
    case .centre: .key(.clips(.playSelected), hold: .panel(.openOptions))
    case .stop: .key(.panel(.close), hold: .panel(.changeMode))
    case .rec, .lock, .mark: .none
    }
  }

  private func confirming(_ key: Button) -> KeyBinding {
    .key(.clips(key == .centre ? .confirmDelete : .cancelDelete))
  }

  private func onReceipt(_ key: Button) -> KeyBinding {
    let close = KeyAction.clips(.closeReceipt)
    return switch key {
    case .up: .key(close, hold: .panel(.openGuide))
    case .centre: .key(.clips(.playSelected), hold: .panel(.openOptions))
    case .stop: .key(close, hold: .panel(.changeMode))
    case .down, .left, .right: .key(close)
    case .rec, .lock, .mark: .none
    }
  }
}
