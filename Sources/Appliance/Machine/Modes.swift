import Hardware

// From one mode to the other. Nothing that is open is ever left behind: what is being recorded comes first.
extension Turn {
  /// What a held STOP does: the next mode that this board has.
  mutating func takeNextMode() {
    let modes = Mode.allCases.filter { mode in
      switch mode {
      case .dictaphone: true
      case .clips: state.clips.isAvailable
      case .dub: state.dub.isAvailable
      }
    }
    guard modes.count > 1 else {
      // What most boards without another mode lack is a camera.
      refuse(.notOnBoard(.camera))
      return
    }
    let place = modes.firstIndex(of: state.mode) ?? 0
    take(modes[(place + 1) % modes.count])
  }

  /// Takes up a mode; refused while a take or a clip is open.
  mutating func take(_ mode: Mode) {
    guard mode != state.mode else {
      // Asked for by name it is where it was wanted, but for the screen.
      if state.screen != .main { show(.main) }
      return
    }
    guard mode != .clips || state.clips.isAvailable else {
      refuse(.notOnBoard(.camera))
      return
    }
    guard mode != .dub || state.dub.isAvailable else {
      refuse(.notOnBoard(.network))
      return
    }
    guard !state.hasOpenTake else {
      refuse(.busy(state.activity == .saving ? "saving" : "recording"))
      return
    }
    guard !state.clips.isBusy else {
      refuse(.busy("clip"))
      return
    }
    let left = state.mode
    leave(for: mode)
    state.mode = mode
    state.files = FileList()
    show(.main)
    if left == .clips { disarm() }
    switch mode {
    case .clips:
      requestWindow()
      arm()
    case .dictaphone: requestWindow()
    case .dub:
      state.dub.selected = 0
      orderDub(.list)
    }
  }

  /// Ends what only the present mode does. The player goes over to what the next mode had in it; dubbed playback has
  /// the speaker to itself.
  private mutating func leave(for mode: Mode) {
    if state.mode == .dub {
      if state.dub.isBusy {
        endDub()
        orderDub(.stop)
      }
    } else {
      endScrub()
      state.activity = .idle
      order(.stop)
    }
    guard mode != .dub, mode != state.modeOfPlayer else { return }
    state.modeOfPlayer = mode
    swap(&state.loaded, &state.clips.loadedElsewhere)
    state.isLoading = state.loaded != nil
    if let take = state.loaded { order(.load(id: take.id, playing: false, fromStart: false)) }
  }

  private mutating func arm() {
    state.clips.isReady = false
    state.clips.hasPictures = false
    state.health.isCameraOpening = true
    order(.arm)
  }

  private mutating func disarm() {
    state.clips.isReady = false
    state.clips.hasPictures = false
    state.health.hasCamera = false
    state.health.isCameraOpening = false
    if state.notice?.device == .camera { dismissNotice() }
    order(.disarm)
  }
}
