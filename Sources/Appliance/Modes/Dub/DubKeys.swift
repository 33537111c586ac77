import Hardware

// The keys of dubbed playback. REC records, as everywhere; languages are the first row of the options.

extension DubState {
  func binding(of key: Button, on screen: Screen) -> KeyBinding {
    switch key {
    case .lock: .key(.panel(.lock))
    case .rec: .key(.dub(.record))
    case .mark: .none
    default: other(key, on: screen)
    }
  }

  private func other(_ key: Button, on screen: Screen) -> KeyBinding {
    switch screen {
    case .main, .files: isBusy ? playing(key) : onList(key)
    case .options: .options(key)
    case .schedules: .schedules(key)
    case .schedule: .schedule(key)
    case .clock: .clock(key)
    case .guide, .receipt, .marks, .library: .guide(key)
    }
  }

  private func onList(_ key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(nil, hold: .panel(.changeMode))
    case .centre: .key(.dub(.start), hold: .panel(.openOptions))
    case .left: .repeating(.panel(.move(by: -FileList.pageLength)))
    case .right: .repeating(.panel(.move(by: FileList.pageLength)))
    case .up: .upInList(isAtTop: sources.selected == 0)
    case .down: .repeating(.panel(.move(by: 1)))
    case .rec, .lock, .mark: .none
    }
  }

  private func playing(_ key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(.dub(.stop), hold: .panel(.changeMode))
    case .centre: .key(.dub(isPaused ? .resume : .pause), hold: .panel(.openOptions))
    case .left: .key(.dub(.seek(by: -10)), hold: .dub(.scrub(-1)))
    case .right: .key(.dub(.seek(by: 10)), hold: .dub(.scrub(1)))
    case .up: .key(.dub(.startNeighbour(-1)), hold: .panel(.openGuide))
    case .down: .key(.dub(.startNeighbour(1)), hold: .dub(.stepPicture))
    case .rec, .lock, .mark: .none
    }
  }
}
