/// Random numbers that are the same in every run and on every machine (SplitMix64; Steele, Lea, Flood 2014).
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to below a bound, cheaply: the bias does not matter to tests.
  public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % max(1, bound) }

  /// True once in `count` throws.
  public mutating func chance(_ count: Int) -> Bool { below(count) == 0 }

  public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  /// One of the elements; the fallback if there are none.
  public mutating func pick<Element>(_ elements: [Element], or fallback: Element) -> Element {
    elements.isEmpty ? fallback : elements[below(elements.count)]
  }

  /// Text that is unpleasant to draw and to parse.
  public mutating func text(upTo length: Int) -> String {
    let letters = Array("abcXYZ 0189_-.,йЩЖñß∞…e\u{301}🎤\u{0}\n")
    return String((0..<below(length + 1)).map { _ in pick(letters, or: "a") })
  }
}
