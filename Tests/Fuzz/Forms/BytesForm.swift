import TestSupport

/// Changes to bytes of which only this is known: some of them are numbers.
enum BytesForm {
  static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    guard !bytes.isEmpty else {
      bytes = dice.bytes(1 + dice.below(64))
      return
    }
    let place = Self.place(in: bytes.count, &dice)
    switch dice.below(12) {
    case 0: bytes[place] ^= 1 << UInt8(dice.below(8))
    case 1...5: putNumber(&bytes, at: place, width: [1, 2, 4, 8][dice.below(4)], &dice)
    case 6: bytes.removeSubrange(place..<min(bytes.count, place + 1 + dice.below(64)))
    case 7: bytes.removeLast(dice.below(bytes.count))
    case 8:
      let end = min(bytes.count, place + 1 + dice.below(256))
      let piece = bytes[place..<end]
      for _ in 0...dice.below(8) { bytes.insert(contentsOf: piece, at: place) }
    case 9: bytes.insert(contentsOf: dice.bytes(1 + dice.below(16)), at: place)
    case 10:
      let other = Self.place(in: bytes.count, &dice)
      let count = min(1 + dice.below(32), bytes.count - max(place, other))
      for offset in 0..<count { bytes.swapAt(place + offset, other + offset) }
    default:
      guard let donor = others.isEmpty ? nil : others[dice.below(others.count)], !donor.isEmpty else { return }
      let from = dice.below(donor.count)
      bytes.replaceSubrange(
        place..<min(bytes.count, place + dice.below(64)), with: donor[from..<min(donor.count, from + dice.below(512))])
    }
  }

  /// Half of them in the first 512 bytes, where heads are.
  static func place(in count: Int, _ dice: inout SeededGenerator) -> Int {
    dice.below(dice.chance(2) ? min(512, count) : count)
  }

  /// Writes an edge number in either byte order.
  static func putNumber(_ bytes: inout [UInt8], at place: Int, width: Int, _ dice: inout SeededGenerator) {
    guard place + width <= bytes.count else { return }
    let isLittle = dice.chance(2)
    func index(_ byte: Int) -> Int { place + (isLittle ? width - 1 - byte : byte) }
    let old = (0..<width).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[index($1)]) }
    let new = EdgeNumbers.number(near: old, &dice)
    for byte in 0..<width { bytes[index(byte)] = UInt8(truncatingIfNeeded: new >> UInt64(8 * (width - 1 - byte))) }
  }
}
