import TestSupport

/// FLAC as blocks of metadata and frames (RFC 9639): their fields, sizes, numbers and order; the checksums of frames are
/// right again afterwards, or nobody would believe them.
enum FrameForm {
  static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    guard bytes.count > 42, !dice.chance(8) else { return BytesForm.mutate(&bytes, &dice, others: others) }
    var places = frames(bytes)
    let front = places.first ?? bytes.count
    for _ in 0...dice.below(3) where front < bytes.count {
      switch dice.below(10) {
      // STREAMINFO, and how far a file of ours is claimed.
      case 0...3:
        let place = dice.chance(2) ? 46 + dice.below(6) * 4 : 4 + dice.below(38)
        BytesForm.putNumber(&bytes, at: place, width: [2, 4, 8][dice.below(3)], &dice)
      case 4: BytesForm.putNumber(&bytes, at: dice.below(front), width: [1, 2, 4][dice.below(3)], &dice)
      case 5...7 where !places.isEmpty:
        let index = dice.below(places.count)
        let end = index + 1 < places.count ? places[index + 1] : bytes.count
        // Sizes, rates, channels and the number of the frame.
        let place = places[index] + 2 + dice.below(4)
        if place < end {
          bytes[place] = UInt8(truncatingIfNeeded: EdgeNumbers.number(near: UInt64(bytes[place]), &dice))
        }
        if end <= bytes.count { seal(&bytes, places[index]..<end) }
      case 8 where !places.isEmpty:
        let first = places[dice.below(places.count)]
        let copy = Array(bytes[first..<min(bytes.count, first + 4096)])
        bytes.insert(contentsOf: copy, at: places[dice.below(places.count)])
        places = frames(bytes)
      default: bytes.removeLast(dice.below(bytes.count - min(front, bytes.count - 1)))
      }
      places.removeAll { $0 >= bytes.count }
      guard bytes.count > 80 else { return }
    }
  }

  /// Where frames begin, as far as two bytes tell.
  private static func frames(_ bytes: [UInt8]) -> [Int] {
    bytes.indices.dropLast(16).filter { $0 >= 42 && bytes[$0] == 0xFF && bytes[$0 + 1] & 0xFE == 0xF8 }
  }

  private static func seal(_ bytes: inout [UInt8], _ frame: Range<Int>) {
    // What was cut off before can have left a frame its first bytes.
    guard frame.count > 4 else { return }
    let number = bytes[frame.lowerBound + 4]
    let digits = number < 0x80 ? 1 : max(1, (~number).leadingZeroBitCount)
    let sizes = bytes[frame.lowerBound + 2] >> 4
    let rate = bytes[frame.lowerBound + 2] & 15
    let extra = (sizes == 6 ? 1 : sizes == 7 ? 2 : 0) + (rate == 12 ? 1 : rate == 13 || rate == 14 ? 2 : 0)
    let end = frame.lowerBound + 4 + digits + extra
    guard end + 3 < frame.upperBound else { return }
    bytes[end] = UInt8(truncatingIfNeeded: crc(bytes[frame.lowerBound..<end], 0x07, bits: 8))
    let body = crc(bytes[frame.lowerBound..<(frame.upperBound - 2)], 0x8005, bits: 16)
    bytes[frame.upperBound - 2] = UInt8(truncatingIfNeeded: body >> 8)
    bytes[frame.upperBound - 1] = UInt8(truncatingIfNeeded: body)
  }

  private static func crc(_ bytes: ArraySlice<UInt8>, _ polynomial: UInt32, bits: Int) -> UInt32 {
    var sum: UInt32 = 0
    let top: UInt32 = 1 << UInt32(bits - 1)
    for byte in bytes {
      sum ^= UInt32(byte) << UInt32(bits - 8)
      for _ in 0..<8 { sum = sum & top != 0 ? sum << 1 ^ polynomial : sum << 1 }
    }
    return sum & (top << 1 &- 1)
  }
}
