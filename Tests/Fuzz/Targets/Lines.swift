import Hardware
import TestSupport

@testable import Console

extension FuzzTarget {
  /// What a stranger's sender says by ZMODEM: bytes as they are, or, behind a first byte that is odd, headers and data that
  /// get the right sums. What comes of it is a piece in order, of a file with a name and a length; the storage keeps up, is
  /// behind, or refuses.
  static let zmodem = FuzzTarget("zmodem", .bytes, make: { Lines.valid(&$0) }) { bytes in
    let line = Lines.line(bytes)
    var receiver = ZmodemReceiver()
    var there: [String: Int] = [:]
    for place in stride(from: 0, to: line.count, by: 1500) {
      receiver.receive(Array(line[place..<min(line.count, place + 1500)]))
      guard receiver.output().count <= 80 * 1500 else { return "it answers more than it is told" }
      if place % 4000 == 0 { receiver.remind() }
      while case .piece(let piece) = receiver.need {
        guard piece.total > 0, !piece.name.isEmpty, piece.offset >= 0, piece.bytes.count <= 1 << 18 else {
          return "\(piece.name), \(piece.total), \(piece.offset), \(piece.bytes.count)"
        }
        guard piece.offset + piece.bytes.count <= piece.total else { return "more of \(piece.name) than it has" }
        let before = there["\(piece.total) \(piece.name)"] ?? 0
        guard piece.bytes.isEmpty || piece.offset == before else { return "from \(piece.offset), not \(before)" }
        if piece.name.utf8.count % 7 == 6 { receiver.refuse("no") }
        // The storage is behind.
        if piece.name.utf8.count % 5 == 4, place % 6000 != 0 { break }
        let now = before + piece.bytes.count
        there["\(piece.total) \(piece.name)"] = now == piece.total ? 0 : now
        receiver.kept(now, id: now == piece.total ? piece.name : nil)
      }
      if case .nothing = receiver.need { return nil }
    }
    return nil
  }
}

private enum Lines {
  private static let endings: [ZmodemWire.Ending] = [.last, .more, .moreTold, .waits]

  static func line(_ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.first, first & 1 == 1 else { return Array(bytes.dropFirst()) }
    var writer = ZmodemWire.Writer()
    writer.hasLongSums = first & 2 == 2
    var rest = bytes.dropFirst()
    while let kind = rest.popFirst() {
      let place = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      guard place.count == 4, let kind = ZmodemWire.Kind(rawValue: kind) else { continue }
      writer.put(ZmodemWire.Header(kind, place))
      guard [.file, .data, .signature, .command].contains(kind) else { continue }
      var isLast = false
      while !isLast, let length = rest.popFirst(), let ending = rest.popFirst() {
        let data = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        let how = endings[Int(ending) % endings.count]
        writer.put(data, how)
        isLast = how == .last || how == .waits
      }
    }
    return writer.take()
  }

  static func valid(_ dice: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = [dice.chance(2) ? 1 : 3, 0, 0, 0, 0, 0]
    for number in 0..<Int.random(in: 1...3, using: &dice) {
      let total = Int.random(in: 1...600, using: &dice)
      let offer = Array("take \(number).wav".utf8) + [0] + Array("\(total) 0 100644 0 1 \(total)".utf8) + [0]
      bytes += [4, 0, 0, 0, 1, UInt8(offer.count), 3] + offer
      bytes += [10, 0, 0, 0, 0]
      for place in stride(from: 0, to: total, by: 200) {
        let count = min(200, total - place)
        bytes += [UInt8(count), place + count == total ? 0 : UInt8.random(in: 1...2, using: &dice)]
        bytes += (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }
      }
      bytes += [11, UInt8(total & 0xFF), UInt8(total >> 8), 0, 0]
    }
    return bytes + [8, 0, 0, 0, 0]
  }
}
