public import Hardware

/// One channel's reading, in dB below full scale (a sine of full scale has an RMS of −3.01 dB, as in sox and ffmpeg).
public struct ChannelLevel: Hashable, Sendable {
  /// Average over the last 400 ms, unweighted.
  public var rmsDB = Decibels.floor
  /// Highest sample since the last reading.
  public var peakDB = Decibels.floor
  /// Peak hold: the highest sample of the last 1.5 s, then falling at 20 dB in 1.5 s.
  public var holdDB = Decibels.floor
  /// Highest sample since `reset`.
  public var maximumDB = Decibels.floor
  /// Clips since `reset`: runs of at least three samples at full scale.
  public var clips = 0

  public init() {}
}

/// A reading of both channels; mono fills `left` only.
public struct LevelReading: Hashable, Sendable {
  public var left = ChannelLevel()
  public var right = ChannelLevel()

  public init() {}
}

/// Levels of one or two channels: RMS, peak, peak hold, clips.
///
/// RMS is taken over a sliding window of 400 ms (the momentary window of EBU Tech 3341, unweighted) that moves in
/// steps of 10 ms: short enough to follow speech, long enough that a sine of 20 Hz reads within 0.1 dB. The peak is
/// the sample peak; its fall is that of a type I peak programme meter, 20 dB in 1.5 s (IEC 60268-10). All times are
/// media time, so a reading depends on the samples alone. One thread at a time.
public struct LevelMeter: Sendable {
  /// Steps of 10 ms in the window.
  private static let steps = 40

  /// Samples in a row at full scale that make a clip.
  private let clipRun: Int
  private let channels: Int
  private let stepFrames: Int
  private let holdFrames: Int
  /// Factor of the hold's fall a step, below 1.
  private let fall: Float
  /// What counts as full scale: one step of the quantiser below 1.
  private let fullScale: Float

  /// Sums of squares of the last complete steps, both channels.
  private var squares = InlineArray<40, SIMD2<Double>>(repeating: .zero)
  private var nextStep = 0
  private var completeSteps = 0
  /// The step that is being filled.
  private var partial = SIMD2<Double>.zero
  private var partialFrames = 0
  private var partialPeak = SIMD2<Float>.zero

  private var peak = SIMD2<Float>.zero
  private var maximum = SIMD2<Float>.zero
  private var hold = SIMD2<Float>.zero
  private var heldFrames = SIMD2<Int>.zero
  private var clips = SIMD2<Int>.zero
  private var run = SIMD2<Int>.zero

  /// - Parameters:
  ///   - format: 8000…192000 Hz, 1 or 2 channels.
  ///   - clipRun: samples in a row at full scale that count as one clip.
  public init(format: PCMFormat, clipRun: Int = 3) {
    channels = format.channels == 1 ? 1 : 2
    stepFrames = max(1, format.sampleRate / 100)
    holdFrames = format.sampleRate * 3 / 2
    fall = Float(Decibels.amplitude(-20 / 1.5 * Double(stepFrames) / Double(format.sampleRate)))
    fullScale = 1 - 1 / Float(1 << (format.bits > 16 ? 23 : 15))
    self.clipRun = max(1, clipRun)
  }

  /// Takes in interleaved frames.
  @_noLocks @_noAllocation
  public mutating func add(_ interleaved: UnsafePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let count = min(frames - done, stepFrames - partialFrames)
      let start = interleaved + done * channels
      if channels == 2 { addStereo(start, count) } else { addMono(start, count) }
      partialFrames += count
      done += count
      if partialFrames == stepFrames { completeStep() }
    }
  }

  /// The levels now; the next reading's `peakDB` starts afresh.
  public mutating func take() -> LevelReading {
    mergePeak()
    var reading = LevelReading()
    reading.left = level(0)
    if channels == 2 { reading.right = level(1) }
    peak = .zero
    return reading
  }

  /// Forgets everything, clips and maximum included.
  public mutating func reset() {
    squares = InlineArray<40, SIMD2<Double>>(repeating: .zero)
    (nextStep, completeSteps, partialFrames) = (0, 0, 0)
    partial = .zero
    (partialPeak, peak, maximum, hold) = (.zero, .zero, .zero, .zero)
    (heldFrames, clips, run) = (.zero, .zero, .zero)
  }

  private func level(_ channel: Int) -> ChannelLevel {
    var level = ChannelLevel()
    // Before the first complete step, the part that has come.
    var sum = completeSteps == 0 ? partial[channel] : 0
    // By the span: an element by its index copies the whole array (Swift 6.2).
    let steps = squares.span
    for step in 0..<completeSteps { sum += steps[step][channel] }
    let frames = completeSteps == 0 ? partialFrames : completeSteps * stepFrames
    if frames > 0 { level.rmsDB = Decibels.ofPower(sum / Double(frames)) }
    level.peakDB = Decibels.ofAmplitude(Double(peak[channel]))
    level.holdDB = Decibels.ofAmplitude(Double(hold[channel]))
    level.maximumDB = Decibels.ofAmplitude(Double(maximum[channel]))
    level.clips = clips[channel]
    return level
  }

  @_noLocks @_noAllocation
  private mutating func completeStep() {
    mergePeak()
    for channel in 0..<2 {
      if heldFrames[channel] >= holdFrames {
        hold[channel] *= fall
      } else {
        heldFrames[channel] += stepFrames
      }
    }
    squares[nextStep] = partial
    nextStep = nextStep + 1 == Self.steps ? 0 : nextStep + 1
    completeSteps = min(Self.steps, completeSteps + 1)
    partial = .zero
    partialFrames = 0
  }

  /// Folds the unfinished step's peak into everything that is read.
  @_noLocks @_noAllocation
  private mutating func mergePeak() {
    for channel in 0..<2 {
      let value = partialPeak[channel]
      if value > peak[channel] { peak[channel] = value }
      if value > maximum[channel] { maximum[channel] = value }
      if value > 0, value >= hold[channel] {
        hold[channel] = value
        heldFrames[channel] = 0
      }
    }
    partialPeak = .zero
  }

  // MARK: Inner loops

  @_noLocks @_noAllocation
  private mutating func addStereo(_ samples: UnsafePointer<Float>, _ frames: Int) {
    var sum = SIMD8<Float>.zero
    var high = SIMD8<Int32>.zero
    let whole = frames / 4
    let raw = UnsafeRawPointer(samples)
    for index in 0..<whole {
      let value = raw.loadUnaligned(fromByteOffset: index &* 32, as: SIMD8<Float>.self)
      sum += value * value
      high = SamplePeak.higher(high, raw.loadUnaligned(fromByteOffset: index &* 32, as: SIMD8<Int32>.self))
    }
    // Even lanes are left, odd ones right.
    var squares = SIMD2<Double>.zero
    var top = SIMD2<Float>.zero
    for lane in 0..<8 {
      squares[lane & 1] += Double(sum[lane])
      let peak = Float(bitPattern: UInt32(bitPattern: high[lane]))
      if peak > top[lane & 1] { top[lane & 1] = peak }
    }
    for index in (whole * 8)..<(frames * 2) {
      squares[index & 1] += Double(samples[index] * samples[index])
      if magnitude(samples[index]) > top[index & 1] { top[index & 1] = magnitude(samples[index]) }
    }
    accept(squares, top)
    for channel in 0..<2 { countClips(samples + channel, frames, stride: 2, channel, top[channel]) }
  }

  @_noLocks @_noAllocation
  private mutating func addMono(_ samples: UnsafePointer<Float>, _ frames: Int) {
    var sum = SIMD8<Float>.zero
    var high = SIMD8<Int32>.zero
    let whole = frames / 8
    let raw = UnsafeRawPointer(samples)
    for index in 0..<whole {
      let value = raw.loadUnaligned(fromByteOffset: index &* 32, as: SIMD8<Float>.self)
      sum += value * value
      high = SamplePeak.higher(high, raw.loadUnaligned(fromByteOffset: index &* 32, as: SIMD8<Int32>.self))
    }
    var squares = 0.0
    var top: Float = 0
    for lane in 0..<8 {
      squares += Double(sum[lane])
      let peak = Float(bitPattern: UInt32(bitPattern: high[lane]))
      if peak > top { top = peak }
    }
    for index in (whole * 8)..<frames {
      squares += Double(samples[index] * samples[index])
      if magnitude(samples[index]) > top { top = magnitude(samples[index]) }
    }
    accept(SIMD2(squares, 0), SIMD2(top, 0))
    countClips(samples, frames, stride: 1, 0, top)
  }

  @_noLocks @_noAllocation
  private func magnitude(_ sample: Float) -> Float { sample < 0 ? -sample : sample }

  @_noLocks @_noAllocation
  private mutating func accept(_ squares: SIMD2<Double>, _ top: SIMD2<Float>) {
    for channel in 0..<2 {
      // A broken sample (NaN, infinity) must not spoil the window.
      if squares[channel].isFinite { partial[channel] += squares[channel] }
      if top[channel] > partialPeak[channel], top[channel].isFinite { partialPeak[channel] = top[channel] }
    }
  }

  @_noLocks @_noAllocation
  private mutating func countClips(
    _ samples: UnsafePointer<Float>, _ frames: Int, stride: Int, _ channel: Int, _ top: Float
  ) {
    guard top >= fullScale else {
      run[channel] = 0
      return
    }
    for frame in 0..<frames {
      if magnitude(samples[frame * stride]) >= fullScale {
        run[channel] += 1
        if run[channel] == clipRun { clips[channel] += 1 }
      } else {
        run[channel] = 0
      }
    }
  }
}
