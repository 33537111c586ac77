/// A step of a `RateFilter`: a polyphase filter between two rates.
///
/// What it makes lies where the input lies: frame n is the input at `n · from / to`. All memory is allocated when it is made.
/// One thread.
struct RateStage: ~Copyable, @unchecked Sendable {
  enum Kernel {
    /// Flat up to 0.9 of the lower Nyquist frequency, and nothing from there on.
    case steep
    /// Its transition goes from half the lower Nyquist frequency to one and a half: a sinc under a Kaiser window
    /// (Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5).
    case wide

    /// Samples of the lower rate that it spans.
    var span: Int { self == .steep ? SteepKernel.span : 16 }

    /// Its value `x` samples of the lower rate from the middle, but for a factor.
    func value(_ x: Double) -> Double {
      guard self == .wide else { return SteepKernel.value(x) }
      // Kaiser's β for 110 dB: 0.1102 · (110 − 8.7).
      let inside = max(0, 1 - x * x / Double(span * span / 4))
      return SineMath.sinc(x) * SineMath.bessel(11.163 * inside.squareRoot())
    }
  }

  private let channels: Int
  private let up: Int
  private let down: Int
  /// Whole samples of the input from one frame of the output to the next, and what is left, in 1/`up`.
  private let whole: Int
  private let remainder: Int
  private let taps: Int
  private let capacity: Int
  /// `up` rows of `taps`.
  private let weights: UnsafeMutablePointer<Float>
  /// A run of samples a channel, `capacity` apart.
  private let lines: UnsafeMutablePointer<Float>
  /// Samples of a run that are there, and the one under the first weight for the next frame of the output.
  private var filled: Int
  private var first = 0
  private var phase = 0

  /// - Parameters:
  ///   - from: rate of what is written, Hz.
  ///   - to: rate of what is read, Hz.
  ///   - channels: interleaved, 1 or 2.
  ///   - frames: most that wait to be read.
  ///   - kernel: what it lets through.
  init(from: Int, to: Int, channels: Int, frames: Int, kernel: Kernel) {
    let common = RateFilter.divisor(from, to)
    (up, down) = (to / common, from / common)
    (whole, remainder) = (down / up, down % up)
    self.channels = channels
    let scale = max(1, Double(from) / Double(to))
    taps = (Int((Double(kernel.span) * scale).rounded(.up)) + 7) / 8 * 8
    capacity = taps + frames + 8
    weights = .allocate(capacity: up * taps)
    lines = .allocate(capacity: channels * capacity)
    lines.initialize(repeating: 0, count: channels * capacity)
    filled = Self.silence(before: taps)
    for phase in 0..<up {
      Self.fill(weights + phase * taps, taps, offset: Double(phase) / Double(up), scale: scale, kernel)
    }
  }

  /// Samples of silence that stand before the first of the input: its middle weight lies on it.
  @_noLocks @_noAllocation
  private static func silence(before taps: Int) -> Int { taps / 2 - 1 }

  deinit {
    weights.deallocate()
    lines.deallocate()
  }

  private static func fill(
    _ row: UnsafeMutablePointer<Float>, _ taps: Int, offset: Double, scale: Double, _ kernel: Kernel
  ) {
    let values = (0..<taps).map { kernel.value((Double($0 - taps / 2 + 1) - offset) / scale) }
    // A constant stays what it is at every phase.
    let sum = values.reduce(0, +)
    for tap in 0..<taps { (row + tap).initialize(to: Float(values[tap] / sum)) }
  }

  /// Frames of the input that can be written now.
  var room: Int {
    @_noLocks @_noAllocation get { capacity - filled }
  }

  /// Frames that were written and are not in the output yet.
  var held: Double { Double(filled - first - taps / 2 + 1) - Double(phase) / Double(up) }

  /// The same, in whole frames.
  var wholeHeld: Int {
    @_noLocks @_noAllocation get { max(0, filled - first - taps / 2 + 1) }
  }

  /// Frames of input without which `frames` more cannot be read.
  @_noLocks @_noAllocation
  func missing(for frames: Int) -> Int {
    guard frames > 0 else { return 0 }
    return max(0, first + (phase + (frames - 1) * down) / up + taps - filled)
  }

  /// Appends frames, at most `room`.
  @_noLocks @_noAllocation
  mutating func write(_ samples: UnsafePointer<Float>, frames: Int) {
    let count = min(frames, capacity - filled)
    for channel in 0..<channels {
      let line = lines + channel * capacity + filled
      for frame in 0..<count { line[frame] = samples[frame * channels + channel] }
    }
    filled += count
  }

  /// Fills `target` with up to `frames` frames.
  ///
  /// - Returns: how many there were.
  @_noLocks @_noAllocation
  mutating func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var made = 0
    while made < frames, first + taps <= filled {
      let row = weights + phase * taps
      if channels == 2 {
        let (left, right) = Self.products(row, lines + first, lines + capacity + first, taps)
        target[2 * made] = left
        target[2 * made + 1] = right
      } else {
        target[made] = Self.products(row, lines + first, lines + first, taps).0
      }
      made += 1
      // Without a division: it would cost as much as a quarter of the products.
      phase &+= remainder
      first &+= whole
      if phase >= up {
        phase &-= up
        first &+= 1
      }
    }
    drop()
    return made
  }

  /// Forgets everything, for sound that does not continue.
  @_noLocks @_noAllocation
  mutating func reset() {
    filled = Self.silence(before: taps)
    first = 0
    phase = 0
    for channel in 0..<channels {
      for frame in 0..<filled { lines[channel * capacity + frame] = 0 }
    }
  }

  /// Moves what is still needed to the front.
  @_noLocks @_noAllocation
  private mutating func drop() {
    let gone = min(first, filled)
    guard gone > 0 else { return }
    for channel in 0..<channels {
      let line = lines + channel * capacity
      for frame in gone..<filled { line[frame - gone] = line[frame] }
    }
    filled -= gone
    first -= gone
  }

  /// Both channels at once, two sums each: a sum that waits for itself would cost three times as much.
  @_noLocks @_noAllocation @inline(__always)
  private static func products(
    _ row: UnsafePointer<Float>, _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ taps: Int
  ) -> (Float, Float) {
    var (one, other) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    var tap = 0
    while tap < taps {
      let weights = UnsafeRawPointer(row + tap).loadUnaligned(as: SIMD8<Float>.self)
      one += weights * UnsafeRawPointer(left + tap).loadUnaligned(as: SIMD8<Float>.self)
      other += weights * UnsafeRawPointer(right + tap).loadUnaligned(as: SIMD8<Float>.self)
      tap &+= 8
    }
    return (one.sum(), other.sum())
  }
}
