internal import Hardware

/// A sinc under a Kaiser window, at 256 places between two samples: what is between samples, by 32 of them or, where
/// output is to have fewer, by as many more: then nothing passes that would be above half of the new rate.
struct SincTable: Sendable {
  /// At a step of 1.
  static let shortest = 32
  /// A step's 32 taps, to whole vectors.
  static func taps(step: Double) -> Int { (Int(Double(shortest) * max(1, step)) + 7) / 8 * 8 }
  static let phases = 256
  /// Kaiser's β for some 90 dB of attenuation.
  private static let beta = 9.0

  let taps: Int
  let step: Double
  /// `phases` + 1 rows of `taps`; at a step of 1 row 0 is a lone 1, so that what needs no interpolation is not changed by
  /// it.
  private let weights: [Float]

  static let shared = SincTable()

  /// - Parameter step: input samples from one of the output to the next, if that is more than 1.
  init(step: Double = 1) {
    let taps = Self.taps(step: step)
    self.taps = taps
    self.step = step
    // The kernel itself takes too long while something is played: for other steps it is looked up.
    let slope = step == 1 ? [] : Self.slope
    var weights: [Float] = []
    weights.reserveCapacity((Self.phases + 1) * taps)
    for phase in 0...Self.phases {
      let row = (0..<taps).map { tap in
        let x = abs(Double(tap - taps / 2 + 1) - Double(phase) / Double(Self.phases)) / step
        guard !slope.isEmpty else { return Self.kernel(x) }
        let place = x * Double(Self.phases)
        let whole = Int(place)
        guard whole + 1 < slope.count else { return 0 }
        return slope[whole] + (slope[whole + 1] - slope[whole]) * (place - Double(whole))
      }
      // A constant stays what it is at every phase.
      let sum = row.reduce(0, +)
      weights += row.map { Float(abs($0 / sum) < 1e-12 ? 0 : $0 / sum) }
    }
    self.weights = weights
  }

  private static func kernel(_ x: Double) -> Double {
    let part = x / Double(shortest / 2)
    let inside = max(0, 1 - part * part)
    return SineMath.sinc(x) * SineMath.bessel(beta * inside.squareRoot()) / SineMath.bessel(beta)
  }

  /// The kernel from its middle to its end, `phases` values a sample.
  private static let slope = (0...(shortest / 2 * phases)).map { kernel(Double($0) / Double(phases)) }

  /// One channel's value `fraction` (0…<1) after `samples[taps / 2 − 1]`.
  func value(_ samples: UnsafePointer<Float>, fraction: Double) -> Float {
    guard fraction > 0 || step != 1 else { return samples[taps / 2 - 1] }
    // The usual number is one that the compiler knows.
    return taps == Self.shortest
      ? value(samples, fraction, taps: Self.shortest) : value(samples, fraction, taps: taps)
  }

  /// Both channels' values `fraction` (0…<1) after the frame `taps / 2 − 1` of interleaved samples.
  func stereo(_ samples: UnsafePointer<Float>, fraction: Double) -> (left: Float, right: Float) {
    guard fraction > 0 || step != 1 else { return (samples[taps - 2], samples[taps - 1]) }
    return taps == Self.shortest
      ? stereo(samples, fraction, taps: Self.shortest) : stereo(samples, fraction, taps: taps)
  }

  @inline(__always)
  private func value(_ samples: UnsafePointer<Float>, _ fraction: Double, taps: Int) -> Float {
    var sum = SIMD8<Float>.zero
    weights.withUnsafeBufferPointer { weights in
      guard let (row, between) = Self.row(weights, fraction, taps) else { return }
      for tap in stride(from: 0, to: taps, by: 8) {
        sum += Self.vector(samples + tap, as: SIMD8<Float>.self) * Self.weights(row + tap, taps, between)
      }
    }
    return sum.sum()
  }

  @inline(__always)
  private func stereo(_ samples: UnsafePointer<Float>, _ fraction: Double, taps: Int) -> (left: Float, right: Float) {
    var left = SIMD8<Float>.zero
    var right = SIMD8<Float>.zero
    weights.withUnsafeBufferPointer { weights in
      guard let (row, between) = Self.row(weights, fraction, taps) else { return }
      for tap in stride(from: 0, to: taps, by: 8) {
        let weight = Self.weights(row + tap, taps, between)
        let frames = Self.vector(samples + 2 * tap, as: SIMD16<Float>.self)
        left += frames.evenHalf * weight
        right += frames.oddHalf * weight
      }
    }
    return (left.sum(), right.sum())
  }

  /// The row of the nearest phase before a place, and how far the place is from it towards the next.
  @inline(__always)
  private static func row(
    _ weights: UnsafeBufferPointer<Float>, _ fraction: Double, _ taps: Int
  ) -> (UnsafePointer<Float>, Float)? {
    let place = fraction * Double(phases)
    let phase = min(phases - 1, Int(place))
    return weights.baseAddress.map { ($0 + phase * taps, Float(place - Double(phase))) }
  }

  /// Eight weights between this row and the next.
  @inline(__always)
  private static func weights(_ row: UnsafePointer<Float>, _ taps: Int, _ between: Float) -> SIMD8<Float> {
    let low = vector(row, as: SIMD8<Float>.self)
    return low + (vector(row + taps, as: SIMD8<Float>.self) - low) * between
  }

  /// Neighbouring samples as one vector.
  @inline(__always)
  private static func vector<V: SIMD>(_ samples: UnsafePointer<Float>, as type: V.Type) -> V {
    UnsafeRawPointer(samples).loadUnaligned(as: type)
  }
}
