import Hardware

// From one job to the other. Nothing that is open is ever left behind: what is being recorded comes first.
extension Turn {
  /// What a held STOP does: the next job that this board has.
  mutating func takeNextJob() {
    let jobs = Job.allCases.filter { job in
      switch job {
      case .dictaphone: true
      case .clips: state.clips.isAvailable
      case .dub: state.dub.isAvailable
      }
    }
    guard jobs.count > 1 else {
      // What most boards without another job lack is a camera.
      refuse(.notOnBoard(.camera))
      return
    }
    let place = jobs.firstIndex(of: state.job) ?? 0
    take(jobs[(place + 1) % jobs.count])
  }

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
    guard job != .dub || state.dub.isAvailable else {
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
    let left = state.job
    leave(for: job)
    state.job = job
    state.files = FileList()
    show(.main)
    if left == .clips { disarm() }
    switch job {
    case .clips:
      requestWindow()
      arm()
    case .dictaphone: requestWindow()
    case .dub:
      state.dub.selected = 0
      orderDub(.list)
    }
  }

  /// Ends what only the present job does. The player goes over to what the next job had in it; dubbed playback has
  /// the speaker to itself.
  private mutating func leave(for job: Job) {
    if state.job == .dub {
      if state.dub.isBusy {
        endDub()
        orderDub(.stop)
      }
    } else {
      endScrub()
      state.activity = .idle
      order(.stop)
    }
    guard job != .dub, job != state.jobOfPlayer else { return }
    state.jobOfPlayer = job
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
