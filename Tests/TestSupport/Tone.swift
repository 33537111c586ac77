import Foundation

/// What tests ask of a tone.
public enum Tone {
  /// Its frequency in Hz, from the places between samples where it rises through zero.
  public static func frequency(of samples: ArraySlice<Float>, sampleRate: Double = 48_000) -> Double {
    var crossings: [Double] = []
    for index in samples.indices.dropFirst() {
      let (before, after) = (samples[index - 1], samples[index])
      if before < 0, after >= 0 { crossings.append(Double(index) + Double(before / (before - after)) - 1) }
    }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return sampleRate * Double(crossings.count - 1) / (last - first)
  }

  /// Amplitude of a frequency in samples, under a window (Nuttall's, whose side lobes are below -98 dB with four terms).
  public static func amplitude(_ samples: ArraySlice<Float>, _ hertz: Double, _ rate: Int) -> Double {
    var (real, imaginary, weight) = (0.0, 0.0, 0.0)
    let count = Double(samples.count)
    for (index, sample) in samples.enumerated() {
      let x = 2 * Double.pi * Double(index) / count
      let window = 0.3635819 - 0.4891775 * cos(x) + 0.1365995 * cos(2 * x) - 0.0106411 * cos(3 * x)
      let angle = 2 * Double.pi * hertz * Double(index) / Double(rate)
      real += Double(sample) * window * cos(angle)
      imaginary += Double(sample) * window * sin(angle)
      weight += window
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / weight
  }
}
