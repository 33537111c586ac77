import TestSupport

/// Ogg as pages (RFC 3533): granule positions, serial and sequence numbers, lacing, order; checksums are right again
/// afterwards, or nobody would read further.
enum PageForm {
  static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    var pages = parse(bytes)
    guard !pages.isEmpty, !dice.chance(10) else { return BytesForm.mutate(&bytes, &dice, others: others) }
    for _ in 0...dice.below(3) where !pages.isEmpty {
      let index = dice.below(pages.count)
      switch dice.below(10) {
      case 0...2: put(&pages[index], at: 6, width: 8, &dice)
      case 3: put(&pages[index], at: dice.chance(2) ? 14 : 18, width: 4, &dice)
      case 4: pages[index][5] = UInt8(dice.below(8))
      case 5: pages.remove(at: index)
      case 6: for _ in 0...dice.below(20) { pages.insert(pages[index], at: dice.below(pages.count + 1)) }
      case 7: pages.swapAt(index, dice.below(pages.count))
      default:
        // What is in it: heads of Opus, Vorbis and FLAC lie on the first pages.
        let body = 27 + Int(pages[index][26])
        guard body < pages[index].count else { break }
        put(
          &pages[index], at: body + dice.below(min(64, pages[index].count - body)), width: [1, 2, 4][dice.below(3)],
          &dice)
      }
    }
    bytes = pages.flatMap { sealed($0) }
    if dice.chance(8) { bytes.removeLast(dice.below(max(1, bytes.count))) }
  }

  private static func put(_ page: inout [UInt8], at place: Int, width: Int, _ dice: inout SeededGenerator) {
    BytesForm.putNumber(&page, at: place, width: width, &dice)
  }

  private static func parse(_ bytes: [UInt8]) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    var place = 0
    while place + 27 <= bytes.count, bytes[place..<place + 4].elementsEqual("OggS".utf8) {
      let body = place + 27 + Int(bytes[place + 26])
      guard body <= bytes.count else { break }
      let end = bytes[(place + 27)..<body].reduce(body) { $0 + Int($1) }
      guard end <= bytes.count else { break }
      pages.append(Array(bytes[place..<end]))
      place = end
    }
    return pages
  }

  private static func sealed(_ page: [UInt8]) -> [UInt8] {
    var page = page
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    var crc: UInt32 = 0
    for byte in page {
      crc ^= UInt32(byte) << 24
      for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
    }
    page.replaceSubrange(22..<26, with: (0..<4).map { UInt8(truncatingIfNeeded: crc >> UInt32(8 * $0)) })
    return page
  }
}
