public import Hardware

/// How loud each channel is, without a click where that changes. What is made louder than it was is limited, never clipped.
///
/// At gains of 1 samples pass bit by bit, at once. One worker thread; does not allocate once it has limited.
public final class OutputLevel {
  private let channels: Int
  private let isMixed: Bool
  private var ramps: [GainRamp]
  /// Once something is louder, until `reset`.
  private var limiter: PeakLimiter?
  /// Frames that the limiter is still to bring out before the sound begins.
  private var ahead = 0
  private var stereo: [Float] = []

  /// - Parameters:
  ///   - format: of 1 or 2 channels.
  ///   - isMixed: of more, which together are louder than each: limited at any gain.
  public init(format: PCMFormat, isMixed: Bool = false) {
    (channels, self.isMixed) = (format.channels, isMixed)
    ramps = Array(repeating: GainRamp(format: PCMFormat(sampleRate: format.sampleRate, channels: 1)), count: channels)
  }

  /// Frames that went in and have not come out.
  public private(set) var held = 0

  /// Goes to other gains; one channel has the louder of both.
  ///
  /// - Parameters:
  ///   - left: factor, 0 and more.
  ///   - isHeard: they change along a ramp.
  public func set(left: Float, right: Float, isHeard: Bool) {
    for channel in ramps.indices {
      let gain = channels == 1 ? max(left, right) : channel == 0 ? left : right
      if isHeard { ramps[channel].setGain(gain) } else { ramps[channel].jump(to: gain) }
    }
    if limiter == nil, isMixed || ramps.contains(where: { $0.gain > 1 }) {
      limiter = PeakLimiter()
      ahead = PeakLimiter.latency
    }
  }

  /// Shapes interleaved frames in place.
  ///
  /// - Returns: how many come out; the first time that something is louder, fewer than went in.
  public func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    for channel in ramps.indices { ramps[channel].apply(to: samples + channel, frames: frames, stride: channels) }
    guard let limiter else { return frames }
    if channels == 1 {
      if stereo.count < 2 * frames { stereo = Array(repeating: 0, count: 2 * frames) }
      stereo.withUnsafeMutableBufferPointer { stereo in
        guard let start = stereo.baseAddress else { return }
        for index in 0..<frames { (start[2 * index], start[2 * index + 1]) = (samples[index], samples[index]) }
        limiter.process(start, frames: frames)
        for index in 0..<frames { samples[index] = start[2 * index] }
      }
    } else {
      limiter.process(samples, frames: frames)
    }
    let dropped = min(ahead, frames)
    ahead -= dropped
    held += dropped
    samples.update(from: samples + dropped * channels, count: (frames - dropped) * channels)
    return frames - dropped
  }

  /// Nothing follows: brings out what is held.
  ///
  /// - Parameter target: room for `PeakLimiter.latency` frames.
  /// - Returns: frames; 0 the next time.
  public func finish(into target: UnsafeMutablePointer<Float>) -> Int {
    let rest = held
    guard rest > 0 else { return 0 }
    target.update(repeating: 0, count: rest * channels)
    let made = process(target, frames: rest)
    held = 0
    return made
  }

  /// Forgets what is held, for sound that does not continue.
  public func reset() {
    let gains = ramps.map(\.gain)
    (limiter, ahead, held) = (nil, 0, 0)
    set(left: gains[0], right: gains[gains.count - 1], isHeard: false)
  }
}
