import TestSupport

/// MP4 as a tree of boxes (ISO 14496-12): their fields, sizes, counts and order are changed, and the sizes around them
/// are right again afterwards, so that the change is reached.
struct BoxForm {
  private struct Box {
    var type: [UInt8]
    /// Bytes before the children, or all of the content.
    var content: [UInt8]
    var children: [Box] = []
    var isWide = false
    /// A size that it claims instead of its own.
    var claimed: UInt64?
  }

  /// Bytes between a container's head and its children.
  private static let containers: [String: Int] = [
    "moov": 0, "trak": 0, "mdia": 0, "minf": 0, "stbl": 0, "edts": 0, "mvex": 0, "moof": 0, "traf": 0, "udta": 0,
    "dinf": 0, "ilst": 0, "mfra": 0, "meta": 4, "stsd": 8, "avc1": 78, "mp4v": 78, "mp4a": 28, "dref": 8, "tref": 0,
  ]
  private static let types = [
    "ftyp", "free", "mdat", "moov", "mvhd", "trak", "tkhd", "edts", "elst", "mdia", "mdhd", "hdlr", "minf", "stbl",
    "stsd", "stts", "ctts", "stss", "stsc", "stsz", "stz2", "stco", "co64", "sgpd", "sbgp", "mvex", "trex", "mehd",
    "moof", "mfhd", "traf", "tfhd", "tfdt", "trun", "saiz", "saio", "sidx", "emsg", "prft", "udta", "meta", "chpl",
    "avc1", "avcC", "mp4a", "esds", "mfra", "tfra", "mfro", "cmov", "dcom", "cmvd", "skip", "wide", "uuid", "pssh",
  ]
  private static let deepest = 12

  static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    guard var boxes = parse(bytes[...], depth: 0), !boxes.isEmpty else {
      return BytesForm.mutate(&bytes, &dice, others: others)
    }
    for _ in 0...dice.below(3) { change(&boxes, &dice, others, depth: 0) }
    bytes = boxes.flatMap { write($0) }
    if dice.chance(8) { BytesForm.mutate(&bytes, &dice, others: others) }
  }

  // MARK: Reading and writing

  /// `nil` unless the bytes are boxes from the first to the last; what is torn at the end is left out.
  private static func parse(_ bytes: ArraySlice<UInt8>, depth: Int) -> [Box]? {
    var boxes: [Box] = []
    var place = bytes.startIndex
    while place + 8 <= bytes.endIndex {
      var size = number(bytes, place, 4)
      var head = 8
      if size == 1, place + 16 <= bytes.endIndex {
        size = number(bytes, place + 8, 8)
        head = 16
      } else if size == 0 {
        size = UInt64(bytes.endIndex - place)
      }
      guard size >= UInt64(head), size <= UInt64(bytes.endIndex - place) else {
        guard depth == 0 else { return nil }
        break
      }
      let end = place + Int(size)
      var box = Box(type: Array(bytes[place + 4..<place + 8]), content: [], isWide: head == 16)
      let prefix = containers[String(decoding: box.type, as: UTF8.self)]
      if let prefix, depth < deepest, place + head + prefix <= end,
        let children = parse(bytes[(place + head + prefix)..<end], depth: depth + 1)
      {
        box.content = Array(bytes[(place + head)..<(place + head + prefix)])
        box.children = children
      } else {
        box.content = Array(bytes[(place + head)..<end])
      }
      boxes.append(box)
      place = end
    }
    return depth == 0 || place == bytes.endIndex ? boxes : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ place: Int, _ width: Int) -> UInt64 {
    bytes[place..<(place + width)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func big(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
  }

  private static func write(_ box: Box) -> [UInt8] {
    let inner = box.content + box.children.flatMap { write($0) }
    let size = box.claimed ?? UInt64(inner.count + (box.isWide ? 16 : 8))
    return box.isWide ? big(1, 4) + box.type + big(size, 8) + inner : big(size, 4) + box.type + inner
  }

  // MARK: Changing

  private static func change(_ boxes: inout [Box], _ dice: inout SeededGenerator, _ others: [[UInt8]], depth: Int) {
    guard !boxes.isEmpty else { return }
    let index = dice.below(boxes.count)
    // Mostly further down: there are more fields.
    if !boxes[index].children.isEmpty, !dice.chance(4) {
      return change(&boxes[index].children, &dice, others, depth: depth + 1)
    }
    switch dice.below(20) {
    case 0...8: changeField(&boxes[index], &dice)
    case 9: changeCount(&boxes[index], &dice)
    case 10: boxes.remove(at: index)
    case 11: for _ in 0...dice.below(4) { boxes.insert(boxes[index], at: dice.below(boxes.count)) }
    case 12: boxes.swapAt(index, dice.below(boxes.count))
    case 13: boxes[index].claimed = EdgeNumbers.number(near: UInt64(write(boxes[index]).count), &dice)
    case 14:
      boxes[index].isWide.toggle()
      if dice.chance(2) { boxes[index].claimed = EdgeNumbers.number(near: UInt64(boxes[index].content.count), &dice) }
    case 15: boxes[index].type = Array(dice.pick(types, or: "free").utf8)
    case 16:
      // More entries, or the same again.
      let box = boxes[index]
      guard box.content.count > 8 else { return }
      let piece = box.content.suffix(min(box.content.count - 8, 4 * (1 + dice.below(8))))
      for _ in 0...dice.below(64) { boxes[index].content += piece }
    case 17:
      for _ in 0...dice.below(40) { boxes[index] = Box(type: boxes[index].type, content: [], children: [boxes[index]]) }
    case 18: boxes[index].content.removeLast(dice.below(boxes[index].content.count + 1))
    default:
      guard !others.isEmpty, let donor = parse(others[dice.below(others.count)][...], depth: 0),
        let piece = pick(donor, &dice)
      else { return }
      boxes.insert(piece, at: dice.below(boxes.count + 1))
    }
  }

  private static func pick(_ boxes: [Box], _ dice: inout SeededGenerator) -> Box? {
    guard !boxes.isEmpty else { return nil }
    let box = boxes[dice.below(boxes.count)]
    return box.children.isEmpty || dice.chance(3) ? box : pick(box.children, &dice)
  }

  private static func changeField(_ box: inout Box, _ dice: inout SeededGenerator) {
    let count = box.content.count
    guard count > 0 else { return }
    let width = [1, 2, 4, 4, 4, 8, 8][dice.below(7)]
    var place = dice.below(min(count, dice.chance(2) ? 64 : count))
    // Fields lie on multiples of four behind the version and the flags.
    if width >= 4, !dice.chance(4) { place &= ~3 }
    guard place + width <= count else { return }
    let old = number(box.content[...], place, width)
    box.content.replaceSubrange(place..<place + width, with: big(EdgeNumbers.number(near: old, &dice), width))
    // A 64-bit field is only read as one in version 1.
    if width == 8, dice.chance(2) { box.content[0] = 1 }
  }

  /// The number of entries, without changing the entries.
  private static func changeCount(_ box: inout Box, _ dice: inout SeededGenerator) {
    let place = box.type == Array("stsz".utf8) ? 8 : 4
    guard box.content.count >= place + 4 else { return }
    let old = number(box.content[...], place, 4)
    box.content.replaceSubrange(place..<place + 4, with: big(EdgeNumbers.number(near: old, &dice), 4))
  }
}
