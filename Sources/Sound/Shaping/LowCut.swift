internal import Glibc
public import Hardware

/// A high-pass against rumble and wind: Butterworth of the fourth order, −3 dB at its frequency, 24 dB an octave below.
///
/// Its memory is some ten milliseconds. One thread at a time; does not allocate after `init`.
public struct LowCut: Sendable {
  /// Second-order sections (transposed direct form II), with what each channel holds.
  private struct Section: Sendable {
    let gain: Double
    let a1: Double
    let a2: Double
    var first = SIMD2<Double>.zero
    var second = SIMD2<Double>.zero

    /// By the bilinear transform, its frequency kept.
    init(_ hertz: Int, _ rate: Int, quality: Double) {
      let warped = tan(Double.pi * Double(hertz) / Double(rate))
      let scale = 1 + warped / quality + warped * warped
      gain = 1 / scale
      a1 = 2 * (warped * warped - 1) / scale
      a2 = (1 - warped / quality + warped * warped) / scale
    }

    @_noLocks @_noAllocation
    mutating func pass(_ value: SIMD2<Double>) -> SIMD2<Double> {
      let input = value * gain
      let output = input + first
      first = second - input * 2 - output * a1
      second = input - output * a2
      return output
    }
  }

  private let channels: Int
  private var sections: (Section, Section)

  /// - Parameter hertz: where it takes 3 dB, below half the rate.
  public init(format: PCMFormat, hertz: Int) {
    channels = format.channels
    sections = (
      Section(hertz, format.sampleRate, quality: 0.541_196_1), Section(hertz, format.sampleRate, quality: 1.306_563)
    )
  }

  /// Filters interleaved frames of one or two channels in place.
  @_noLocks @_noAllocation
  public mutating func apply(to samples: UnsafeMutablePointer<Float>, frames: Int) {
    for frame in 0..<frames {
      let place = frame * channels
      let right = channels == 2 ? samples[place + 1] : 0
      // What is not a number would stay for ever.
      let left = samples[place]
      var value = SIMD2(left.isFinite ? Double(left) : 0, right.isFinite ? Double(right) : 0)
      value = sections.1.pass(sections.0.pass(value))
      samples[place] = Float(value.x)
      if channels == 2 { samples[place + 1] = Float(value.y) }
    }
  }
}
