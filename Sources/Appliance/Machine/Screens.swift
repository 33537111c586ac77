import Hardware

// Opening and closing screens, and moving about in them.
extension Turn {
  mutating func show(_ screen: Screen) {
    state.files.isConfirmingDelete = false
    state.screen = screen
    switch screen {
    case .files:
      state.files.selected = 0
      state.files.windowStart = 0
      state.files.window = []
      requestWindow()
    case .options:
      state.options.selected = 0
      state.options.job = state.job
    case .guide: state.guideLine = 0
    case .main, .receipt: break
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
    do throws(SettingError) { try fit(changed) } catch {
      refuse(.atLimit)
      return
    }
    adopt(changed)
  }

  mutating func set(_ key: String, to value: SettingValue) {
    var changed = state.settings
    do {
      try changed.set(key, to: value)
      try fit(changed)
      if changed == state.settings, let value = changed.value(of: key) {
        announce(.settingChanged(key: key, value: value))
      } else {
        adopt(changed)
      }
    } catch {
      refuse(.refused(error))
    }
  }

  /// Refuses a window that the board's ring has no room for.
  private func fit(_ changed: Settings) throws(SettingError) {
    let limit = state.clips.largestSeconds
    guard changed.clipDurationSeconds != state.settings.clipDurationSeconds, state.clips.isAvailable,
      changed.clipDurationSeconds > limit
    else { return }
    throw .outOfRange(
      key: SettingKey.clipsDuration.rawValue, value: .integer(changed.clipDurationSeconds),
      allowed: "1…\(limit) with this board's ring")
  }

  /// Takes over settings and tells of each that differs. A take that is open goes on with those it began with.
  mutating func adopt(_ changed: Settings) {
    for key in SettingKey.allCases where changed[key] != state.settings[key] {
      announce(.settingChanged(key: key.rawValue, value: changed[key]))
    }
    state.settings = changed
    effects.append(.saveSettings)
  }
}
