internal import Hardware
internal import Sound
internal import Streaming

// What is heard: when it begins and ends, and what dubs each utterance.
extension DubRun {
  /// Enough to begin with, and to go on with after the sound broke off.
  private static let startFrames = 48_000 * 3 / 10
  private static let resumeFrames = 48_000

  func play(_ now: Instant) {
    if case .failed(let reason) = programmeStatus.phase, mixer.original.isEmpty, pending == nil {
      return fail(reason)
    }
    guard !isPaused else { return }
    switch phase {
    case .ended, .failed: return
    case .buffering:
      let needed = hasBrokenOff ? Self.resumeFrames : Self.startFrames
      let isAll = isAtEnd && (!mixer.original.isEmpty || hasStarted)
      guard mixer.original.count >= needed || isAll else {
        // What the device still has is played out.
        if isAtEnd { fail("\(source) has no sound that can be played") }
        return
      }
      do throws(DeviceError) { try feed.open() } catch { return fail("no sound: \(error)") }
      phase = .playing
    case .playing: break
    }
    guard !feed.isLost else { return fail("the speaker went away; plug it in and start again") }
    let isFull = feed.fill(from: mixer) { decide() }
    feed.setRunning(true)
    if !hasStarted {
      hasStarted = true
      startTime = now - begun
      report(.started(source: source, languages: languages))
    }
    live.step(now: now, run: self)
    if mixer.takeBroken() {
      tracks.mayJoin = false
      told(ladder.broke(tracks.loadedRung ?? .rendition), reason: "its sound did not come in time")
    }
    guard !isFull else { return }
    if isAtEnd {
      finish(now)
    } else if feed.isEmpty {
      phase = .buffering
      hasBrokenOff = true
    }
  }

  var isAtEnd: Bool {
    guard pending == nil else { return false }
    switch programmeStatus.phase {
    case .ended, .failed: return true
    case .opening, .running, .stalled: return false
    }
  }

  private func finish(_ now: Instant) {
    guard mixer.original.end <= mixer.position else { return }
    if !isFinishing {
      isFinishing = true
      feed.finish(end: mixer.position)
    }
    guard feed.isEmpty else { return }
    let end = drainedAt ?? now + feed.deviceDelay
    drainedAt = end
    guard now >= end else { return }
    if case .failed(let reason) = programmeStatus.phase { return fail(reason) }
    phase = .ended
    report(.ended)
  }

  private func fail(_ reason: String) {
    phase = .failed(reason)
    report(.failed(reason))
  }

  /// Decides about what begins within the ladder's lead.
  private func decide() {
    for slot in slots.take(before: mixer.position + Ladder.leadFrames) {
      let wanted = wantedRungs(slot)
      guard !wanted.isEmpty, slot.end > mixer.position else {
        sources.forget(slot)
        continue
      }
      var ready = sources.readyRungs(slot)
      if let rung = tracks.rung, hasTrack(at: slot) { ready.insert(rung) }
      // What has never been there yet has not failed either.
      var starting = wanted.subtracting(sources.hasServed).filter { !$0.isTrack }
      if tracks.mayJoin, let rung = tracks.rung { starting.insert(rung) }
      let decision = ladder.decide(wanted: wanted, ready: ready.intersection(wanted), starting: starting)
      current = slot
      let reason = sources.reason(slot) ?? "it was not ready in time"
      let voice = sources.take(slot, rung: decision.rung)
      if decision.rung.isTrack {
        tracks.mayJoin = false
        mixer.setTrack(true, from: slot.start)
      } else {
        mixer.setTrack(false, from: slot.start)
        if let voice {
          mixer.place(
            slot: slot.id, rung: decision.rung, epoch: slot.epoch, start: max(voice.start, mixer.position),
            voice: voice.voice)
        }
      }
      told(decision, reason: reason)
    }
  }

  /// A track that has come after all begins at once if nothing else is heard but the original.
  func joinTrack() {
    guard tracks.mayJoin, allowsDub, let rung = tracks.loadedRung, tracks.isThere(in: mixer) else { return }
    guard mixer.voiceRung == nil else { return }
    tracks.mayJoin = false
    if ladder.join(rung) { mixer.setTrack(true, from: mixer.position) }
  }

  /// The service has gone, and nothing is left of what it sent: it is not what is heard.
  func watchService() {
    guard ladder.current == .service, sources.link?.isUp != true, !sources.holds(.service), mixer.voiceRung != .service
    else { return }
    tracks.mayJoin = true
    told(ladder.broke(.service), reason: sources.linkReason ?? "there is no dubbing service any more")
  }

  private func told(_ decision: Ladder.Decision, reason: String) {
    switch decision.change {
    case .none: break
    case .fellBack: report(.fellBack(to: decision.rung, reason: reason))
    case .returned: report(.returned(to: decision.rung))
    }
  }

  private func wantedRungs(_ slot: UtteranceSlot) -> Set<DubRung> {
    guard allowsDub else { return [] }
    var rungs: Set<DubRung> = []
    let isSpoken = !slot.text.isEmpty || !hasCues
    let known = sources.serviceLanguages
    if usesService, isSpoken, known.isEmpty || known.contains(where: { LanguageTag.matches($0, language) }) {
      rungs.insert(.service)
    }
    if let rung = tracks.rung { rungs.insert(rung) }
    // A voice that nobody needed to make is not late.
    let isSpared =
      ladder.current == .service && sources.isReady(slot, .service) && !sources.isReady(slot, .synthesised)
    if canSpeak(slot), !isSpared { rungs.insert(.synthesised) }
    return rungs
  }

  /// Whether the track is there from the slot's beginning on, for as long as a decision looks ahead.
  private func hasTrack(at slot: UtteranceSlot) -> Bool {
    let start = max(slot.start, mixer.position)
    return tracks.isLoaded && mixer.track.start <= start && mixer.track.end >= start + Ladder.leadFrames
      && mixer.track.epoch(at: start) == slot.epoch
  }

  /// Goes by `frames` along a live stream, where no voice is cut by it.
  ///
  /// - Returns: false if a voice is speaking.
  func jump(by frames: Int) -> Bool {
    guard !mixer.isSpeaking else { return false }
    seek(to: max(0, mixer.position + frames))
    return true
  }
}
