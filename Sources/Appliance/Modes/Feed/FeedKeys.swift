import Hardware

// The keys of the feed. REC records, as everywhere; languages are the first row of the options.

extension FeedState {
  func binding(of key: Button, on screen: Screen) -> KeyBinding {
    switch key {
    case .lock: .key(.panel(.lock))
    case .rec: .key(.feed(.record))
    case .mark: .none
    default: other(key, on: screen)
    }
  }

  private func other(_ key: Button, on screen: Screen) -> KeyBinding {
    switch screen {
    case .main, .files: main(key)
    case .options: .options(key)
    case .schedules: .schedules(key)
    case .schedule: .schedule(key)
    case .clock: .clock(key)
    case .guide, .receipt, .marks, .library: .guide(key)
    }
  }

  private func main(_ key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(.feed(isBusy ? .stop : .leave), hold: .panel(.changeMode))
    case .centre: .key(.feed(ofCentre), hold: .panel(.openOptions))
    case .left: isPlaying ? .key(.feed(.seek(by: -10)), hold: .feed(.scrub(-1))) : .none
    case .right: isPlaying ? .key(.feed(.seek(by: 10)), hold: .feed(.scrub(1))) : .none
    case .up: .key(.feed(presenter.isAtBeginning ? .refresh : .step(-1)), hold: .panel(.openGuide))
    case .down: .key(.feed(.step(1)), hold: .feed(.toggleFavourite))
    case .rec, .lock, .mark: .none
    }
  }

  private var isPlaying: Bool { play?.fault == nil && play != nil }

  private var ofCentre: FeedEvent {
    guard let play, play.fault == nil else { return .start }
    if play.isPaused { return .resume }
    return isMuted ? .unmute : .pause
  }
}
