import Hardware

// The take in the player: stopped at a position, playing, or paused.
extension Turn {
  mutating func playLoaded() {
    guard state.loaded != nil else {
      refuse(.nothingLoaded)
      return
    }
    guard state.health.hasSpeaker else {
      refuse(.deviceMissing(.speaker))
      return
    }
    state.activity = .playing
    order(.play)
  }

  /// Opens a take where it was left, and plays it.
  mutating func play(_ take: TakeReference) {
    guard state.health.hasSpeaker else {
      refuse(.deviceMissing(.speaker))
      return
    }
    endScrub()
    state.loaded = take
    state.isLoading = true
    state.activity = .playing
    show(.main)
    // A clip is short: it is always wanted whole.
    order(.load(id: take.id, playing: true, fromStart: state.mode == .clips))
  }

  mutating func pausePlayback() {
    state.activity = .playbackPaused
    order(.pause)
  }

  /// Stops and keeps the position: CENTRE goes on from there.
  mutating func stopPlayback() {
    endScrub()
    state.activity = .idle
    order(.stop)
  }

  mutating func seek(by seconds: Double) {
    guard canSeek() else { return }
    guard seconds.isFinite, seconds != 0 else {
      refuse(.atLimit)
      return
    }
    if state.mode == .dub { orderDub(.seek(by: seconds)) } else { order(.seek(by: seconds)) }
  }

  mutating func scrub(_ direction: Int) {
    guard canSeek() else { return }
    state.scrubbing = direction
    orderScrub(direction)
  }

  mutating func endScrub() {
    guard state.scrubbing != 0 else { return }
    state.scrubbing = 0
    orderScrub(0)
  }

  private mutating func orderScrub(_ direction: Int) {
    if state.mode == .dub { orderDub(.scrub(direction: direction)) } else { order(.scrub(direction: direction)) }
  }

  /// Whether there is a take whose position can be moved; says why not.
  private mutating func canSeek() -> Bool {
    guard state.mode != .dub else {
      if state.dub.isBusy { return true }
      refuse(.nothingLoaded)
      return false
    }
    switch state.activity {
    case .recording, .paused: refuse(.busy("recording"))
    case .saving: refuse(.busy("saving"))
    case .idle, .playing, .playbackPaused:
      if state.loaded != nil { return true }
      refuse(.nothingLoaded)
    }
    return false
  }

  // MARK: Reports

  mutating func take(_ report: PlayerReport) {
    switch report {
    case .loaded(let take, _): loaded(take)
    case .marked(let frame):
      if let id = state.loaded?.id { announce(.mark(takeID: id, frame: frame)) }
    case .ended: ended()
    case .failed(let code, let text): playerFailed(code, text)
    }
  }

  private mutating func loaded(_ take: TakeReference) {
    // A take that nobody asked for is the one from before the restart; a stale answer is not.
    guard state.loaded?.id == take.id || (state.loaded == nil && state.activity == .idle) else { return }
    state.loaded = take
    state.isLoading = false
  }

  private mutating func ended() {
    guard state.mode != .dub, let take = state.loaded, !state.isLoading, !state.hasOpenTake,
      state.activity != .idle || state.scrubbing != 0
    else { return }
    endScrub()
    state.activity = .idle
    order(.load(id: take.id, playing: false, fromStart: true))
  }

  private mutating func playerFailed(_ code: String, _ text: String) {
    fail(code, text, device: code == "device-lost" ? .speaker : nil)
    endScrub()
    if !state.hasOpenTake { state.activity = .idle }
    state.isLoading = false
    // A speaker that failed does not make the take unplayable.
    if code != "device-lost" { state.loaded = nil }
  }

  /// The take in the player is no more.
  mutating func unload() {
    endScrub()
    if state.activity == .playing || state.activity == .playbackPaused { state.activity = .idle }
    order(.stop)
    state.loaded = nil
    state.isLoading = false
  }
}
