public import Hardware

/// What a simulated microphone hears, as a function of the time since the origin of the run.
///
/// Frame `n` is the sound at `n / sampleRate` seconds, whenever the device was opened and whatever was lost before,
/// so that a script's times fall on known samples. Only one thread at a time calls it.
public protocol SoundSource: AnyObject, Sendable {
  /// The only format that the source has, or `nil` if it can make any.
  var fixedFormat: PCMFormat? { get }
  /// Whether its samples are whole steps of `fixedFormat`'s bits, so that a converter would pass them on as they are.
  var isQuantised: Bool { get }
  /// Called when the device is opened; the place to allocate.
  func prepare(_ format: PCMFormat)
  /// Writes `frames` interleaved frames from frame `position` on into `target`, full scale being −1…1.
  func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat)
}

extension SoundSource {
  public var fixedFormat: PCMFormat? { nil }
  public var isQuantised: Bool { false }
  public func prepare(_ format: PCMFormat) {}
}

/// Digital silence.
public final class SilenceSource: SoundSource {
  public init() {}

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    target.update(repeating: 0, count: frames * format.channels)
  }
}

/// A sine a channel, at −12 dBFS (peak 0.25), phase zero at the origin.
public final class ToneSource: SoundSource {
  /// Peak of the tones: a quarter of full scale.
  public static let amplitude = 0.25
  private let frequencies: [Double]

  /// - Parameter frequencies: hertz, one a channel; a missing one repeats the last.
  public init(frequencies: [Double]) { self.frequencies = frequencies.isEmpty ? [1000] : frequencies }

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    let rate = Double(format.sampleRate)
    for channel in 0..<format.channels {
      let frequency = frequencies[min(channel, frequencies.count - 1)]
      for frame in 0..<frames {
        let turns = (frequency * Double(position + frame)).truncatingRemainder(dividingBy: rate) / rate
        target[frame * format.channels + channel] = Float(Self.amplitude * ExactMath.sine(turns: turns))
      }
    }
  }
}

/// White noise evenly spread over ±0.25, independent in each channel, decided by the seed.
public final class NoiseSource: SoundSource {
  private let seed: UInt64

  public init(seed: UInt64) { self.seed = ExactMath.mix(seed) }

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    for frame in 0..<frames {
      for channel in 0..<format.channels {
        let place = UInt64(bitPattern: Int64(position + frame)) &* 2 &+ UInt64(channel)
        target[frame * format.channels + channel] = Float(0.25 * ExactMath.spread(seed ^ ExactMath.mix(place)))
      }
    }
  }
}

/// Any function of the position, for tests.
public final class FunctionSource: SoundSource {
  private let value: @Sendable (_ frame: Int, _ channel: Int) -> Float
  public let fixedFormat: PCMFormat?

  /// - Parameters:
  ///   - format: the only format the source has, or `nil` for any.
  ///   - value: the sample of a frame, counted from the origin, and a channel.
  public init(format: PCMFormat? = nil, value: @escaping @Sendable (_ frame: Int, _ channel: Int) -> Float) {
    fixedFormat = format
    self.value = value
  }

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    for frame in 0..<frames {
      for channel in 0..<format.channels {
        target[frame * format.channels + channel] = value(position + frame, channel)
      }
    }
  }
}
