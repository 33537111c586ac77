import Hardware

// The dictaphone's keys as one table: rows are keys, columns what is done with sound, and in front of them the screens
// that take keys for themselves. REC, MARK and (while a take is open) STOP are never taken away.

extension DictaphoneState {
  func binding(of key: Button, on screen: Screen) -> KeyBinding {
    switch key {
    case .lock: .key(.panel(.lock))
    case .rec: record
    case .mark where activity == .idle && screen == .files && files.isConfirmingDelete: confirming(key)
    case .mark: mark
    case .stop where recording.take != nil: stopTake
    default: other(key, on: screen)
    }
  }

  private func other(_ key: Button, on screen: Screen) -> KeyBinding {
    switch screen {
    case .main: onMain(key)
    case .files: files.isConfirmingDelete ? confirming(key) : onFiles(key)
    case .marks: onMarks(key)
    case .library: files.browser.binding(of: key)
    case .options: .options(key)
    case .schedules: .schedules(key)
    case .schedule: .schedule(key)
    case .clock: .clock(key)
    case .guide, .receipt: .guide(key)
    }
  }

  // MARK: Keys of sound

  /// REC always keeps something: a take, or a mark in what plays.
  private var record: KeyBinding {
    switch activity {
    case .idle, .saving: .key(.dictaphone(.record))
    case .recording: .key(.dictaphone(.pause))
    case .paused: .key(.dictaphone(.resume))
    case .playing, .playbackPaused: mark
    }
  }

  private var mark: KeyBinding {
    switch activity {
    case .idle: .none
    case .saving: .key(.panel(.wait(for: "saving")))
    case .recording, .paused, .playing, .playbackPaused: .key(.dictaphone(.mark(title: nil)))
    }
  }

  private var stopTake: KeyBinding {
    guard activity == .saving, queuedHasStop else { return .key(.dictaphone(.stop)) }
    return .key(.panel(.wait(for: "saving")))
  }

  /// There is no take, or none any more, that STOP could end.
  private var queuedHasStop: Bool { recording.queued?.isStopped ?? true }

  private func onMain(_ key: Button) -> KeyBinding {
    switch activity {
    case .idle: stopped(key)
    case .recording, .paused: recording(key)
    case .saving: saving(key)
    case .playing, .playbackPaused: playing(key)
    }
  }

  private func stopped(_ key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(nil, hold: .panel(.changeMode))
    case .centre: .key(.dictaphone(.play), hold: .panel(.openOptions))
    case .left: .key(.dictaphone(.skip(-1)), hold: .dictaphone(.scrub(-1)))
    case .right: .key(.dictaphone(.skip(1)), hold: .dictaphone(.scrub(1)))
    case .up: .key(.panel(.openSpeed), hold: .panel(.openGuide))
    case .down: .key(.panel(.openList))
    case .rec, .lock, .mark: .none
    }
  }

  private func recording(_ key: Button) -> KeyBinding {
    switch key {
    case .centre: .key(.dictaphone(.mark(title: nil)), hold: .panel(.openOptions))
    case .left: .repeating(.dictaphone(.level(by: -1)))
    case .right: .repeating(.dictaphone(.level(by: 1)))
    case .up: .key(.dictaphone(.source(by: 1)), hold: .panel(.openGuide))
    case .down, .stop, .rec, .lock, .mark: .none
    }
  }

  private func saving(_ key: Button) -> KeyBinding {
    let wait = KeyAction.panel(.wait(for: "saving"))
    return switch key {
    case .centre: .key(wait, hold: .panel(.openOptions))
    case .up: .key(wait, hold: .panel(.openGuide))
    case .left, .right, .down: .key(wait)
    case .stop, .rec, .lock, .mark: .none
    }
  }

  private func playing(_ key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(.dictaphone(.stop), hold: .panel(.changeMode))
    case .centre: .key(.dictaphone(activity == .playing ? .pause : .play), hold: .panel(.openOptions))
    case .left: .key(.dictaphone(.skip(-1)), hold: .dictaphone(.scrub(-1)))
    case .right: .key(.dictaphone(.skip(1)), hold: .dictaphone(.scrub(1)))
    case .up: .key(.panel(.openSpeed), hold: .panel(.openGuide))
    case .down: .key(.dictaphone(.loop), hold: .panel(.openMarks))
    case .rec, .lock, .mark: .none
    }
  }

  // MARK: The list

  private func onFiles(_ key: Button) -> KeyBinding {
    switch key {
    case .up: .upInList(isAtTop: files.selected == 0)
    case .down: .repeating(.panel(.move(by: 1)))
    case .left: .key(.panel(.move(by: -FileList.pageLength)), hold: .dictaphone(.browse(.open)))
    case .right: .key(.panel(.move(by: FileList.pageLength)), hold: .dictaphone(.askDelete))
    case .centre where files.browser.marked != nil:
      .key(.dictaphone(.browse(.mark)), hold: .panel(.openOptions))
    case .centre: .key(.dictaphone(.playSelected), hold: .panel(.openOptions))
    case .stop where files.browser.worked != nil:
      .key(.dictaphone(.browse(.cancelWork)), hold: .panel(.changeMode))
    case .stop where files.browser.marked != nil:
      .key(.dictaphone(.browse(.endMarking)), hold: .panel(.changeMode))
    case .stop: .key(.panel(.close), hold: .panel(.changeMode))
    case .rec, .lock, .mark: .none
    }
  }

  // MARK: The marks of what is loaded

  private func onMarks(_ key: Button) -> KeyBinding {
    switch key {
    case .up: .upInList(isAtTop: marks.selected == 0)
    case .down: .repeating(.panel(.move(by: 1)))
    case .left: .key(.dictaphone(.moveMark(by: -1)), hold: .dictaphone(.removeMark))
    case .right: .key(.dictaphone(.moveMark(by: 1)), hold: .dictaphone(.restoreMark))
    case .centre: .key(.dictaphone(.goToMark), hold: .panel(.openOptions))
    case .stop: .key(.panel(.close), hold: .panel(.changeMode))
    case .rec, .lock, .mark: .none
    }
  }

  private func confirming(_ key: Button) -> KeyBinding {
    .key(.dictaphone(key == .centre ? .confirmDelete : .cancelDelete))
  }
}
