internal import Glibc

/// Functions that filters are designed with.
enum SineMath {
  /// cos(πx).
  static func cosine(_ x: Double) -> Double { cos(Double.pi * x) }

  /// sin(πx)/(πx).
  static func sinc(_ x: Double) -> Double {
    abs(x) < 1e-9 ? 1 : sin(Double.pi * x) / (Double.pi * x)
  }

  /// The modified Bessel function of the first kind and order 0, by its series (Abramowitz and Stegun 9.6.12).
  static func bessel(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    for index in 1...40 {
      term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
      sum += term
    }
    return sum
  }
}
