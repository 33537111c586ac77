import Hardware

// A take from REC to the moment it is safe.
extension Turn {
  private static let inputGainRange = -20...20

  mutating func startRecording(at pressedAt: Instant) {
    // Right after the start REC is taken at its word: the recorder opens the microphone first, or says why it cannot.
    guard state.health.hasMicrophone || state.health.isMicrophoneOpening else {
      refuse(.deviceMissing(.microphone))
      return
    }
    guard !state.health.isStorageFull else {
      refuse(.storageFull)
      return
    }
    endScrub()
    if state.activity == .playing || state.activity == .playbackPaused { order(.stop) }
    show(.main)
    state.activity = .recording
    state.openTake = unnamedTake
    order(.start(at: pressedAt))
  }

  /// REC while the take before is being saved. Nobody should have to wait for the card to get a take: the next one
  /// starts as soon as it can, and the pre-record ring covers the time since the press.
  mutating func queueRecording(at pressedAt: Instant) {
    guard state.queuedRecord == nil else {
      refuse(.busy("saving"))
      return
    }
    guard state.health.hasMicrophone else {
      refuse(.deviceMissing(.microphone))
      return
    }
    guard !state.health.isStorageFull else {
      refuse(.storageFull)
      return
    }
    state.queuedRecord = pressedAt
  }

  mutating func pauseRecording(at pressedAt: Instant) {
    state.activity = .paused
    order(.pause(at: pressedAt))
  }

  mutating func resumeRecording(at pressedAt: Instant) {
    guard state.health.hasMicrophone else {
      refuse(.deviceMissing(.microphone))
      return
    }
    state.activity = .recording
    order(.resume(at: pressedAt))
  }

  mutating func stopRecording(at pressedAt: Instant, reason: StopReason) {
    state.activity = .saving
    order(.stop(at: pressedAt, reason: reason))
  }

  /// T-MARK, in the take that is being recorded or played.
  mutating func mark(at pressedAt: Instant, title: String?) {
    guard state.mode == .dictaphone else {
      refuseMeaningless()
      return
    }
    switch state.activity {
    case .recording, .paused: order(.mark(at: pressedAt, title: title))
    case .playing, .playbackPaused: order(.mark(title: title))
    case .saving: refuse(.busy("saving"))
    case .idle: refuseMeaningless()
    }
  }

  mutating func changeInputGain(by step: Int) {
    let gain = state.inputGain + step
    guard Self.inputGainRange.contains(gain) else {
      refuse(.atLimit)
      return
    }
    state.inputGain = gain
    order(.gain(gain))
  }

  // MARK: Reports

  mutating func take(_ report: RecorderReport) {
    switch report {
    case .started(let take, let preRecorded): started(take, preRecorded)
    case .paused, .resumed: break
    case .marked(let frame):
      if let id = state.openTake?.id, !id.isEmpty { announce(.mark(takeID: id, frame: frame)) }
    case .gap(let frame, let frames, let reason):
      guard state.hasOpenTake else { return }
      announce(.gap(frame: frame, frames: frames, reason: reason))
      raise(.warning, "gap", "Sound was lost and became silence: \(reason).", for: .seconds(3))
    case .stopping(let reason): stopping(reason)
    case .saved(let take, let reason): saved(take, reason)
    case .failed(let code, let text): failed(code, text)
    }
  }

  private mutating func started(_ take: TakeReference, _ preRecorded: Int) {
    guard state.hasOpenTake, state.openTake?.id.isEmpty == true, !take.id.isEmpty else { return }
    state.openTake = take
    announce(.takeStarted(take, preRecordedFrames: preRecorded))
  }

  /// The recorder ends the take by itself.
  private mutating func stopping(_ reason: StopReason) {
    guard state.hasOpenTake else { return }
    state.activity = .saving
    switch reason {
    case .deviceLost:
      raise(.error, "device-lost", "Microphone lost: the take is being saved.", device: .microphone)
    case .storageFull:
      raise(.error, "storage-full", "Storage is full: the take is being saved.")
    case .error:
      raise(.error, "device-lost", "Recording failed: what there is is being saved.")
    case .user, .power, .recovered, .split, .voice: break
    }
  }

  private mutating func saved(_ take: TakeReference, _ reason: StopReason) {
    announce(.takeSaved(take, reason))
    guard isEnd(of: take, reason) else { return }
    state.openTake = nil
    state.activity = .idle
    state.loaded = take
    state.isLoading = false
    order(.load(id: take.id, playing: false, fromStart: true))
    switch reason {
    case .deviceLost:
      raise(
        .error, "device-lost", "Microphone lost: \(take.displayName) is safe up to there.",
        for: state.health.hasMicrophone ? .seconds(5) : nil, device: .microphone)
    case .storageFull:
      raise(.error, "storage-full", "Storage is full: \(take.displayName) is safe. Delete takes to go on.")
    case .error:
      raise(.error, "device-lost", "Recording failed: \(take.displayName) is safe up to there.")
    case .user, .power, .recovered, .split, .voice: break
    }
    startQueued()
  }

  /// Whether a saved take is the open one, and not one that was recovered or split off meanwhile.
  private func isEnd(of take: TakeReference, _ reason: StopReason) -> Bool {
    guard state.hasOpenTake, let open = state.openTake else { return false }
    if !open.id.isEmpty && open.id == take.id { return reason != .split }
    guard reason != .recovered && reason != .split else { return false }
    return open.id.isEmpty || state.activity == .saving
  }

  private mutating func failed(_ code: String, _ text: String) {
    fail(code, text, device: code == "device-lost" ? .microphone : nil)
    guard state.hasOpenTake else { return }
    state.openTake = nil
    state.activity = .idle
    startQueued()
  }

  private mutating func startQueued() {
    guard let start = state.queuedRecord else { return }
    let stop = state.queuedStop
    forgetQueue()
    isFromKey = true
    startRecording(at: start)
    if let stop, state.activity == .recording { stopRecording(at: stop, reason: .user) }
  }

  mutating func forgetQueue() {
    state.queuedRecord = nil
    state.queuedStop = nil
  }

  /// The take between REC and the recorder's naming it.
  private var unnamedTake: TakeReference {
    TakeReference(id: "", displayName: "", frames: 0, sampleRate: state.settings.recordingSampleRate)
  }
}
