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

  /// One channel's value `fraction` (0…<1) after the sample at `samples[(taps / 2 − 1) * stride]`.
  func value(_ samples: UnsafePointer<Float>, stride: Int, fraction: Double) -> Float {
    let place = fraction * Double(Self.phases)
    let phase = min(Self.phases - 1, Int(place))
    let between = Float(place - Double(phase))
    return weights.withUnsafeBufferPointer { weights in
      let row = phase * Self.taps
      if between == 0, phase == 0 { return samples[(Self.taps / 2 - 1) * stride] }
      var low: Float = 0
      var high: Float = 0
      for tap in 0..<Self.taps {
        let sample = samples[tap * stride]
        low += weights[row + tap] * sample
        high += weights[row + Self.taps + tap] * sample
      }
      return low + (high - low) * between
    }
  }
}
