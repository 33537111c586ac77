internal import Hardware
internal import Media
internal import Recording

extension OpenClip {
  /// What sending the next picture came to.
  enum Sent: Equatable {
    case sent
    /// No picture is there, or the pipe has no room.
    case none
    /// A keyframe of this time: the clip may be split here.
    case split(Instant)
  }

  /// Sends the next picture; finds the end when one at or after it has come.
  ///
  /// - Parameter limit: from here on a keyframe splits the clip; `nil`: nothing does.
  func sendPicture(now: Instant, clock: ClipClock, splitAt limit: Instant?, slice: WorkSlice) -> Sent {
    guard end == nil, !isPictureTrackOver, slice.mayCopy else { return .none }
    return world.buffer.withLock { shared -> Sent in
      guard let ring = shared.ring, shared.epoch == epoch else {
        isPictureTrackOver = true
        return .none
      }
      if nextPicture < ring.first { skipEvicted(ring) }
      guard let entry = ring[nextPicture] else { return .none }
      if entry.time >= cut.end {
        // An end that was ordered late may lie before what is sent already.
        let wanted = max(cut.end, lastTime ?? cut.end)
        let isNear = (entry.time - wanted).nanoseconds <= Int64(entry.period) * 5 / 2
        finish(at: isNear ? entry.time : wanted, isPicture: isNear, clock: clock)
        return .none
      }
      if let limit, entry.isKeyframe, entry.time >= limit, nextPicture > firstPicture { return .split(entry.time) }
      if let limit, entry.time >= limit, !hasAskedForKeyframe {
        hasAskedForKeyframe = true
        shared.wantsKeyframe = true
      }
      if isWaitingForKeyframe, !entry.isKeyframe {
        nextPicture += 1
        receipt.pictures.droppedForStorage += 1
        return .sent
      }
      guard let bytes = ring.picture(nextPicture) else { return .none }
      let size = codec == .h264 ? AnnexB.sampleSize(of: bytes) : bytes.count
      guard size > 0, world.pipe.canCarry(picture: size) else {
        isWaitingForKeyframe = true
        nextPicture += 1
        receipt.pictures.droppedForStorage += 1
        return .sent
      }
      guard world.pipe.hasRoom(picture: size) else { return .none }
      send(entry, bytes, size, clock: clock)
      slice.copied(bytes: size)
      return .sent
    }
  }

  private func send(_ entry: FrameRing.Entry, _ bytes: UnsafeRawBufferPointer, _ size: Int, clock: ClipClock) {
    let index = nextPicture - firstPicture
    let tick =
      index < plannedTicks.count
      ? plannedTicks[index]
      : self.tick(of: entry, clock)
    world.pipe.append(
      picture: bytes, codec: codec, to: number, tick: tick, isKeyframe: entry.isKeyframe, bytes: size)
    nextPicture += 1
    count(entry, tick: tick)
    lastTime = entry.time
    lastPeriod = Int(entry.period)
    isWaitingForKeyframe = false
  }

  private func count(_ entry: FrameRing.Entry, tick: Int) {
    if entry.isKeyframe { receipt.pictures.keyframes += 1 }
    guard tick >= skippedTicks || nextPicture - firstPicture == plannedTicks.count else { return }
    receipt.pictures.captured += 1
    if entry.isLate { receipt.pictures.late += 1 }
    receipt.pictures.largestSmoothing = max(receipt.pictures.largestSmoothing, Double(abs(entry.shift)) / 1e9)
    guard let last = lastTime, tick > skippedTicks else { return }
    let delta = (entry.time - last).inSeconds
    receipt.pictures.longestDelta = max(receipt.pictures.longestDelta, delta)
    let period = Double(lastPeriod) / 1e9
    guard entry.missing > 0 || entry.cause == .lost || isWaitingForKeyframe, delta > 1.5 * period else { return }
    let reason = isWaitingForKeyframe ? "storage" : entry.cause == .lost ? "camera-lost" : "camera-missed"
    noteGap("picture", from: position(of: last) + period, seconds: delta - period, reason: reason)
  }

  /// Where a picture goes.
  func tick(of entry: FrameRing.Entry, _ clock: ClipClock) -> Int {
    run.tick(frame: clock.frame(at: entry.time, world.sound), period: Double(entry.period) * clock.stretch)
  }

  /// Pictures were let go before they could be sent: the storage has been too slow for too long.
  private func skipEvicted(_ ring: FrameRing) {
    receipt.pictures.droppedForStorage += ring.first - nextPicture
    nextPicture = ring.first
    isWaitingForKeyframe = true
  }

  /// The picture at the end does not come: the camera is away, or silent.
  func endWithoutPicture(now: Instant, clock: ClipClock) {
    guard end == nil, now >= cut.end else { return }
    let (isRunning, hasMore) = world.buffer.withLock { shared in
      (shared.isRunning && shared.epoch == epoch, shared.epoch == epoch && shared.ring?[nextPicture] != nil)
    }
    // What is in the ring still waits for room in the pipe.
    guard !hasMore || isPictureTrackOver, !isRunning || now >= cut.end + Self.patience else { return }
    finish(at: cut.end, isPicture: false, clock: clock)
    let wasLost = !isRunning
    if let last = lastTime {
      let begin = position(of: last) + Double(lastPeriod) / 1e9
      let seconds = position(of: cut.end) - begin
      if seconds > 1.5 * Double(lastPeriod) / 1e9 {
        noteGap(
          "picture", from: begin, seconds: seconds,
          reason: isPictureTrackOver ? "camera-changed" : wasLost ? "camera-lost" : "camera-missed")
      }
    }
  }

  /// Fixes the end.
  ///
  /// - Parameter isPicture: it is the time of a picture, of the next clip's perhaps.
  private func finish(at time: Instant, isPicture: Bool, clock: ClipClock) {
    let frame = clock.frame(at: time, world.sound)
    endTick = isPicture ? run.tick(frame: frame, period: Double(lastPeriod) * clock.stretch) : run.tick(ofFrame: frame)
    endTick = max(endTick, skippedTicks + 1)
    endFrame = max(run.frame(ofTick: endTick), firstFrame)
    end = time
    receipt.end = time
  }
}
