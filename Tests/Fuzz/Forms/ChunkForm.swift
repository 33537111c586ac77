import TestSupport

/// RIFF and RF64 as a list of chunks: their fields, sizes and order are changed.
enum ChunkForm {
  private struct Chunk {
    var type: [UInt8]
    var content: [UInt8]
    var claimed: UInt32?
  }

  private static let types = ["fmt ", "data", "ds64", "JUNK", "bext", "cue ", "LIST", "fact", "smpl", "id3 ", "PAD "]

  static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    guard bytes.count >= 12, bytes[8..<12].elementsEqual("WAVE".utf8), !dice.chance(8) else {
      return BytesForm.mutate(&bytes, &dice, others: others)
    }
    var head = Array(bytes.prefix(12))
    var chunks = parse(bytes.dropFirst(12))
    for _ in 0...dice.below(3) where !chunks.isEmpty {
      let index = dice.below(chunks.count)
      switch dice.below(12) {
      case 0...4:
        let place = BytesForm.place(in: max(1, chunks[index].content.count), &dice)
        BytesForm.putNumber(&chunks[index].content, at: place & ~1, width: [2, 4, 8][dice.below(3)], &dice)
      case 5:
        chunks[index].claimed = UInt32(
          truncatingIfNeeded: EdgeNumbers.number(near: UInt64(chunks[index].content.count), &dice))
      case 6: chunks.remove(at: index)
      case 7: for _ in 0...dice.below(300) { chunks.insert(chunks[index], at: index) }
      case 8: chunks.swapAt(index, dice.below(chunks.count))
      case 9: chunks[index].type = Array(dice.pick(types, or: "data").utf8)
      case 10: head.replaceSubrange(0..<4, with: Array((dice.chance(2) ? "RF64" : "RIFF").utf8))
      default: BytesForm.putNumber(&head, at: 4, width: 4, &dice)
      }
    }
    bytes = head + chunks.flatMap { write($0) }
    if dice.chance(6) { bytes.removeLast(dice.below(bytes.count)) }
  }

  private static func parse(_ bytes: ArraySlice<UInt8>) -> [Chunk] {
    var chunks: [Chunk] = []
    var place = bytes.startIndex
    while place + 8 <= bytes.endIndex {
      let size = (0..<4).reduce(0) { $0 | Int(bytes[place + 4 + $1]) << (8 * $1) }
      let end = min(bytes.endIndex, place + 8 + size)
      var chunk = Chunk(type: Array(bytes[place..<place + 4]), content: Array(bytes[place + 8..<end]))
      if end - place - 8 != size { chunk.claimed = UInt32(truncatingIfNeeded: size) }
      chunks.append(chunk)
      place = min(bytes.endIndex, end + size & 1)
    }
    return chunks
  }

  private static func write(_ chunk: Chunk) -> [UInt8] {
    let size = chunk.claimed ?? UInt32(truncatingIfNeeded: chunk.content.count)
    let field = (0..<4).map { UInt8(truncatingIfNeeded: size >> UInt32(8 * $0)) }
    return chunk.type + field + chunk.content + (chunk.content.count & 1 == 1 ? [0] : [])
  }
}
