internal import Glibc

/// Keeps a microphone that hears its own speaker from howling. One channel; a pure value.
///
/// A howl is a tone that does not dip (E. Hänsler and G. Schmidt, Acoustic Echo and Noise Control, 2004, 14): what two
/// samples before tell exactly for 150 ms, or is loud without a pause for 600 ms, as no voice is. Then the gain steps
/// back by 9 dB, again and again if need be, and comes back slowly to a little less than it was when that began. What is
/// loud is held below half of full scale.
public struct HowlGuard: Sendable {
  private static let ceilingOfPeaks: Float = 0.5
  /// Mean squares: −50 dBFS, below which nobody hears a howl, and −20 dBFS.
  private static let quiet = 1e-5
  private static let loud = 1e-2
  private static let stepBack: Float = 0.35

  /// Samples that are looked at as one, and of those, a block of 10 ms.
  private let stride: Int
  private let blockLength: Int
  private let release: Float
  private var sum: Float = 0
  private var summed = 0
  private var last = (one: 0.0, two: 0.0)
  private var count = 0
  private var energy = 0.0
  private var cross = 0.0
  private var square = 0.0
  private var past = 0.0
  private var highest = 0.0
  private var tonal = 0
  private var unbroken = 0
  private var target: Float = 1
  private var ceiling: Float = 1
  private var peak: Float = 0
  /// The factor that sound is let through with now.
  public private(set) var gain: Float = 1

  /// - Parameter sampleRate: Hz.
  public init(sampleRate: Int) {
    stride = max(1, sampleRate / 8000)
    blockLength = max(8, sampleRate / stride / 100)
    release = exp(-10 / Float(max(1, sampleRate)))
  }

  /// Lets sound through, in place.
  public mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    for frame in 0..<frames {
      look(samples[frame])
      // 1 ms.
      gain += (target - gain) / Float(stride * 8)
      let sample = samples[frame] * gain
      peak = max(abs(sample), peak * release)
      samples[frame] = sample * min(1, Self.ceilingOfPeaks / max(peak, 1e-9))
    }
  }

  private mutating func look(_ sample: Float) {
    sum += sample
    summed += 1
    guard summed == stride else { return }
    let value = Double(sum) / Double(stride)
    (sum, summed) = (0, 0)
    let outer = value + last.two
    cross += last.one * outer
    square += outer * outer
    past += last.one * last.one
    energy += value * value
    last = (value, last.one)
    count += 1
    if count == blockLength { judge() }
  }

  private mutating func judge() {
    let level = energy / Double(count)
    let isTone = past > 0 && square - cross * cross / past < 0.004 * past
    (count, energy, cross, square, past) = (0, 0, 0, 0, 0)
    if level < Self.quiet || level < highest / 4 {
      (tonal, unbroken, highest) = (0, 0, level)
    } else {
      highest = max(highest, level)
      tonal = isTone ? tonal + 1 : 0
      unbroken = level > Self.loud ? unbroken + 1 : 0
    }
    if tonal >= 15 || unbroken >= 60 {
      target *= Self.stepBack
      ceiling = target * 2
      (tonal, unbroken, highest) = (0, 0, 0)
    } else {
      // 3 dB a second, and one in 23 s.
      target = min(ceiling, target * 1.0035)
      ceiling = min(1, ceiling * 1.00005)
    }
  }
}
