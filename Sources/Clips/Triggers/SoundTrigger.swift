internal import Hardware

/// A trigger by the level of the sound: its peak over 50 ms. Pure.
///
/// It fires when the level passes the threshold, and again only after it has been 6 dB below it for a second.
struct SoundTrigger {
  /// dBFS; `nil`: off.
  var thresholdDBFS: Double?
  private var isLoud = false
  private var quietSince: Instant?

  private static let hysteresisDB = 6.0
  private static let calm = Duration.seconds(1)

  /// Takes in the peak of a stretch of sound.
  ///
  /// - Parameters:
  ///   - peak: 0…1 and beyond.
  ///   - time: of the stretch's loudest sample, or its end.
  /// - Returns: whether it is a trigger.
  mutating func add(peak: Float, at time: Instant) -> Bool {
    guard let thresholdDBFS else {
      isLoud = false
      quietSince = nil
      return false
    }
    let threshold = amplitude(thresholdDBFS)
    if peak >= threshold {
      quietSince = nil
      defer { isLoud = true }
      return !isLoud
    }
    guard isLoud, peak < amplitude(thresholdDBFS - Self.hysteresisDB) else {
      quietSince = nil
      return false
    }
    let since = quietSince ?? time
    quietSince = since
    if time - since >= Self.calm { isLoud = false }
    return false
  }

  private func amplitude(_ decibels: Double) -> Float { Float(exponential(decibels / 20)) }
}

/// 10 to the power of `exponent`, by the standard library alone.
private func exponential(_ exponent: Double) -> Double {
  var result = 1.0
  var rest = max(-10, min(2, exponent)) * 2.302_585_092_994_046
  // e^x = (e^(x/64))^64; the series of so small an argument is exact after a few terms.
  rest /= 64
  var term = 1.0
  for index in 1...8 {
    term *= rest / Double(index)
    result += term
  }
  for _ in 0..<6 { result *= result }
  return result
}
