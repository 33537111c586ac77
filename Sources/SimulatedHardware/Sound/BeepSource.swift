public import Hardware

/// A burst of 1 kHz at each full second since the origin, 100 ms long, in silence: the sound to the flash of
/// `SimulatedCamera`.
///
/// It begins at the full second of the device's clock, whatever the microphone's crystal does.
public final class BeepSource: SoundSource {
  /// Peak of the bursts: half of full scale.
  public static let amplitude = 0.5
  public static let length = Duration.milliseconds(100)
  private let clockError: ClockError

  /// - Parameter clockError: that of the microphone which hears it.
  public init(clockError: ClockError = .none) { self.clockError = clockError }

  public func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    for frame in 0..<frames {
      let heard = clockError.actual(format.duration(ofFrames: position + frame)).nanoseconds
      let since = heard % 1_000_000_000
      let isOn = heard >= 0 && since < Self.length.nanoseconds
      let turns = Double(since) * 1e-6
      let value = isOn ? Float(Self.amplitude * ExactMath.sine(turns: turns - turns.rounded(.down))) : 0
      for channel in 0..<format.channels { target[frame * format.channels + channel] = value }
    }
  }
}
