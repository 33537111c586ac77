public import Hardware
internal import Media
internal import Recording
internal import Sound

// What triggers by itself, and snapshots.
extension ClipRecorder {
  /// Looks at what has come since the last time.
  func detect(now: Instant) {
    if settings.motionTriggerRatio != nil { detectMotion() }
    if settings.soundTriggerDBFS != nil { detectSound() }
  }

  private func detectMotion() {
    let (start, format) = (nextMotionPicture, world.buffer.withLock { $0.format })
    guard let format else { return }
    var found: [(Int, Bool, Instant)] = []
    nextMotionPicture = world.buffer.withLock { shared in
      guard let ring = shared.ring else { return 0 }
      for number in max(start, ring.first)..<max(start, ring.first, ring.end) {
        if let entry = ring[number] { found.append((entry.bytes, entry.isKeyframe, entry.time)) }
      }
      return ring.end
    }
    for (bytes, isKeyframe, time) in found
    where motionTrigger.add(bytes: bytes, isKeyframe: isKeyframe, codec: format.codec, at: time) {
      trigger(at: time, cause: .motion)
    }
  }

  private func detectSound() {
    let sound = world.sound
    guard clock.isHearing else { return }
    let step = max(1, sound.format.sampleRate / 20)
    nextSoundFrame = max(nextSoundFrame, sound.history.firstFrame)
    if soundGeneration != sound.generation || nextSoundFrame > sound.endFrame {
      soundGeneration = sound.generation
      nextSoundFrame = sound.endFrame
    }
    while sound.endFrame - nextSoundFrame >= step {
      let channels = sound.format.channels
      var peak: Float = 0
      var place = 0
      let first = nextSoundFrame
      let frames = detectionScratch(step * channels) { samples in
        guard let base = samples.baseAddress else { return 0 }
        let frames = sound.history.read(from: first, into: base, frames: step)
        for index in 0..<(frames * channels) where abs(samples[index]) > peak {
          peak = abs(samples[index])
          place = index / channels
        }
        return frames
      }
      guard frames > 0 else { return }
      let time = sound.instant(ofFrame: nextSoundFrame + place) ?? .zero
      nextSoundFrame += frames
      if soundTrigger.add(peak: peak, at: time) { trigger(at: time, cause: .sound) }
    }
  }

  /// Keeps the picture of `instant` as a JPEG: an image of the camera's as it is, else decoded on the storage lane.
  public func snapshot(at instant: Instant) {
    let wall = world.clock.wallNow.nanosecondsSince1970 - (world.clock.now - instant).nanoseconds
    let order = world.buffer.withLock { shared -> SnapshotOrder? in
      guard let ring = shared.ring, let format = shared.format,
        let number = ring.number(at: instant) ?? ring.firstKeyframe, let start = ring.start(of: number)
      else { return nil }
      let first = format.codec == .mjpeg ? number : start
      return SnapshotOrder(
        pictures: (first...number).compactMap { ring.picture($0).map { Array($0) } }, codec: format.codec,
        takenAt: WallTime(nanosecondsSince1970: wall))
    }
    guard let order else {
      return report(.failed(clip: nil, code: "device-lost", text: "no picture was kept: the camera has delivered none"))
    }
    world.pipe.append(.task(.snapshot(order)))
  }
}
