/// A sinc under a Kaiser window, at 256 places between two samples: what is between samples, by 32 of them or more.
struct SincTable: Sendable {
  static let taps = 32
  static let phases = 256
  /// Kaiser's β for some 90 dB of attenuation.
  private static let beta = 9.0

  /// `phases` + 1 rows of `taps`; row 0 is a lone 1, so that what needs no interpolation is not changed by it.
  private let weights: [Float]

  /// The windowed sinc from its middle to its end, `phases` values a sample.
  private let slope: [Float]

  static let shared = SincTable()

  private init() {
    var weights: [Float] = []
    weights.reserveCapacity((Self.phases + 1) * Self.taps)
    let half = Double(Self.taps / 2)
    for phase in 0...Self.phases {
      var row: [Double] = []
      for tap in 0..<Self.taps {
        let x = Double(tap - Self.taps / 2 + 1) - Double(phase) / Double(Self.phases)
        let inside = max(0, 1 - x / half * (x / half))
        row.append(SineMath.sinc(x) * SineMath.bessel(Self.beta * inside.squareRoot()) / SineMath.bessel(Self.beta))
      }
      // A constant stays what it is at every phase.
      let sum = row.reduce(0, +)
      weights += row.map { Float(abs($0 / sum) < 1e-12 ? 0 : $0 / sum) }
    }
    self.weights = weights
    slope = (0...(Self.taps / 2 * Self.phases + 1)).map { index in
      let x = Double(index) / Double(Self.phases)
      let inside = max(0, 1 - x / half * (x / half))
      return Float(SineMath.sinc(x) * SineMath.bessel(Self.beta * inside.squareRoot()) / SineMath.bessel(Self.beta))
    }
  }

  /// One channel's value `fraction` (0…<1) after `samples[taps / 2 − 1]`.
  func value(_ samples: UnsafePointer<Float>, fraction: Double) -> Float {
    guard fraction > 0 else { return samples[Self.taps / 2 - 1] }
    var sum = SIMD8<Float>.zero
    blend(fraction) { tap, weight in sum += Self.vector(samples + tap, as: SIMD8<Float>.self) * weight }
    return sum.sum()
  }

  /// Both channels' values `fraction` (0…<1) after the frame `taps / 2 − 1` of interleaved samples.
  func stereo(_ samples: UnsafePointer<Float>, fraction: Double) -> (left: Float, right: Float) {
    guard fraction > 0 else { return (samples[Self.taps - 2], samples[Self.taps - 1]) }
    var left = SIMD8<Float>.zero
    var right = SIMD8<Float>.zero
    blend(fraction) { tap, weight in
      let frames = Self.vector(samples + 2 * tap, as: SIMD16<Float>.self)
      left += frames.evenHalf * weight
      right += frames.oddHalf * weight
    }
    return (left.sum(), right.sum())
  }

  /// Eight weights at a time, between the rows of the two nearest phases.
  @inline(__always)
  private func blend(_ fraction: Double, _ take: (Int, SIMD8<Float>) -> Void) {
    let place = fraction * Double(Self.phases)
    let phase = min(Self.phases - 1, Int(place))
    let between = Float(place - Double(phase))
    weights.withUnsafeBufferPointer { weights in
      guard let row = weights.baseAddress.map({ $0 + phase * Self.taps }) else { return }
      for tap in stride(from: 0, to: Self.taps, by: 8) {
        let low = Self.vector(row + tap, as: SIMD8<Float>.self)
        take(tap, low + (Self.vector(row + Self.taps + tap, as: SIMD8<Float>.self) - low) * between)
      }
    }
  }

  /// Neighbouring samples as one vector.
  @inline(__always)
  private static func vector<V: SIMD>(_ samples: UnsafePointer<Float>, as type: V.Type) -> V {
    UnsafeRawPointer(samples).loadUnaligned(as: type)
  }

  /// The same at `samples[0]` for output whose frames are `step` (above 1) apart: the filter is wider by as much, and
  /// lets nothing pass that would be above half of the new rate.
  func wide(_ samples: UnsafePointer<Float>, stride: Int, fraction: Double, step: Double) -> Float {
    let reach = Double(Self.taps / 2) * step
    let scale = Double(Self.phases) / step
    let first = Int((fraction - reach).rounded(.up))
    let last = Int((fraction + reach).rounded(.down))
    var sum: Float = 0
    var total: Float = 0
    slope.withUnsafeBufferPointer { slope in
      for tap in first...last {
        let place = abs(Double(tap) - fraction) * scale
        let whole = min(slope.count - 2, Int(place))
        let weight = slope[whole] + (slope[whole + 1] - slope[whole]) * Float(place - Double(whole))
        sum += weight * samples[tap * stride]
        total += weight
      }
    }
    return sum / total
  }
}
