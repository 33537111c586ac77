internal import Hardware
internal import Recording
internal import Sound

/// Looks for what triggers by itself, in the pictures and the sound that have come since the last time. Media lane only.
struct TriggerDetector {
  private var soundTrigger = SoundTrigger()
  private var motionTrigger = MotionTrigger()
  /// What is looked at next.
  private var nextPicture = 0
  /// What the pictures are that have been looked at: those of another kind are of other sizes, whatever moves.
  private var epoch: Int32 = 0
  private var nextFrame = 0
  /// Nobody has looked at what came so far.
  private var skipsPictures = true
  private var skipsSound = true
  private var generation = -1
  private var samples: [Float] = []

  mutating func configure(_ settings: ClipSettings) {
    skipsSound = skipsSound || soundTrigger.thresholdDBFS == nil
    skipsPictures = skipsPictures || motionTrigger.ratio == nil
    if settings.soundTriggerDBFS == nil { soundTrigger = SoundTrigger() }
    soundTrigger.thresholdDBFS = settings.soundTriggerDBFS
    motionTrigger.ratio = settings.motionTriggerRatio
  }

  /// - Parameter isHearing: whether the microphone's sound can be placed in time.
  /// - Returns: what was found, in no order.
  mutating func detect(_ world: ClipWorld, isHearing: Bool) -> [(Instant, TriggerSource)] {
    var found: [(Instant, TriggerSource)] = []
    if motionTrigger.ratio != nil {
      if skipsPictures { skipPictures(world) }
      found += motion(world.buffer).map { ($0, .motion) }
    }
    if soundTrigger.thresholdDBFS != nil {
      if skipsSound { skipSound(world) }
      if isHearing { found += loudness(world.sound).map { ($0, .sound) } }
    }
    return found
  }

  /// What has been seen and heard so far, while nobody looked, triggers nothing.
  mutating func skip(_ world: ClipWorld) {
    skipPictures(world)
    skipSound(world)
  }

  private mutating func skipPictures(_ world: ClipWorld) {
    nextPicture = world.buffer.withLock { $0.ring?.end ?? 0 }
    skipsPictures = false
  }

  private mutating func skipSound(_ world: ClipWorld) {
    nextFrame = world.sound.endFrame
    skipsSound = false
  }

  private mutating func motion(_ buffer: PictureBuffer) -> [Instant] {
    let start = nextPicture
    let (seen, codec, end) = buffer.withLock { shared -> ([FrameRing.Entry], VideoCodec, Int) in
      guard let ring = shared.ring, let codec = shared.format?.codec else { return ([], .h264, start) }
      let first = max(start, ring.first)
      return ((first..<max(first, ring.end)).compactMap { ring[$0] }, codec, ring.end)
    }
    nextPicture = end
    var found: [Instant] = []
    for picture in seen {
      if picture.epoch != epoch {
        let ratio = motionTrigger.ratio
        (epoch, motionTrigger) = (picture.epoch, MotionTrigger())
        motionTrigger.ratio = ratio
      }
      if motionTrigger.add(bytes: picture.bytes, isKeyframe: picture.isKeyframe, codec: codec, at: picture.time) {
        found.append(picture.time)
      }
    }
    return found
  }

  private mutating func loudness(_ sound: CaptureInput) -> [Instant] {
    let step = max(1, sound.format.sampleRate / 20)
    let channels = sound.format.channels
    nextFrame = max(nextFrame, sound.history.firstFrame)
    if generation != sound.generation || nextFrame > sound.endFrame {
      generation = sound.generation
      nextFrame = sound.endFrame
    }
    if samples.count < step * channels { samples = Array(repeating: 0, count: step * channels) }
    var found: [Instant] = []
    while sound.endFrame - nextFrame >= step {
      let first = nextFrame
      let (frames, peak, place) = samples.withUnsafeMutableBufferPointer { samples -> (Int, Float, Int) in
        guard let base = samples.baseAddress else { return (0, 0, 0) }
        let frames = sound.history.read(from: first, into: base, frames: step)
        var (peak, place): (Float, Int) = (0, 0)
        for index in 0..<(frames * channels) where abs(samples[index]) > peak {
          (peak, place) = (abs(samples[index]), index / channels)
        }
        return (frames, peak, place)
      }
      guard frames > 0 else { break }
      let time = sound.instant(ofFrame: nextFrame + place) ?? .zero
      // What the device says itself keeps no clip.
      let isOwn = nextFrame + place < sound.firstQuietFrame
      nextFrame += frames
      if soundTrigger.add(peak: peak, at: time), !isOwn { found.append(time) }
    }
    return found
  }
}
