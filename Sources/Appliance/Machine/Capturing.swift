import Hardware

// A clip from its trigger to the moment it is safe. Several may be open at a time: triggers never wait.
extension Turn {
  /// Keeps what is in the ring, and what follows.
  mutating func trigger(at pressedAt: Instant, _ source: TriggerSource) {
    guard state.mode == .clips else {
      refuseMeaningless()
      return
    }
    // A camera that has gone leaves its last pictures in the ring; one that is being opened may have its first.
    guard state.health.hasCamera || state.health.isCameraOpening || state.clips.hasPictures else {
      refuse(.deviceMissing(.camera))
      return
    }
    guard !state.health.isStorageFull else {
      refuse(.storageFull)
      return
    }
    guard state.clips.unanswered < ClipsState.mostUnanswered else {
      refuse(.busy("clip"))
      return
    }
    state.clips.unanswered += 1
    order(.trigger(at: pressedAt, source: source))
  }

  /// The board's trigger input asks for a clip. The lock is for fingers and does not keep it from one.
  mutating func triggered(at time: Instant, _ source: TriggerSource) {
    guard source.isOrdered else {
      refuseMeaningless()
      return
    }
    guard source != .input || state.settings.hasInputTrigger else {
      refuse(.switchedOff(source))
      return
    }
    trigger(at: time, source)
  }

  /// What goes on until STOP: clips without end, each going on where the one before it ended, or a time-lapse.
  mutating func recordOn(_ order: ClipOrder) {
    guard state.mode == .clips else {
      refuseMeaningless()
      return
    }
    guard state.health.hasCamera else {
      refuse(.deviceMissing(.camera))
      return
    }
    guard !state.health.isStorageFull else {
      refuse(.storageFull)
      return
    }
    self.order(order)
  }

  mutating func endPostRoll(at pressedAt: Instant) {
    guard state.mode == .clips else {
      refuseMeaningless()
      return
    }
    switch state.clips.activity {
    case .capturing: order(.endPostRoll(at: pressedAt))
    case .saving: refuse(.busy("clip"))
    case .buffering: refuseMeaningless()
    }
  }

  mutating func snapshot(at pressedAt: Instant) {
    guard state.mode == .clips else {
      refuseMeaningless()
      return
    }
    guard state.health.hasCamera else {
      refuse(.deviceMissing(.camera))
      return
    }
    guard !state.health.isStorageFull else {
      refuse(.storageFull)
      return
    }
    order(.snapshot(at: pressedAt))
  }

  /// RIGHT: the next longer window that the board has room for, then the shortest again.
  mutating func stepWindow() {
    let steps = ClipsState.windowSteps.filter { $0 <= state.clips.largestSeconds }
    let current = state.settings.clipDurationSeconds
    guard let next = steps.first(where: { $0 > current }) ?? steps.first, next != current else {
      refuse(.atLimit)
      return
    }
    var changed = state.settings
    changed[.clipsDuration] = .integer(next)
    if let reason = state.refusal(of: changed) {
      refuse(reason)
      return
    }
    state.clips.isReady = false
    adopt(changed)
  }

  /// CENTRE: the clip that was saved last, from its beginning.
  mutating func playLastClip() {
    guard let clip = state.clips.last else {
      refuse(.nothingLoaded)
      return
    }
    play(clip)
  }

  // MARK: In the list

  mutating func openReceipt() {
    guard state.mode == .clips, state.screen == .files else {
      refuseMeaningless()
      return
    }
    guard let clip = highlighted() else { return }
    state.files.isConfirmingDelete = false
    state.screen = .receipt
    order(.receipt(id: clip.id))
  }

  mutating func toggleProtection() {
    guard let clip = highlighted() else { return }
    order(.protectClip(id: clip.id, !clip.isProtected))
  }

  // MARK: Reports

  mutating func take(_ report: ClipReport) {
    switch report {
    case .bufferReady(let seconds):
      guard state.mode == .clips, !state.clips.isReady else { return }
      state.clips.isReady = true
      announce(.bufferReady(seconds: seconds))
    case .started(let number, let source, let at, let ends):
      guard !state.clips.open.contains(where: { $0.number == number }), answered(source) else { return }
      state.clips.open.append(OpenClip(number: number, ends: ends))
      announce(.captureStarted(number: number, source: source, at: at, ends: ends))
    case .joined(let number, let source, let at, let ends): joined(number, source, at, ends)
    case .bounced(let source): _ = answered(source)
    case .refused(let source, let code, let text):
      guard answered(source) else { return }
      fail(code, text, device: code == "device-lost" ? .camera : nil)
    case .ended(let number):
      for index in state.clips.open.indices where state.clips.open[index].number == number {
        state.clips.open[index].isSaving = true
      }
    case .completed(let number, let clip): completed(number, clip)
    case .failed(let number, let code, let text):
      state.clips.open.removeAll { $0.number == number }
      fail(code, text)
    case .dropped(let frames, let reason):
      guard state.mode == .clips else { return }
      let what = frames == 1 ? "A picture is missing" : "\(frames) pictures are missing"
      raise(.warning, "dropped", "\(what): \(reason).", for: .seconds(3))
    case .snapshotSaved(let path):
      announce(.snapshotSaved(path: path))
      raise(.information, "snapshot", "Picture saved.", for: .seconds(1))
    case .trouble(let code, let text): fail(code, text)
    }
  }

  /// Takes a trigger off those that wait for an answer; false if none of this source does.
  private mutating func answered(_ source: TriggerSource) -> Bool {
    guard source.isOrdered else { return true }
    guard state.clips.unanswered > 0 else { return false }
    state.clips.unanswered -= 1
    return true
  }

  private mutating func joined(_ number: Int, _ source: TriggerSource, _ at: Instant, _ ends: Instant) {
    guard answered(source) else { return }
    for index in state.clips.open.indices where state.clips.open[index].number == number {
      state.clips.open[index].ends = ends
    }
    announce(.captureExtended(number: number, source: source, at: at, ends: ends))
  }

  private mutating func completed(_ number: Int, _ clip: TakeReference) {
    guard state.clips.open.contains(where: { $0.number == number }) else { return }
    state.clips.open.removeAll { $0.number == number }
    state.clips.last = clip
    announce(.captureCompleted(number: number, clip))
  }
}
