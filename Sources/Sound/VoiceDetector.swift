internal import Glibc
public import Hardware

/// Tells voice, or any sound that begins, from the noise that is always there.
///
/// The noise floor is the quietest that the last seconds were; what is 9 dB above it for 40 ms is a voice, until it falls to
/// 6 dB above it. Above −35 dBFS nothing counts as noise: in doubt there is a voice. One thread; does not allocate.
public struct VoiceDetector: Sendable {
  /// Whether there is a voice now.
  public private(set) var isVoice = false
  /// The frame at which the last voice began, and the one behind it.
  public private(set) var onset = 0
  public private(set) var end = 0

  private let channels: Int
  private let blockFrames: Int
  /// Sum of squares of the block that is being heard, and its frames.
  private var sum = 0.0
  private var filled = 0
  /// Mean power of some 100 ms.
  private var smooth = 0.0
  private var loudBlocks = 0
  /// The quietest of each of the last seconds; not heard yet: infinite.
  private var minima = InlineArray<16, Double>(repeating: .infinity)
  private var second = 0
  private var blocksOfSecond = 0

  private static let blocksPerSecond = 50
  private static let onsetRatio = Decibels.power(9)
  private static let endRatio = Decibels.power(6)
  private static let loudestFloor = Decibels.power(-35)
  private static let quietestFloor = Decibels.power(-75)

  public init(format: PCMFormat) {
    channels = max(1, format.channels)
    blockFrames = max(1, format.sampleRate / Self.blocksPerSecond)
  }

  /// Listens to interleaved frames, of which the first has this number.
  public mutating func add(_ samples: UnsafePointer<Float>, frames: Int, at frame: Int) {
    for index in 0..<frames {
      for channel in 0..<channels {
        let value = Double(samples[index * channels + channel])
        if value.isFinite { sum += value * value }
      }
      filled += 1
      guard filled == blockFrames else { continue }
      close(sum / Double(blockFrames * channels), at: frame + index + 1)
      (sum, filled) = (0, 0)
    }
  }

  private mutating func close(_ power: Double, at end: Int) {
    smooth = smooth == 0 ? power : smooth * 0.8 + power * 0.2
    minima[second] = min(minima[second], smooth)
    blocksOfSecond += 1
    if blocksOfSecond == Self.blocksPerSecond {
      (blocksOfSecond, second) = (0, (second + 1) % 16)
      minima[second] = .infinity
    }
    var floor = Double.infinity
    let known = minima.span
    for index in known.indices { floor = min(floor, known[index]) }
    floor = min(max(floor, Self.quietestFloor), Self.loudestFloor)
    loudBlocks = power >= floor * Self.onsetRatio ? loudBlocks + 1 : 0
    if !isVoice, loudBlocks >= 2 {
      isVoice = true
      onset = end - 2 * blockFrames
    }
    guard isVoice else { return }
    if power >= floor * Self.endRatio { self.end = end }
    // A gap between two words is none between two voices.
    if end - self.end >= 10 * blockFrames { isVoice = false }
  }
}
