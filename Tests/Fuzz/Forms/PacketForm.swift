import TestSupport

/// MPEG-TS as packets of 188 bytes: heads, adaptation fields, tables (their checksum is right again), time stamps of PES.
enum PacketForm {
  private static let bytesEach = 188

  static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    guard bytes.count >= bytesEach, bytes[0] == 0x47, !dice.chance(10) else {
      return BytesForm.mutate(&bytes, &dice, others: others)
    }
    var packets = stride(from: 0, to: bytes.count - bytesEach + 1, by: bytesEach).map {
      Array(bytes[$0..<$0 + bytesEach])
    }
    for _ in 0...dice.below(3) where !packets.isEmpty {
      let index = dice.below(dice.chance(2) ? min(4, packets.count) : packets.count)
      switch dice.below(10) {
      case 0: BytesForm.putNumber(&packets[index], at: 1 + dice.below(3), width: 1, &dice)
      case 1:
        // An adaptation field with a clock.
        packets[index][3] |= 0x20
        packets[index][4] = UInt8(truncatingIfNeeded: EdgeNumbers.number(near: UInt64(packets[index][4]), &dice))
        BytesForm.putNumber(&packets[index], at: 6, width: 4, &dice)
      case 2...4:
        if !changeStamp(&packets[index], &dice) {
          BytesForm.putNumber(&packets[index], at: 4 + dice.below(40), width: [1, 2, 4][dice.below(3)], &dice)
        }
      case 5: packets.remove(at: index)
      case 6: for _ in 0...dice.below(20) { packets.insert(packets[index], at: dice.below(packets.count + 1)) }
      case 7: packets.swapAt(index, dice.below(packets.count))
      default: BytesForm.putNumber(&packets[index], at: 4 + dice.below(180), width: [1, 2, 4][dice.below(3)], &dice)
      }
      if packets.indices.contains(index), !dice.chance(4) { seal(&packets[index]) }
    }
    bytes = packets.flatMap { $0 }
    if dice.chance(8) { bytes.removeLast(dice.below(max(1, bytes.count))) }
  }

  /// Gives a PES head another time.
  private static func changeStamp(_ packet: inout [UInt8], _ dice: inout SeededGenerator) -> Bool {
    let start = (4..<120).first {
      packet[$0] == 0 && packet[$0 + 1] == 0 && packet[$0 + 2] == 1 && packet[$0 + 3] >= 0xBC
    }
    guard let start, packet[start + 7] & 0x80 != 0 else { return false }
    let time = dice.chance(2) ? EdgeNumbers.number(&dice) : dice.next()
    let field: [UInt8] = [
      UInt8(0x21 | (time >> 29 & 0x0E)), UInt8(truncatingIfNeeded: time >> 22),
      UInt8(truncatingIfNeeded: time >> 14) | 1,
      UInt8(truncatingIfNeeded: time >> 7), UInt8(truncatingIfNeeded: time << 1) | 1,
    ]
    packet.replaceSubrange(start + 9..<start + 14, with: field)
    return true
  }

  /// Puts the right checksum behind a PAT or PMT in one packet.
  private static func seal(_ packet: inout [UInt8]) {
    guard packet[1] & 0x40 != 0, packet[3] & 0x20 == 0 else { return }
    let start = 5 + Int(packet[4])
    guard start + 3 < packet.count, packet[start] == 0 || packet[start] == 2 else { return }
    let end = start + 3 + (Int(packet[start + 1] & 0x0F) << 8 | Int(packet[start + 2]))
    guard end <= packet.count, end - start > 8 else { return }
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in packet[start..<end - 4] {
      crc ^= UInt32(byte) << 24
      for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
    }
    packet.replaceSubrange(end - 4..<end, with: (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32(24 - 8 * $0)) })
  }
}
