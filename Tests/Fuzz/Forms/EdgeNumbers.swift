import TestSupport

/// Numbers at which arithmetic, conversions and allocations break.
enum EdgeNumbers {
  private static let known: [UInt64] = [
    0, 1, 2, 3, 7, 8, 9, 255, 256, 1023, 1024, 4096, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 85_000_000, 0x7FFF_FFFE,
    0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000, 1 << 40, 1 << 48, (1 << 50) - 1, 1 << 50,
    (1 << 53) - 1, 1 << 53, (1 << 53) + 1, 1 << 62, 0x7FFF_FFFF_FFFF_FFFE, 0x7FFF_FFFF_FFFF_FFFF,
    0x8000_0000_0000_0000, 0x8000_0000_0000_0001, 0xFFFF_FFFF_FFFF_FFFE, 0xFFFF_FFFF_FFFF_FFFF,
  ]
  private static let written: [String] = [
    "-1", "-0", "0.0", "1e308", "1e309", "-1e308", "5e-324", "1e19", "9223372036854775808", "18446744073709551616",
    "99999999999999999999999999", "0x7fffffff", "1.7976931348623157e308", "NaN", "Infinity", "00", "1_000", "+1", ".5",
    "1e-400", "-9223372036854775808", "-9223372036854775809", "0.999999999999999999999", "9007199254740993.0", "",
  ]

  /// One that is an edge by itself, or a neighbour of what was there.
  static func number(near value: UInt64 = 0, _ dice: inout SeededGenerator) -> UInt64 {
    switch dice.below(8) {
    case 0: value &+ UInt64(dice.below(17)) &- 8
    case 1: (value << 1) &+ UInt64(dice.below(3)) &- 1
    case 2: 0 &- value
    case 3, 4: (UInt64(1) << UInt64(dice.below(64))) &+ UInt64(dice.below(3)) &- 1
    default: dice.pick(known, or: 0)
    }
  }

  /// As people and programs write them.
  static func text(_ dice: inout SeededGenerator) -> String {
    switch dice.below(4) {
    case 0: dice.pick(written, or: "0")
    case 1: String(Int64(bitPattern: number(&dice)))
    default: String(number(&dice))
    }
  }
}
