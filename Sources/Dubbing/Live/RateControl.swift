internal import Sound

/// The last stage before the speaker: mixed sound, a little faster or slower.
///
/// Untouched while nothing is asked for; resampled by up to ±1000 ppm, or stretched by up to ±3 % at the same pitch. One
/// thread.
final class RateControl {
  private let resampler = FractionalResampler()
  private var tempo: TempoStream?
  private var speed = 1.0
  private var ppm = 0.0
  private var steering = 0.0
  /// Whether sound goes through the resampler: from the first correction on, since it then holds a part of it.
  private var isResampling = false
  private let scratch: UnsafeMutablePointer<Float>
  private let stretched: UnsafeMutablePointer<Float>
  private static let scratchFrames = 2048

  init() {
    scratch = .allocate(capacity: 2 * Self.scratchFrames)
    scratch.initialize(repeating: 0, count: 2 * Self.scratchFrames)
    stretched = .allocate(capacity: 2 * Self.scratchFrames)
    stretched.initialize(repeating: 0, count: 2 * Self.scratchFrames)
  }

  deinit {
    scratch.deallocate()
    stretched.deallocate()
  }

  /// Timeline frames a frame that comes out.
  var ratio: Double { (tempo == nil ? 1 : speed) * (isResampling ? 1 + ppm * 1e-6 : 1) }
  /// Timeline frames that went in and have not come out.
  private(set) var held = 0.0
  /// Timeline frames by which what has come out is ahead of its time because the live edge was steered for.
  private(set) var steered = 0.0

  /// - Parameters:
  ///   - ppm: how much faster than it comes sound is taken, in all.
  ///   - steering: so much of it is for the live edge, and no making up for the speaker's clock.
  func set(ppm: Double, steering: Double = 0) {
    self.ppm = ppm
    self.steering = steering
    if ppm != 0 { isResampling = true }
  }

  /// A stretch, which is all for the live edge; 1: none.
  func set(speed: Double) {
    guard speed != self.speed else { return }
    self.speed = speed
    if speed != 1, tempo == nil { tempo = TempoStream(sampleRate: 48_000, channels: 2) }
    tempo?.setSpeed(speed)
  }

  /// Takes in mixed frames and hands out what is ready, in pieces.
  func process(_ samples: UnsafePointer<Float>, frames: Int, give: (UnsafePointer<Float>, Int) -> Void) {
    held += Double(frames)
    guard let tempo else { return resample(samples, frames, give) }
    tempo.write(samples, frames: frames)
    while tempo.available > 0 {
      let count = tempo.read(into: stretched, frames: Self.scratchFrames)
      guard count > 0 else { break }
      held += Double(count) - Double(count) * speed
      steered += Double(count) * (speed - 1)
      resample(stretched, count, give)
    }
    if speed == 1 {
      // All that was inside has come out as it is. Whole periods of the voice were left out or doubled, not quite as
      // many as the speed asked for.
      self.tempo = nil
      let rest = isResampling ? resampler.held : 0
      steered += held - rest
      held = rest
    }
  }

  /// Forgets what is inside, for sound from another place.
  func reset() {
    resampler.reset()
    tempo = nil
    speed = 1
    held = 0
  }

  private func resample(_ samples: UnsafePointer<Float>, _ frames: Int, _ give: (UnsafePointer<Float>, Int) -> Void) {
    guard isResampling else {
      held -= Double(frames)
      return give(samples, frames)
    }
    resampler.write(samples, frames: frames)
    while true {
      let count = resampler.read(into: scratch, frames: Self.scratchFrames, ppm: ppm)
      guard count > 0 else { return }
      held -= Double(count) * (1 + ppm * 1e-6)
      steered += Double(count) * steering * 1e-6
      give(scratch, count)
    }
  }
}
