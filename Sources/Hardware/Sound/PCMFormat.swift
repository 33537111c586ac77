/// The shape of a PCM stream: frames a second, channels a frame, significant bits a sample.
///
/// In memory every sample is a `Float` in −1…1 (full scale of an n-bit integer is 2^(n−1)), interleaved.
/// A `Float` holds 16- and 24-bit integers exactly, so a WAV take is bit-exact with the device.
public struct PCMFormat: Hashable, Sendable {
  /// Frames a second, 8000…192000.
  public var sampleRate: Int
  /// 1 (mono) or 2 (left, right).
  public var channels: Int
  /// Significant bits of the integer samples at the device: 16 or 24. In a file 32, too, which are float.
  public var bits: Int

  public init(sampleRate: Int, channels: Int, bits: Int = 16) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.bits = bits
  }

  /// How long `frames` frames last.
  public func duration(ofFrames frames: Int) -> Duration {
    let rate = Int64(sampleRate)
    let (seconds, rest) = Int64(frames).quotientAndRemainder(dividingBy: rate)
    return .nanoseconds(seconds * 1_000_000_000 + (rest * 1_000_000_000 + (rest < 0 ? -rate : rate) / 2) / rate)
  }

  /// How many frames `duration` lasts, rounded to the nearest.
  public func frames(in duration: Duration) -> Int {
    let nanoseconds = duration.nanoseconds
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let half: Int64 = rest < 0 ? -500_000_000 : 500_000_000
    return Int(seconds * Int64(sampleRate) + (rest * Int64(sampleRate) + half) / 1_000_000_000)
  }
}
