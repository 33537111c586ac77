import Hardware

// The keys of dubbed playback. REC changes the language on every screen, and there is no recording here.
extension State {
  func dubBinding(of key: Button) -> KeyBinding {
    switch key {
    case .lock: .key(.lock)
    case .rec: .key(.nextLanguage, hold: .openLanguages)
    case .mark: .key(nil)
    default: dubBinding(of: key, on: screen)
    }
  }

  private func dubBinding(of key: Button, on screen: Screen) -> KeyBinding {
    switch screen {
    case .main, .files: dub.isBusy ? dubPlayingBinding(of: key) : dubListBinding(of: key)
    case .languages: languageBinding(of: key)
    case .options: optionsBinding(of: key)
    case .guide, .receipt: guideBinding(of: key)
    }
  }

  private func dubListBinding(of key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(nil, hold: .changeMode)
    case .centre: .key(.startDub, hold: .openOptions)
    case .left: .repeating(.pageUp)
    case .right: .repeating(.pageDown)
    case .up: dub.selected == 0 ? .key(.moveUp, hold: .openGuide) : .repeating(.moveUp)
    case .down: .repeating(.moveDown)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  private func dubPlayingBinding(of key: Button) -> KeyBinding {
    switch key {
    case .stop: .key(.stopDub, hold: .changeMode)
    case .centre: .key(dub.isPaused ? .resumeDub : .pauseDub, hold: .openOptions)
    case .left: .key(.seekBack, hold: .scrubBack)
    case .right: .key(.seekForward, hold: .scrubForward)
    case .up: .key(.previousSource, hold: .openGuide)
    case .down: .key(.nextSource, hold: .pictureSize)
    case .rec, .lock, .mark: .key(nil)
    }
  }

  private func languageBinding(of key: Button) -> KeyBinding {
    switch key {
    case .up: dub.languageRow == 0 ? .key(.moveUp, hold: .openGuide) : .repeating(.moveUp)
    case .down: .repeating(.moveDown)
    case .left: .repeating(.pageUp)
    case .right: .repeating(.pageDown)
    case .centre: .key(.chooseLanguage, hold: .openOptions)
    case .stop: .key(.close, hold: .changeMode)
    case .rec, .lock, .mark: .key(nil)
    }
  }
}
