/// Bits of a NAL unit, most significant first. What lies behind the end is 0, and `isOver` tells.
struct BitReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int
  private let end: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex * 8
    end = bytes.endIndex * 8
  }

  var isOver: Bool { place > end }

  mutating func next() -> Int {
    defer { place = min(place + 1, end + 1) }
    guard place < end else { return 0 }
    return Int(bytes[place / 8] >> UInt8(7 - place % 8)) & 1
  }

  mutating func flag() -> Bool { next() == 1 }

  mutating func skip(_ count: Int) { for _ in 0..<count { _ = next() } }

  /// u(n) of H.264, 7.2, at most 32 bits.
  mutating func number(_ bits: Int) -> Int { (0..<bits).reduce(0) { value, _ in value << 1 | next() } }

  /// ue(v) of H.264, 9.1, at most 32 bits.
  mutating func exponential() -> Int {
    var zeros = 0
    while zeros < 32, next() == 0 {
      zeros += 1
      if isOver { return 0 }
    }
    return (1 << zeros | number(zeros)) - 1
  }

  /// se(v) of H.264, 9.1.1.
  mutating func signedExponential() -> Int {
    let code = exponential()
    return code % 2 == 1 ? (code + 1) / 2 : -(code / 2)
  }
}
