internal import Hardware
internal import Media
internal import Recording

extension OpenClip {
  /// What the ring has for a beginning.
  private struct Beginning {
    var keyframe: Int
    var start: Instant
    /// Times and rhythms of the pictures from the keyframe to the first that is shown.
    var entries: [FrameRing.Entry]
    var format: VideoFormat
    var epoch: Int
    var parameters: H264Parameters?
    var losses: PictureBuffer.Losses
  }

  private enum Search {
    case notYet
    case never(code: String, text: String)
    case found(Beginning)
  }

  /// Sends the beginning down the pipe, if the first keyframe is there.
  func begin(now: Instant, clock: ClipClock) {
    switch search(now: now) {
    case .notYet: return
    case .never(let code, let text): stage = .refused(code: code, text: text)
    case .found(let found):
      do throws(MediaError) {
        try open(found, now: now, clock: clock)
        stage = .running
      } catch {
        stage = .refused(code: "internal", text: "the clip's sound cannot be encoded: \(error)")
      }
    }
  }

  private func search(now: Instant) -> Search {
    let cut = cut
    let isLate = now >= cut.end + Self.patience
    return world.buffer.withLock { shared -> Search in
      let isDead = isLate || !shared.isRunning && now >= cut.end
      guard let ring = shared.ring, let format = shared.format else {
        return isDead ? .never(code: "device-lost", text: "no clip was made: there is no camera") : .notYet
      }
      // What is to be seen at the start is only known when a picture after it has come.
      let isReached = ring.newest.map { $0.time >= cut.start } ?? false
      guard isReached || now - cut.start > .milliseconds(300) else { return .notYet }
      guard let (keyframe, shown, start) = Self.find(cut, in: ring) else {
        return isDead
          ? .never(code: "device-lost", text: "no clip was made: the camera delivered no picture for it") : .notYet
      }
      var parameters: H264Parameters?
      if format.codec == .h264 {
        parameters = ring.picture(keyframe).flatMap { H264Parameters(in: $0) }
        guard parameters != nil else {
          return .never(code: "internal", text: "no clip was made: the camera's stream has no parameter sets")
        }
      }
      return .found(
        Beginning(
          keyframe: keyframe, start: start, entries: (keyframe...shown).compactMap { ring[$0] }, format: format,
          epoch: shared.epoch, parameters: parameters, losses: shared.losses))
    }
  }

  /// The keyframe to begin with, the first picture shown, and the start.
  private static func find(
    _ cut: CutPlanner.Cut, in ring: FrameRing
  ) -> (keyframe: Int, shown: Int, start: Instant)? {
    if let shown = ring.number(at: cut.start), let entry = ring[shown], let keyframe = ring.start(of: shown) {
      // The picture that is to be seen at the start: the clip begins with it, less than its length early.
      let isSeen = (cut.start - entry.time).nanoseconds <= Int64(entry.period) * 5 / 2
      return (keyframe, shown, isSeen ? entry.time : cut.start)
    }
    guard let keyframe = ring.keyframe(from: ring.number(at: cut.start).map { $0 + 1 } ?? ring.first),
      let entry = ring[keyframe], entry.time < cut.end
    else { return nil }
    return (keyframe, keyframe, max(entry.time, cut.start))
  }

  private func open(_ found: Beginning, now: Instant, clock: ClipClock) throws(MediaError) {
    codec = found.format.codec
    epoch = found.epoch
    lossesAtStart = found.losses
    firstPicture = found.keyframe
    nextPicture = found.keyframe
    run = PresentationRun(
      rate: clock.rate, firstFrame: clock.frame(at: found.entries.first?.time ?? found.start, world.sound))
    // The edit list must hit a picture's tick exactly, so ticks of these are made once and for all.
    for entry in found.entries {
      plannedTicks.append(tick(of: entry, clock))
    }
    if let shown = found.entries.last, shown.time < found.start {
      skippedTicks = max(
        plannedTicks.last ?? 0,
        Int(
          (Double(clock.frame(at: found.start, world.sound) - run.firstFrame) * Double(PresentationRun.timescale)
            / Double(clock.rate)).rounded()))
    } else {
      skippedTicks = plannedTicks.last ?? 0
    }
    firstFrame = run.frame(ofTick: skippedTicks)
    soundCursor = firstFrame
    var track: SoundTrack?
    if world.sound.hasDevice {
      let format = PCMFormat(
        sampleRate: clock.rate, channels: world.sound.format.channels, bits: world.sound.format.bits)
      let encoder = try SoundEncoder(encoding: .aac, format: format, bitrateKbps: bitrateKbps)
      track = encoder.track
      self.encoder = encoder
      soundFormat = format
    }
    begin(receipt: found, track: track, now: now)
    var opening = RecordingOpening(
      number: number, kind: cut.isSpool ? .spool : .clip, sound: track, createdAt: wall(of: found.start, now: now),
      receipt: receipt)
    opening.pictures = PictureTrack(
      codec: codec, width: found.parameters?.width ?? found.format.width,
      height: found.parameters?.height ?? found.format.height, configuration: found.parameters?.configuration ?? [])
    opening.skippedTicks = skippedTicks
    opening.continues = cut.continues
    world.pipe.append(.begin(opening))
  }

  private func begin(receipt found: Beginning, track: SoundTrack?, now: Instant) {
    receipt.number = number
    receipt.requestedStart = cut.start
    receipt.requestedEnd = cut.end
    receipt.start = found.start
    receipt.causes = cut.triggers.enumerated().map {
      Receipt.Cause(trigger: $1, outcome: $0 == 0 ? "started" : "joined")
    }
    receipt.continues = cut.continues
    receipt.pictures.codec = codec.rawValue
    receipt.pictures.width = found.parameters?.width ?? found.format.width
    receipt.pictures.height = found.parameters?.height ?? found.format.height
    receipt.sound.sampleRate = track?.pcm.sampleRate ?? 0
    receipt.sound.channels = track?.pcm.channels ?? 0
    receipt.sound.bitrateKbps = track?.bitrateKbps ?? 0
    receipt.anchors = [Receipt.Anchor(instant: now, wall: world.clock.wallNow)]
  }

  private func wall(of instant: Instant, now: Instant) -> WallTime {
    WallTime(nanosecondsSince1970: world.clock.wallNow.nanosecondsSince1970 - (now - instant).nanoseconds)
  }
}
