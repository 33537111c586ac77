/// The kernel of the steep step of a `RateFilter`, in samples of the lower rate.
///
/// Flat to 0.01 dB up to 0.9 of the lower Nyquist frequency, and down by 105 dB from that frequency on. A window of the same
/// steepness has to be as exact where sound passes as where it must not (Kaiser's needs 144 samples for 110 dB); this one is
/// chosen for both (`Scripts/steep-kernel`), which spares a third of the work.
enum SteepKernel {
  /// Samples of the lower rate that it spans.
  static let span = 96

  /// Its value `x` samples of the lower rate from the middle; 0 outside of the span.
  static func value(_ x: Double) -> Double {
    guard abs(2 * x) <= Double(span) else { return 0 }
    // A sum of cosines of multiples of one angle, by Clenshaw's recurrence.
    let cosine = SineMath.cosine(2 * x / Double(span))
    var (one, next) = (0.0, 0.0)
    for weight in cosines.dropFirst().reversed() { (one, next) = (weight + 2 * cosine * one - next, one) }
    return (cosines[0] + cosine * one - next) / Double(span)
  }

  /// Weights of the cosines that turn 0, 1, 2… times over the span.
  private static let cosines: [Double] = [
    1.000000000, 1.997779611, 2.002306622, 1.997737257, 2.002161006, 1.997961567, 2.001880832, 1.998295110,
    2.001498981, 1.998717693, 2.001036925, 1.999209457, 2.000517628, 1.999748139, 1.999970807, 2.000301549,
    1.999423120, 2.000840974, 1.998903961, 2.001336239, 1.998443623, 2.001756960, 1.998071892, 2.002074131,
    1.997816241, 2.002262144, 1.997699598, 2.002301199, 1.997737809, 2.002179995, 1.997936842, 2.001898643,
    1.998290525, 2.001472728, 1.998777499, 2.000945557, 1.999333301, 2.000390251, 1.999851793, 1.999956291,
    2.000117425, 2.000061283, 1.999160292, 2.002196319, 1.823484764, 1.073610982, 0.290198953, 0.022116811,
    0.000010594, -0.000010593, 0.000001290, 0.000006448, -0.000008852,
  ]
}
