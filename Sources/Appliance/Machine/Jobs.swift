import Hardware

// From one job to the other. Nothing that is open is ever left behind: what is being recorded comes first.
extension Turn {
  /// Takes up a job; refused while a take or a clip is open.
  mutating func take(_ job: Job) {
    guard job != state.job else {
      // Asked for by name it is where it was wanted, but for the screen.
      if state.screen != .main { show(.main) }
      return
    }
    guard job != .clips || state.clips.isAvailable else {
      refuse(.notOnBoard(.camera))
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
    leavePlayer()
    state.job = job
    state.files = FileList()
    show(.main)
    requestWindow()
    switch job {
    case .clips: arm()
    case .dictaphone: disarm()
    }
  }

  /// The player goes over to what the other job had in it.
  private mutating func leavePlayer() {
    endScrub()
    state.activity = .idle
    order(.stop)
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
