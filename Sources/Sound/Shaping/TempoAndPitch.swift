/// Sound at another speed and another pitch, each by itself, both changed while it goes on.
///
/// Sonic makes it longer or shorter at the same pitch, a resampler then higher or lower: the pitch is exact and has no
/// steps, and where nothing is asked for sound passes bit by bit and nothing is held back. Sonic works in whole pitch
/// periods and rounds; what it really took is looked at wherever it brings something out, and made good. One worker thread.
public final class TempoAndPitch {
  private let stretch: TempoStream
  private let bend: FractionalResampler
  private let channels: Int
  private let sampleRate: Int
  private var scratch: [Float]

  /// Input frames an output frame.
  public private(set) var rate = 1.0
  /// What Sonic is to do, and the resampler: their product is the rate.
  private var speed = 1.0
  private var step = 1.0
  /// Frames that Sonic was given and has brought out at this speed.
  private var given = 0
  private var brought = 0
  private var pending = 0.0

  /// Frames that Sonic is given at a time: so exactly is known what it has taken.
  private static let chunk = 128

  /// - Returns: `nil` if memory is exhausted.
  public init?(sampleRate: Int, channels: Int) {
    guard let stretch = TempoStream(sampleRate: sampleRate, channels: channels) else { return nil }
    self.stretch = stretch
    self.channels = channels
    self.sampleRate = sampleRate
    bend = FractionalResampler(channels: channels, isPrompt: true)
    scratch = Array(repeating: 0, count: 4096 * channels)
  }

  /// Input frames that were written and have not come out.
  public var held: Double { speed == 1 ? bend.held : pending }

  /// What is written from now on; what is inside comes out first.
  ///
  /// - Parameters:
  ///   - rate: 0.5…2.
  ///   - cents: of pitch, −1200…1200.
  public func set(rate: Double, cents: Int) {
    let pitch = Self.ratio(cents: cents)
    let ratio = rate / pitch
    // Sonic takes what is nearer to 1 for 1.
    let speed = abs(ratio - 1) < 2e-5 ? 1 : ratio
    if speed != self.speed {
      if self.speed != 1 { settle() }
      pending = bend.held
      (given, brought) = (0, 0)
      stretch.setRange(octavesDown: speed > 2 ? 2 : 1)
      stretch.setSpeed(speed)
    }
    self.rate = rate
    self.speed = speed
    step = rate / speed
  }

  /// 2^(cents / 1200).
  static func ratio(cents: Int) -> Double {
    var (ratio, power, rest) = (1.0, 1.000_577_789_506_554_8, abs(cents))
    while rest > 0 {
      if rest & 1 == 1 { ratio *= power }
      power *= power
      rest >>= 1
    }
    return cents < 0 ? 1 / ratio : ratio
  }

  /// Appends interleaved frames.
  public func write(_ samples: UnsafePointer<Float>, frames: Int) {
    pending += Double(frames)
    guard speed != 1 else { return bend.write(samples, frames: frames) }
    var start = 0
    while start < frames {
      let count = min(Self.chunk, frames - start)
      stretch.write(samples + start * channels, frames: count)
      start += count
      given += count
      guard stretch.available > 0 else { continue }
      // What comes out now begins with the oldest of what Sonic has waited for.
      let taken = Double(given - stretch.latency)
      correct(by: (taken - Double(brought) * speed) / Double(sampleRate))
      forward()
    }
  }

  /// Has Sonic take more or less than was asked for, until it is where it should be.
  ///
  /// - Parameter lead: how much more it has taken, in seconds.
  private func correct(by lead: Double) {
    let part = max(-0.5, min(0.5, lead / 0.1))
    stretch.setSpeed(1 + (speed - 1) * (1 + (speed > 1 ? -part : part)))
  }

  /// Fills `target` with up to `frames` frames.
  ///
  /// - Returns: how many there were.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    let made = bend.read(into: target, frames: frames, step: step)
    pending = max(0, pending - Double(made) * rate)
    return made
  }

  /// Nothing follows: what is inside comes out.
  public func finish() {
    if speed != 1 {
      stretch.finish()
      forward()
    }
    bend.finish()
  }

  /// Forgets everything, for sound that does not continue.
  public func reset() {
    settle()
    bend.reset()
    pending = 0
    (given, brought) = (0, 0)
    stretch.setSpeed(speed)
  }

  private func settle() {
    stretch.settle()
    forward()
  }

  /// From Sonic to the resampler.
  private func forward() {
    scratch.withUnsafeMutableBufferPointer {
      guard let start = $0.baseAddress else { return }
      while stretch.available > 0 {
        let got = stretch.read(into: start, frames: 4096)
        brought += got
        bend.write(start, frames: got)
      }
    }
  }
}
