import Hardware

// Opening and closing screens, and moving about in them.
extension Turn {
  mutating func show(_ screen: Screen) {
    state.files.isConfirmingDelete = false
    // What is played with a dub is listed on its main screen.
    state.screen = state.mode == .dub && (screen == .files || screen == .receipt) ? .main : screen
    switch state.screen {
    case .files:
      state.files.selected = 0
      state.files.windowStart = 0
      state.files.window = []
      requestWindow()
    case .options:
      state.options.selected = 0
      state.options.mode = state.mode
    case .guide: state.guideLine = 0
    case .main, .receipt, .languages: break
    }
  }

  /// UP, DOWN and pages on whatever screen is shown.
  mutating func move(by step: Int) {
    switch state.screen {
    case .files: moveSelection(by: step)
    case .options:
      guard let row = Self.moved(state.options.selected, by: step, count: state.options.rows.count) else {
        refuse(.atLimit)
        return
      }
      state.options.selected = row
    case .guide:
      guard let line = Self.moved(state.guideLine, by: step, count: state.keyGuide.count) else {
        refuse(.atLimit)
        return
      }
      state.guideLine = line
    case .main where state.mode == .dub && !state.dub.isBusy: moveDubSelection(by: step)
    case .languages:
      let count = state.dub.offeredLanguages.count + 1
      guard let row = Self.moved(state.dub.languageRow, by: step, count: count) else {
        refuse(.atLimit)
        return
      }
      state.dub.languageRow = row
    case .main, .receipt: refuseMeaningless()
    }
  }

  /// The index after a step, cut at the ends; `nil` if that is where it was.
  static func moved(_ index: Int, by step: Int, count: Int) -> Int? {
    guard count > 0 else { return nil }
    let target = min(max(index + step, 0), count - 1)
    return target == index ? nil : target
  }

  // MARK: Options

  mutating func changeOption(by direction: Int) {
    guard let changed = state.options.row.stepped(state.settings, by: direction) else {
      refuse(.atLimit)
      return
    }
    if let reason = state.refusal(of: changed) {
      refuse(reason)
      return
    }
    adopt(changed)
  }

  mutating func set(_ key: String, to value: SettingValue) {
    var changed = state.settings
    do {
      try changed.set(key, to: value)
      if let reason = state.refusal(of: changed) {
        refuse(reason)
        return
      }
      if changed == state.settings, let value = changed.value(of: key) {
        announce(.settingChanged(key: key, value: value))
      } else {
        adopt(changed)
      }
    } catch {
      refuse(.refused(error))
    }
  }

  /// Takes over settings and tells of each that differs. A take that is open goes on with those it began with.
  mutating func adopt(_ changed: Settings) {
    for key in SettingKey.allCases where changed[key] != state.settings[key] {
      announce(.settingChanged(key: key.rawValue, value: changed[key]))
    }
    let before = state.settings
    state.settings = changed
    effects.append(.saveSettings)
    followDubSettings(since: before)
  }
}

extension State {
  /// Why settings that are valid by themselves cannot be taken now: the board's ring has no room for such a window, or
  /// a clip is open that needs the one there is.
  public func refusal(of changed: Settings) -> IgnoredReason? {
    guard clips.isAvailable, changed.clipDurationSeconds != settings.clipDurationSeconds else { return nil }
    guard changed.clipDurationSeconds <= clips.largestSeconds else {
      return .refused(
        .outOfRange(
          key: SettingKey.clipsDuration.rawValue, value: .integer(changed.clipDurationSeconds),
          allowed: "1…\(clips.largestSeconds) with this board's ring"))
    }
    return clips.isBusy ? .busy("clip") : nil
  }
}
