public import Hardware

/// What is done to the microphone's sound on its way into a file.
public struct ShapingSettings: Hashable, Sendable {
  /// Hertz of the low-cut; 0: none.
  public var lowCutHz: Int
  /// Whether the level follows the voice; the limiter goes with it.
  public var hasAutomaticGain: Bool
  /// Whether a peak is held below full scale.
  public var hasLimiter: Bool
  /// Whether the file holds nothing above full scale.
  public var isBounded: Bool

  public init(
    lowCutHz: Int = 0, hasAutomaticGain: Bool = false, hasLimiter: Bool = false, isBounded: Bool = false
  ) {
    self.isBounded = isBounded
    self.lowCutHz = lowCutHz
    self.hasAutomaticGain = hasAutomaticGain
    self.hasLimiter = hasLimiter || hasAutomaticGain
  }
}

/// Low-cut, automatic gain, gain and limiter, in this order. With nothing set, samples are not touched. One thread.
public final class SoundShaper {
  private let channels: Int
  private var lowCut: LowCut?
  private let automatic: AutomaticGain?
  private let limiter: PeakLimiter?
  private let isBounded: Bool
  /// The limiter's stereo of mono.
  private var pairs: [Float] = []
  /// Goes on from where it is to what it is set to.
  public var gain: GainRamp

  private static let pieceFrames = 512

  /// - Parameters:
  ///   - automatic: who has measured, if there is to be an automatic gain.
  ///   - gain: to begin with, as a factor.
  public init(format: PCMFormat, settings: ShapingSettings, automatic: AutomaticGain?, gain: Float = 1) {
    channels = format.channels
    isBounded = settings.isBounded
    lowCut = settings.lowCutHz > 0 ? LowCut(format: format, hertz: settings.lowCutHz) : nil
    self.automatic = settings.hasAutomaticGain ? automatic : nil
    limiter = settings.hasLimiter ? PeakLimiter() : nil
    if limiter != nil, channels == 1 { pairs = Array(repeating: 0, count: 2 * Self.pieceFrames) }
    self.gain = GainRamp(format: format, gain: gain)
  }

  /// Frames by which sound comes out later than it goes in.
  public var latency: Int { limiter == nil ? 0 : PeakLimiter.latency }

  /// Whether sound that has gone through leaves something behind.
  public var hasMemory: Bool { lowCut != nil || limiter != nil }

  /// Shapes interleaved frames in place.
  ///
  /// - Parameters:
  ///   - frame: number of the first, by which the automatic gain knows it.
  ///   - isHeard: whether the automatic gain is to be measured by it.
  public func process(_ samples: UnsafeMutablePointer<Float>, frames: Int, at frame: Int, isHeard: Bool = false) {
    lowCut?.apply(to: samples, frames: frames)
    if isHeard { automatic?.listen(to: samples, frames: frames, at: frame) }
    automatic?.apply(to: samples, frames: frames, at: frame)
    gain.apply(to: samples, frames: frames)
    guard let limiter else { return bound(samples, frames: frames) }
    guard channels == 1 else { return limiter.process(samples, frames: frames) }
    var done = 0
    while done < frames {
      let count = min(Self.pieceFrames, frames - done)
      pairs.withUnsafeMutableBufferPointer { pairs in
        guard let base = pairs.baseAddress else { return }
        for index in 0..<count {
          (pairs[2 * index], pairs[2 * index + 1]) = (samples[done + index], samples[done + index])
        }
        limiter.process(base, frames: count)
        for index in 0..<count { samples[done + index] = pairs[2 * index] }
      }
      done += count
    }
  }

  /// What a file cannot hold is cut off here, so that meters, loudness and picture have it as the file does.
  private func bound(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    // A microphone gives nothing above full scale.
    guard isBounded, gain.gain > 1 || gain.isChanging || lowCut != nil else { return }
    for index in 0..<frames * channels { samples[index] = min(max(samples[index], -1), 1) }
  }
}
