/// A sinc under a Kaiser window, at 256 places between two samples: what is between samples, by 32 of them.
struct SincTable: Sendable {
  static let taps = 32
  static let phases = 256
  /// Kaiser's β for some 90 dB of attenuation.
  private static let beta = 9.0

  /// `phases` + 1 rows of `taps`; row 0 is a lone 1, so that what needs no interpolation is not changed by it.
  private let weights: [Float]

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
}
