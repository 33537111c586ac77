/// Functions that give the same bits on every machine: only IEEE 754 basic operations, which every processor rounds
/// alike. The C library's `sin` and `exp` may differ in the last place between versions and architectures.
enum ExactMath {
  /// Sine of `turns` full circles; error below 1e−15.
  static func sine(turns: Double) -> Double {
    var part = turns - (turns + 0.5).rounded(.down)
    if part > 0.25 { part = 0.5 - part } else if part < -0.25 { part = -0.5 - part }
    let angle = 2 * Double.pi * part
    let square = angle * angle
    // Taylor series by Horner's rule; at a quarter turn the first term left out is below 1e−17.
    var sum = 1.0
    var order = 20.0
    while order >= 2 {
      sum = 1 - square / (order * (order + 1)) * sum
      order -= 2
    }
    return angle * sum
  }

  static func cosine(turns: Double) -> Double { sine(turns: turns + 0.25) }

  /// e to the power of `exponent`, for |exponent| up to some 50.
  static func exponential(_ exponent: Double) -> Double {
    let small = exponent / 1024
    var sum = 1.0
    var order = 8.0
    while order >= 1 {
      sum = 1 + small / order * sum
      order -= 1
    }
    for _ in 0..<10 { sum *= sum }
    return sum
  }

  /// A well-mixed 64-bit value of `input` (the output function of SplitMix64, Steele, Lea, Flood 2014).
  static func mix(_ input: UInt64) -> UInt64 {
    var value = input &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A value evenly spread over −1 ..< 1, decided by `input` alone.
  static func spread(_ input: UInt64) -> Double {
    Double(Int64(bitPattern: mix(input)) >> 11) / 4_503_599_627_370_496
  }
}

/// A small seeded generator: the same sequence on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    let value = ExactMath.mix(state)
    state &+= 0x9E37_79B9_7F4A_7C15
    return value
  }

  /// A value in the range, evenly spread.
  mutating func value(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) / 9_007_199_254_740_992
  }
}
