internal import Hardware
internal import Media
internal import Recording
internal import Sound

extension OpenClip {
  /// While there is no microphone, silence goes on this far behind now: what comes back must find its place.
  private static let silenceLag = Duration.milliseconds(300)

  /// Whether sound of before a loss of the microphone is still to be taken out of the history.
  func wantsHistory(_ clock: ClipClock) -> Bool {
    guard isRunning, encoder != nil, clock.holds(world.sound) else { return false }
    let frame = soundCursor - clock.offset
    return soundCursor < endFrame ?? .max && frame < world.sound.endFrame && frame >= world.sound.history.firstFrame
  }

  /// Encodes the next piece of sound; false if there is none, the pipe has no room, or the step has done enough.
  func sendSound(now: Instant, clock: ClipClock, slice: WorkSlice) throws(MediaError) -> Bool {
    guard let encoder else {
      if let endFrame { soundCursor = endFrame }
      return false
    }
    guard encoder.hasRoom(in: world.pipe) else { return false }
    let limit = endFrame ?? .max
    guard soundCursor < limit else { return false }
    let before = soundCursor
    defer { slice.encoded(frames: soundCursor - before) }
    let sound = world.sound
    let channels = encoder.format.channels
    guard clock.isHearing || wantsHistory(clock), sound.format.channels == channels else {
      let end = min(limit, clock.frame(at: now - Self.silenceLag, sound))
      guard soundCursor < end, slice.mayEncode else { return false }
      return try encodeSilence(upTo: end, reason: "microphone-lost", encoder)
    }
    guard slice.mayEncode else { return false }
    let frame = soundCursor - clock.offset
    if frame < sound.history.firstFrame {
      let isBefore = frame < sound.firstFrameOfOpening
      let edge = isBefore ? min(sound.firstFrameOfOpening, sound.history.firstFrame) : sound.history.firstFrame
      return try encodeSilence(
        upTo: min(limit, edge + clock.offset), reason: isBefore ? "microphone-lost" : "storage", encoder)
    }
    let frames = sound.history.read(
      from: frame, into: samples, frames: min(Self.chunkFrames, limit - soundCursor))
    guard frames > 0 else {
      // What has not come long after the end does not come any more.
      guard let end, now >= end + Self.patience else { return false }
      return try encodeSilence(upTo: limit, reason: "overrun", encoder)
    }
    try encode(frames, encoder)
    for gap in sound.gaps {
      let missing = (gap.frame..<(gap.frame + gap.frames)).clamped(to: frame..<(frame + frames))
      if !missing.isEmpty { noteSilence(from: missing.lowerBound + clock.offset, frames: missing.count, gap.reason) }
    }
    soundCursor += frames
    return true
  }

  private func encodeSilence(upTo end: Int, reason: String, _ encoder: SoundEncoder) throws(MediaError) -> Bool {
    let frames = min(Self.chunkFrames, end - soundCursor)
    guard frames > 0 else { return false }
    samples.update(repeating: 0, count: frames * encoder.format.channels)
    try encode(frames, encoder)
    noteSilence(from: soundCursor, frames: frames, reason)
    soundCursor += frames
    return true
  }

  private func encode(_ frames: Int, _ encoder: SoundEncoder) throws(MediaError) {
    try encoder.encode(samples, frames: frames) { world.pipe.append(sound: $0, to: number, frames: $1) }
  }

  private func noteSilence(from frame: Int, frames: Int, _ reason: String) {
    let rate = Double(max(1, run.rate))
    noteGap("sound", from: Double(frame - firstFrame) / rate, seconds: Double(frames) / rate, reason: reason)
  }

  /// Sends the end, once everything before it is in the pipe.
  ///
  /// - Returns: false while there is still something to be sent.
  func sendEnd(now: Instant, reason: StopReason) throws(MediaError) -> Bool {
    guard let endFrame, soundCursor >= endFrame else { return false }
    if let encoder {
      guard encoder.hasRoom(in: world.pipe) else { return false }
      try encoder.finish { world.pipe.append(sound: $0, to: number, frames: $1) }
      encoder.release()
    }
    let reason = refusal ?? reason
    receipt.stopReason = reason.rawValue
    receipt.requestedStart = min(receipt.requestedStart, cut.start)
    receipt.requestedEnd = cut.end
    receipt.causes = cut.triggers.enumerated().map {
      Receipt.Cause(trigger: $1, outcome: $0 == 0 ? "started" : "joined")
    }
    receipt.sound.frames = encoder == nil ? 0 : endFrame - firstFrame
    receipt.duration =
      encoder == nil
      ? Double(endTick - skippedTicks) / Double(PresentationRun.timescale)
      : Double(endFrame - firstFrame) / Double(max(1, run.rate))
    receipt.largestSkew = run.largestSkew
    receipt.soundDriftPPM = world.sound.isRunning ? world.sound.driftPPM : 0
    receipt.lastMediaAt = now
    receipt.anchors.append(Receipt.Anchor(instant: now, wall: world.clock.wallNow))
    let losses = world.buffer.withLock { $0.losses } - lossesAtStart
    receipt.pictures.missedByDevice = losses.missedByDevice
    receipt.pictures.droppedInQueue = losses.droppedInQueue
    receipt.pictures.droppedBeforeKeyframe = losses.droppedBeforeKeyframe
    var ending = RecordingEnding(number: number, reason: reason, frames: receipt.sound.frames, receipt: receipt)
    ending.endTick = endTick
    world.pipe.append(.end(ending))
    stage = .done
    return true
  }
}
