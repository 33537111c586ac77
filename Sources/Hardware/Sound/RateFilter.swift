/// Converts interleaved sound from one rate to another by a polyphase filter, on real-time threads, too.
///
/// The filter is a sinc under a Kaiser window (Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5): 144 samples
/// of the lower rate, which is flat up to 0.9 of the lower Nyquist frequency and down by more than 100 dB from it on. What it
/// makes lies where the input lies: frame n is the input at `n · from / to`. All memory is allocated when it is made. One
/// thread.
public struct RateFilter: ~Copyable, @unchecked Sendable {
  /// Samples of the lower rate that the filter spans.
  private static let span = 144
  /// Middle of the transition, in the lower Nyquist frequency.
  private static let cutoff = 0.95
  /// Kaiser's β for 110 dB: 0.1102 · (110 − 8.7).
  private static let beta = 11.163
  /// Most phases that a table is made for, and how far the rates may be apart.
  private static let mostPhases = 1280
  private static let mostRatio = 24

  private let channels: Int
  private let up: Int
  private let down: Int
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

  /// Whether there is a filter between two rates; Hz.
  public static func canConvert(from: Int, to: Int) -> Bool {
    guard from > 0, to > 0, from <= 1 << 20, to <= 1 << 20 else { return false }
    let common = divisor(from, to)
    return to / common <= mostPhases && from <= mostRatio * to && to <= mostRatio * from
  }

  private static func divisor(_ one: Int, _ other: Int) -> Int { other == 0 ? one : divisor(other, one % other) }

  /// `nil`: there is no filter between these rates.
  ///
  /// - Parameters:
  ///   - from: rate of what is written, Hz.
  ///   - to: rate of what is read, Hz.
  ///   - channels: interleaved, 1 or 2.
  ///   - frames: most that wait to be read.
  public init?(from: Int, to: Int, channels: Int, frames: Int) {
    guard Self.canConvert(from: from, to: to) else { return nil }
    let common = Self.divisor(from, to)
    (up, down) = (to / common, from / common)
    self.channels = channels
    let scale = max(1, Double(from) / Double(to))
    taps = (Int((Double(Self.span) * scale).rounded(.up)) + 7) / 8 * 8
    capacity = taps + frames + 8
    weights = .allocate(capacity: up * taps)
    lines = .allocate(capacity: channels * capacity)
    lines.initialize(repeating: 0, count: channels * capacity)
    filled = Self.silence(before: taps)
    for phase in 0..<up { Self.fill(weights + phase * taps, taps, offset: Double(phase) / Double(up), scale: scale) }
  }

  /// Samples of silence that stand before the first of the input: its middle weight lies on it.
  @_noLocks @_noAllocation
  private static func silence(before taps: Int) -> Int { taps / 2 - 1 }

  deinit {
    weights.deallocate()
    lines.deallocate()
  }

  private static func fill(_ row: UnsafeMutablePointer<Float>, _ taps: Int, offset: Double, scale: Double) {
    let half = Double(taps / 2)
    let cut = cutoff / scale
    let values = (0..<taps).map { tap in
      let x = Double(tap - taps / 2 + 1) - offset
      let inside = max(0, 1 - x * x / (half * half))
      return SineMath.sinc(cut * x) * SineMath.bessel(beta * inside.squareRoot())
    }
    // A constant stays what it is at every phase.
    let sum = values.reduce(0, +)
    for tap in 0..<taps { (row + tap).initialize(to: Float(values[tap] / sum)) }
  }

  /// Frames of the input that can be written now.
  public var room: Int {
    @_noLocks @_noAllocation get { capacity - filled }
  }

  /// Frames that were written and are not in the output yet.
  public var held: Double { Double(filled - first - taps / 2 + 1) - Double(phase) / Double(up) }

  /// The same, in whole frames.
  public var wholeHeld: Int {
    @_noLocks @_noAllocation get { max(0, filled - first - taps / 2 + 1) }
  }

  /// Frames of input without which `frames` more cannot be read.
  @_noLocks @_noAllocation
  public func missing(for frames: Int) -> Int {
    guard frames > 0 else { return 0 }
    return max(0, first + (phase + (frames - 1) * down) / up + taps - filled)
  }

  /// Appends frames, at most `room`.
  @_noLocks @_noAllocation
  public mutating func write(_ samples: UnsafePointer<Float>, frames: Int) {
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
  public mutating func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    var made = 0
    while made < frames, first + taps <= filled {
      let row = weights + phase * taps
      for channel in 0..<channels {
        target[made * channels + channel] = Self.product(row, lines + channel * capacity + first, taps)
      }
      made += 1
      phase += down
      first += phase / up
      phase %= up
    }
    drop()
    return made
  }

  /// Forgets everything, for sound that does not continue.
  @_noLocks @_noAllocation
  public mutating func reset() {
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

  @_noLocks @_noAllocation @inline(__always)
  private static func product(_ row: UnsafePointer<Float>, _ samples: UnsafePointer<Float>, _ taps: Int) -> Float {
    var sum = SIMD8<Float>.zero
    var tap = 0
    while tap < taps {
      let weights = UnsafeRawPointer(row + tap).loadUnaligned(as: SIMD8<Float>.self)
      let values = UnsafeRawPointer(samples + tap).loadUnaligned(as: SIMD8<Float>.self)
      sum += weights * values
      tap += 8
    }
    return sum.sum()
  }
}
