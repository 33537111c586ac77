import Hardware

// Orders of the console and of scripts: by name instead of by key, under the same rules of state, not of the lock.
extension Turn {
  mutating func take(_ command: Command) {
    switch command {
    case .record: record()
    case .pause: pause()
    case .resume: resume()
    case .stop: stop()
    case .mark(let title): mark(at: now, title: title)
    case .play(let id): play(id: id)
    case .seek(let seconds): seek(by: seconds)
    case .showScreen(let screen): showOnCommand(screen)
    case .take(let mode): take(mode)
    case .trigger: trigger(at: now, .console)
    case .continuous: recordOn(.continuous(at: now))
    case .timeLapse(let milliseconds):
      recordOn(.timeLapse(milliseconds: min(86_400_000, max(100, milliseconds)), at: now))
    case .endPostRoll: endPostRoll(at: now)
    case .snapshot: snapshot(at: now)
    case .startDub(let source, let language): startDub(named: source, language: language)
    case .stopDub: if state.mode == .dub { stopDub() } else { refuseMeaningless() }
    case .enableDub(let isOn): enableDub(isOn)
    case .lock: lock()
    case .unlock: unlock()
    case .set(let key, let value): set(key, to: value)
    case .shutDown: shutDown()
    }
  }

  /// Unlike the key, which marks while a take is played, the word can only mean one thing.
  private mutating func record() {
    guard state.mode == .dictaphone else {
      refuse(.busy(state.mode == .dub ? "dub" : "clips"))
      return
    }
    switch state.activity {
    case .idle, .playing, .playbackPaused: startRecording(at: now)
    case .saving: queueRecording(at: now)
    case .recording, .paused: refuse(.busy("recording"))
    }
  }

  private mutating func pause() {
    guard state.mode != .dub else {
      pauseDub()
      return
    }
    switch state.activity {
    case .recording: pauseRecording(at: now)
    case .playing: pausePlayback()
    case .saving: refuse(.busy("saving"))
    case .idle, .paused, .playbackPaused: refuseMeaningless()
    }
  }

  private mutating func resume() {
    guard state.mode != .dub else {
      resumeDub()
      return
    }
    switch state.activity {
    case .paused: resumeRecording(at: now)
    case .playbackPaused: playLoaded()
    case .saving: refuse(.busy("saving"))
    case .idle, .recording, .playing: refuseMeaningless()
    }
  }

  private mutating func stop() {
    guard state.mode != .dub else {
      stopDub()
      return
    }
    switch state.activity {
    case .recording, .paused: stopRecording(at: now, reason: .user)
    case .playing, .playbackPaused: stopPlayback()
    case .saving where state.queuedRecord != nil && state.queuedStop == nil: state.queuedStop = now
    case .saving: refuse(.busy("saving"))
    case .idle: refuseMeaningless()
    }
  }

  private mutating func play(id: String?) {
    // A take is heard as it is in the dictaphone, and with a dub here: by dub.start.
    guard state.mode != .dub else {
      if id == nil, state.dub.isPaused { resumeDub() } else { refuseMeaningless() }
      return
    }
    switch state.activity {
    case .recording, .paused: refuse(.busy("recording"))
    case .saving: refuse(.busy("saving"))
    case .playing where id == nil: refuseMeaningless()
    case .idle, .playing, .playbackPaused:
      guard let id else {
        playLoaded()
        return
      }
      guard !id.isEmpty else {
        refuse(.nothingLoaded)
        return
      }
      play(known(id))
    }
  }

  /// What is known of a take; the player's report completes it, or fails with `not-found`.
  private func known(_ id: String) -> TakeReference {
    if let loaded = state.loaded, loaded.id == id { return loaded }
    return state.files.window.first { $0.id == id }
      ?? TakeReference(id: id, displayName: id, frames: 0, sampleRate: 0)
  }

  private mutating func showOnCommand(_ screen: Screen) {
    guard screen != .files || !state.hasOpenTake else {
      refuse(.busy(state.activity == .saving ? "saving" : "recording"))
      return
    }
    guard screen != .receipt else {
      openReceipt()
      return
    }
    guard screen != .languages else {
      if state.mode == .dub { openLanguages() } else { refuseMeaningless() }
      return
    }
    show(screen)
  }

  /// Power is about to go. A take that is being saved is as good as safe; nothing new is begun after it.
  private mutating func shutDown() {
    forgetQueue()
    endScrub()
    if state.clips.activity == .capturing { order(.endPostRoll(at: now)) }
    if state.dub.isBusy { stopDub() }
    switch state.activity {
    case .recording, .paused: stopRecording(at: now, reason: .power)
    case .playing, .playbackPaused: stopPlayback()
    case .idle:
      // The position of a take that was scrubbed while stopped is worth keeping, too.
      if state.loaded != nil { order(.stop) }
    case .saving: break
    }
  }
}
