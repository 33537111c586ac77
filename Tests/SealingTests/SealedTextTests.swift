import Hardware
import TestSupport
import Testing

@testable import Sealing

@Suite struct SealedTextTests {
  let age: AgeTool
  let text: [UInt8]
  let sealed: [UInt8]
  let start: Int
  private static let slot = 65_552

  init() throws {
    age = try AgeTool()
    var random = SeededGenerator(seed: 3)
    text = random.bytes(65_536 * 4 + 777)
    sealed = try age.sealed(text)
    start = sealed.count - text.count - 5 * 16
  }

  @Test func `other keys open nothing`() throws {
    let other = try AgeTool()
    #expect(throws: SealedFailure.otherKey) { try SealedText.all(sealed, other.identities) }
    #expect(throws: SealedFailure.notSealed) { try SealedText.all(text, age.identities) }
  }

  @Test func `changed chunks are found, and so is what was cut, swapped, left out or added`() throws {
    for place in [start + 5, start + Self.slot, start + 3 * Self.slot - 1, sealed.count - 1] {
      var changed = sealed
      changed[place] ^= 1
      let found = try? SealedText.all(changed, age.identities)
      // Of a short last chunk nobody can say whether it was changed or cut.
      #expect(found == nil || found?.condition == .cutOff && place == sealed.count - 1, "at \(place)")
      #expect(try age.opened(changed) == nil)
    }
    func chunk(_ index: Int) -> ArraySlice<UInt8> {
      sealed[(start + index * Self.slot)..<min(sealed.count, start + (index + 1) * Self.slot)]
    }
    let head = Array(sealed[..<start])
    let swapped = head + chunk(0) + chunk(2) + chunk(1) + chunk(3) + chunk(4)
    let shortened = head + chunk(0) + chunk(1) + chunk(3) + chunk(4)
    let forgeries: [[UInt8]] = [swapped, shortened, sealed + [0], sealed + chunk(4)]
    for forged in forgeries {
      let found = try? SealedText.all(forged, age.identities)
      #expect(found == nil || found?.condition != .whole)
    }
    #expect(throws: SealedFailure.changed(at: 65_536)) { try SealedText.all(swapped, age.identities) }
    for end in [start + Self.slot, start + 2 * Self.slot, start + 2 * Self.slot + 100, sealed.count - 3] {
      let found = try SealedText.all(Array(sealed[..<end]), age.identities)
      #expect(found.condition == .cutOff)
      #expect(found.text.elementsEqual(text.prefix((end - start) / Self.slot * 65_536)))
    }
  }

  /// What can be had of a file, and where it was changed first.
  private func rest(_ bytes: [UInt8]) throws -> (text: [UInt8], changedAt: Int?, condition: SealedText.Condition) {
    var sealed = try SealedText(MemoryFile(bytes), age.identities)
    var text: [UInt8] = []
    do throws(SealedFailure) { while let piece = try sealed.next() { text += piece } } catch {
      guard case .changed(let place) = error else { throw error }
      return (text, place, sealed.condition)
    }
    return (text, nil, sealed.condition)
  }

  private func withGap(_ text: [UInt8], _ chunk: Int) -> [UInt8] {
    var text = text
    text.replaceSubrange(chunk * 65_536..<(chunk + 1) * 65_536, with: [UInt8](repeating: 0, count: 65_536))
    return text
  }

  @Test func `a wrong bit in a finished one costs its chunk, and nothing behind it`() throws {
    for chunk in 0..<4 {
      var bytes = sealed
      bytes[start + chunk * Self.slot + 1_000] ^= 4
      let found = try rest(bytes)
      #expect(found.text == withGap(text, chunk) && found.changedAt == chunk * 65_536, "in \(chunk)")
      // Its end is missing, too.
      let cut = try rest(Array(bytes[..<(start + 4 * Self.slot)]))
      if chunk < 3 {
        #expect(cut.text.elementsEqual(withGap(text, chunk).prefix(4 * 65_536)) && cut.changedAt == chunk * 65_536)
      }
    }
  }

  /// One that the power cut off, with what is left of runs of the log between and behind its chunks.
  @Test func `a wrong bit in one that was cut off costs its chunk, and nothing behind it`() throws {
    var random = SeededGenerator(seed: 7)
    let long = random.bytes(65_536 * 9 + 4_321)
    let memory = MemoryFile()
    let file = SealedFile(memory, for: [age.recipient])
    for piece in stride(from: 0, to: long.count, by: 20_000) {
      let end = min(piece + 20_000, long.count)
      try file.write(long, piece..<end, at: piece)
      file.settle(to: end)
      try file.sync()
    }
    let whole = try rest(memory.bytes)
    #expect(whole.text == long && whole.changedAt == nil && whole.condition == .unfinished)
    let first = try #require(AgeHead.read(Array(memory.bytes.prefix(AgeHead.mostBytes)))).count + AgeHead.nonceBytes
    for chunk in 0..<8 {
      var bytes = memory.bytes
      bytes[first + chunk * Self.slot + random.below(Self.slot)] ^= 1 << UInt8(random.below(8))
      let found = try rest(bytes)
      #expect(found.text == withGap(long, chunk) && found.changedAt == chunk * 65_536, "in \(chunk)")
      #expect(found.condition == .unfinished)
    }
    // In the log: no more than what no chunk has yet.
    for _ in 0..<40 {
      var bytes = memory.bytes
      let place = first + 9 * Self.slot + random.below(bytes.count - first - 9 * Self.slot)
      bytes[place] ^= 1 << UInt8(random.below(8))
      let found = try rest(bytes)
      let gap = found.changedAt ?? found.text.count
      #expect(gap >= 9 * 65_536 && isBeginning(Array(found.text.prefix(gap)), of: long))
      #expect(found.text.count == (found.changedAt == nil ? gap : long.count))
    }
  }

  /// Its head is in it.
  @Test func `one wrong bit in the first chunk is put right, and told`() throws {
    let draft = MemoryFile()
    let file = SealedFile(draft, for: [age.recipient])
    try file.write(text, at: 0)
    file.settle(to: text.count)
    try file.sync()
    try file.write(text, 0..<4, at: 0)
    try file.sync()
    let short = try age.sealed(Array(text.prefix(900)))
    for (whole, expected) in [(sealed, text), (draft.bytes, text), (short, Array(text.prefix(900)))] {
      let first = try #require(AgeHead.read(Array(whole.prefix(AgeHead.mostBytes)))).count + AgeHead.nonceBytes
      var bytes = whole
      bytes[first + 300] ^= 16
      var sealed = try SealedText(MemoryFile(bytes), age.identities, mends: true)
      var found: [UInt8] = []
      #expect(throws: SealedFailure.changed(at: 0)) { while let piece = try sealed.next() { found += piece } }
      #expect(found == expected)
    }
  }

  /// Most of a take of a low bit rate may be in records of the log.
  @Test func `a wrong bit in the log costs its record, and nothing behind it`() throws {
    var random = SeededGenerator(seed: 8)
    let memory = MemoryFile()
    let file = SealedFile(memory, for: [age.recipient])
    let long = random.bytes(30_000)
    for place in stride(from: 0, to: long.count, by: 1_000) {
      try file.write(long, place..<place + 1_000, at: place)
      file.settle(to: place + 1_000)
      try file.sync()
    }
    let records = memory.bytes.indices.filter { memory.bytes[$0...].starts(with: SealLog.mark) }
    try #require(records.count == 30)
    for (index, place) in records.enumerated() {
      var bytes = memory.bytes
      bytes[place + 40] ^= 1
      let found = try rest(bytes)
      let lost = index * 1_000..<(index + 1) * 1_000
      var expected = long
      expected.replaceSubrange(lost, with: [UInt8](repeating: 0, count: 1_000))
      // Whether the last one was changed or never there nobody can say.
      if index == 29 { expected.removeLast(1_000) }
      #expect(found.text == expected && found.changedAt == (index == 29 ? nil : lost.lowerBound), "in \(index)")
      #expect(found.condition == .unfinished)
    }
  }

  @Test func `a changed head is found`() throws {
    for place in 0..<start - 16 {
      var changed = sealed
      changed[place] ^= 1
      #expect(throws: SealedFailure.self, "at \(place)") { try SealedText.all(changed, age.identities) }
    }
  }

  @Test func `nothing that is damaged is read as whole, and nothing traps`() throws {
    let memory = MemoryFile()
    let file = SealedFile(memory, for: [age.recipient])
    for piece in stride(from: 0, to: text.count, by: 9_999) {
      try file.write(text, piece..<min(piece + 9_999, text.count), at: piece)
      file.settle(to: piece)
      try file.sync()
    }
    var random = SeededGenerator(seed: 99)
    for round in 0..<300 {
      var bytes = round % 2 == 0 ? memory.bytes : sealed
      for _ in 0...random.below(4) {
        switch random.below(3) {
        case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
        case 1: bytes.removeLast(random.below(bytes.count / 2))
        default:
          let place = random.below(bytes.count)
          bytes.insert(contentsOf: random.bytes(random.below(40)), at: place)
        }
      }
      guard bytes != sealed, let found = try? SealedText.all(bytes, age.identities) else { continue }
      #expect(found.condition != .whole)
      #expect(isBeginning(found.text, of: text))
    }
  }
}

@Suite struct RecipientTests {
  @Test func `recipients are keys of age, and nothing else`() throws {
    let age = try AgeTool()
    let text = age.recipient.text
    #expect(AgeRecipient.list("") == [])
    #expect(AgeRecipient.list(" \(text) ,\(text)")?.count == 1)
    for wrong in [
      "age1", "x", text + "q", String(text.dropLast()), text.replacing("age1", with: "agf1"), "\(text),", ",",
    ] {
      #expect(AgeRecipient.list(wrong) == nil, "\(wrong)")
    }
    var letters = Array(text)
    letters[20] = letters[20] == "q" ? "p" : "q"
    #expect(AgeRecipient(String(letters)) == nil)
  }

  /// Points of low order, by an encoder of the test's own.
  @Test(arguments: [0, 1]) func `a point of low order is refused`(first: UInt8) {
    let point = [first] + [UInt8](repeating: 0, count: 31)
    let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
    var digits: [UInt8] = []
    var (value, bits) = (0, 0)
    for byte in point {
      (value, bits) = (value << 8 | Int(byte), bits + 8)
      while bits >= 5 {
        bits -= 5
        digits.append(UInt8(value >> bits & 31))
      }
      value &= 1 << bits - 1
    }
    digits.append(UInt8(value << (5 - bits) & 31))
    func polymod(_ values: [UInt8]) -> UInt32 {
      let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
      var sum: UInt32 = 1
      for value in values {
        let top = sum >> 25
        sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
        for bit in 0..<5 where top >> bit & 1 == 1 { sum ^= generator[bit] }
      }
      return sum
    }
    let head: [UInt8] = [3, 3, 3, 0, 1, 7, 5]
    let sum = polymod(head + digits + [0, 0, 0, 0, 0, 0]) ^ 1
    let check = (0..<6).map { UInt8(sum >> (25 - 5 * $0) & 31) }
    let text = "age1" + String((digits + check).map { alphabet[Int($0)] })
    #expect(Bech32.decode(text, prefix: "age") == point)
    #expect(AgeRecipient(text) == nil)
  }

  @Test func `files of keys are read`() throws {
    let age = try AgeTool()
    #expect(age.identities.count == 1)
    #expect(AgeIdentity.list("# nothing\n") == nil)
    #expect(AgeIdentity.list("AGE-SECRET-KEY-1QQQQ") == nil)
  }
}
