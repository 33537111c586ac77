/// What libswresample is asked for wherever the program converts rates: a sinc under Kaiser's window. As it comes, its filter
/// has images at -12 dB.
public enum RateKernel: Sendable {
  /// Flat to 0.01 dB up to 0.9 of the lower Nyquist frequency, and nothing above -105 dB from there on.
  case steep
  /// Its transition goes from half the lower Nyquist frequency to one and a half.
  case wide

  /// Samples of the lower rate that it spans. Nothing may fold into a lower rate; on the way up the pass band alone has images.
  func span(isUp: Bool) -> Int { self == .wide ? 16 : isUp ? 72 : 128 }

  /// Where it is down by 6 dB, of the lower Nyquist frequency; libswresample obeys it on the way down only.
  private var edge: Double { self == .wide ? 1 : 0.945 }

  /// Kaiser's β for 110 dB: 0.1102 · (110 − 8.7) (Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5).
  private static let beta = 11.163

  /// Options of a context of libswresample.
  public func options(isUp: Bool) -> [(name: String, value: Double)] {
    [("filter_size", Double(span(isUp: isUp))), ("cutoff", edge), ("kaiser_beta", Self.beta)]
  }
}
