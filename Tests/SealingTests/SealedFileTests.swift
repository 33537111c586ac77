import Hardware
import TestSupport
import Testing

@testable import Sealing

/// A writer as the formats are: it appends, has the last of it written anew, and a number in its head.
struct GrowingText {
  let file: SealedFile
  private(set) var text: [UInt8]
  private(set) var version: UInt8 = 0
  /// Version of the head and length when it was synced; and what has been written since.
  private(set) var durable = (version: UInt8(0), size: 0)

  static let headBytes = 16

  init(_ file: SealedFile) throws {
    self.file = file
    text = [UInt8](repeating: 0, count: Self.headBytes)
    try file.write(text, at: 0)
  }

  mutating func append(_ bytes: [UInt8]) throws {
    try file.write(bytes, at: text.count)
    text += bytes
  }

  /// Writes what is behind a place again, differently.
  mutating func change(from place: Int) throws {
    let bytes = text[place...].map { $0 ^ 0x55 }
    try file.write(bytes, at: place)
    text.replaceSubrange(place..., with: bytes)
  }

  mutating func head() throws {
    version += 1
    text.replaceSubrange(0..<Self.headBytes, with: [UInt8](repeating: version, count: Self.headBytes))
    try file.write(text, 0..<Self.headBytes, at: 0)
  }

  mutating func sync(settled: Int) throws {
    file.settle(to: settled)
    try file.sync()
    durable = (version, text.count)
  }
}

@Suite struct SealedFileTests {
  let age: AgeTool

  init() throws { age = try AgeTool() }

  @Test(arguments: [0, 1, 16, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 200_000, 1_000_000])
  func `age opens what was sealed`(size: Int) throws {
    let memory = MemoryFile()
    let file = SealedFile(memory, for: [age.recipient, try AgeTool().recipient])
    var random = SeededGenerator(seed: UInt64(size))
    let text = random.bytes(size)
    var place = 0
    while place < size {
      let count = min(size - place, 1 + random.below(90_000))
      try file.write(text, place..<place + count, at: place)
      place += count
      file.settle(to: place)
      if random.chance(2) { try file.sync() }
    }
    #expect(file.size == size)
    try file.seal()
    #expect(file.storedBytes == memory.size)
    #expect(try age.opened(memory.bytes) == text)
    let own = try SealedText.all(memory.bytes, age.identities)
    #expect(own.text == text)
    #expect(own.condition == .whole)
  }

  @Test(arguments: [0, 5, 65_536, 65_537, 300_000])
  func `what age has sealed is opened`(size: Int) throws {
    var random = SeededGenerator(seed: UInt64(size))
    let text = random.bytes(size)
    let found = try SealedText.all(try age.sealed(text), age.identities)
    #expect(found.text == text)
    #expect(found.condition == .whole)
  }

  /// Every change of the file is a place for a power cut, and each place is tried in several ways.
  @Test(arguments: [(50, 3_000, 400), (25, 30_000, 2_000), (6, 250_000, 0), (40, 9_000, 60_000), (8, 60_000, 200_000)])
  func `what was synced is there whenever the power goes`(steps: Int, most: Int, unsettled: Int) throws {
    var random = SeededGenerator(seed: UInt64(most))
    let file = CuttableFile()
    let sealed = SealedFile(file, for: [age.recipient])
    var writer = try GrowingText(sealed)
    var promises: [(change: Int, version: UInt8, size: Int)] = []
    for _ in 0..<steps {
      for _ in 0...random.below(3) { try writer.append(random.bytes(1 + random.below(most))) }
      let settled = max(0, writer.text.count - random.below(unsettled + 1))
      try writer.head()
      try writer.sync(settled: settled)
      promises.append((file.changes.count, writer.durable.version, writer.durable.size))
    }
    sealed.beginEnd()
    for _ in 0..<12 { try writer.append(random.bytes(80_000)) }
    try writer.head()
    try sealed.sync()
    promises.append((file.changes.count, writer.version, writer.text.count))
    try sealed.seal()
    #expect(try age.opened(file.memory.bytes) == writer.text)

    for count in 0...file.changes.count {
      for _ in 0..<2 {
        let bytes = file.cut(at: count, &random)
        let promise = promises.last { $0.change <= count } ?? (0, 0, 0)
        guard promise.size > 0 else { continue }
        let found = try SealedText.all(bytes, age.identities)
        let head = found.text.prefix(GrowingText.headBytes)
        #expect(found.text.count >= promise.size, "cut at \(count) of \(file.changes.count)")
        #expect(Set(head).count == 1 && (head.first ?? 0) >= promise.version, "cut at \(count)")
        #expect(isBeginning(found.text, of: writer.text, from: GrowingText.headBytes))
        // What lacks only its first chunk, or the cut behind its last, is completed without the key.
        let completed = MemoryFile(bytes)
        if try SealedEnding.complete(completed) {
          #expect(try SealedText.all(completed.bytes, age.identities).condition == .whole)
          if count % 7 == 0 { #expect(try age.opened(completed.bytes) == writer.text) }
        }
      }
    }
  }

  @Test func `the end of what is not settled can be written anew`() throws {
    var random = SeededGenerator(seed: 5)
    let file = CuttableFile()
    let sealed = SealedFile(file, for: [age.recipient])
    var writer = try GrowingText(sealed)
    for _ in 0..<30 {
      let place = writer.text.count
      try writer.append(random.bytes(1 + random.below(60_000)))
      try writer.sync(settled: place)
      try writer.change(from: place)
      try writer.sync(settled: place)
    }
    try sealed.seal()
    #expect(try age.opened(file.memory.bytes) == writer.text)
    var first = writer.text
    first[0] ^= 1
    #expect(throws: StorageError.self) { try sealed.write(first, at: 0) }
  }

  @Test func `a chunk is sealed once, whatever the storage refuses`() throws {
    for seed in 0..<40 {
      var random = SeededGenerator(seed: UInt64(seed))
      let file = CuttableFile()
      let sealed = SealedFile(file, for: [age.recipient])
      var writer = try GrowingText(sealed)
      file.memory.budget = random.below(900_000)
      var isFull = false
      var durable = 0
      for _ in 0..<20 where !isFull {
        do {
          try writer.append(random.bytes(random.below(100_000)))
          try writer.head()
          try writer.sync(settled: writer.text.count)
          durable = writer.text.count
        } catch { isFull = true }
      }
      // As it is left, what was synced is there.
      if durable > 0 { #expect(try SealedText.all(file.memory.bytes, age.identities).text.count >= durable) }
      file.memory.budget = nil
      try writer.head()
      try sealed.seal()
      #expect(try age.opened(file.memory.bytes) == writer.text)
      // At the place of each chunk behind the first was one chunk only: equal, as far as it was written.
      let start = file.memory.size - writer.text.count - (writer.text.count - 1) / 65_536 * 16 - 16
      var chunks: [Int: [UInt8]] = [:]
      for case .write(let bytes, let offset) in file.changes where bytes.count <= 65_552 {
        let index = (offset - start) / 65_552
        guard index > 0, (offset - start) % 65_552 == 0, !bytes.starts(with: SealLog.mark) else { continue }
        let known = chunks[index] ?? []
        #expect(zip(known, bytes).allSatisfy { $0 == $1 })
        if bytes.count > known.count { chunks[index] = bytes }
      }
    }
  }

  @Test func `stalls change nothing`() throws {
    var random = SeededGenerator(seed: 11)
    let memory = MemoryFile()
    let sealed = SealedFile(memory, for: [age.recipient])
    var text: [UInt8] = []
    func insist(_ work: () throws -> Void) throws {
      memory.stalls = random.below(4)
      while true {
        do { return try work() } catch let error as StorageError {
          guard case .stalled = error.kind else { throw error }
        }
      }
    }
    for _ in 0..<60 {
      let bytes = random.bytes(random.below(90_000))
      try insist { try sealed.write(bytes, at: text.count) }
      text += bytes
      sealed.settle(to: text.count)
      try insist { try sealed.sync() }
    }
    try insist { try sealed.seal() }
    #expect(try age.opened(memory.bytes) == text)
  }

  /// As the card leaves it when the power goes behind a moment in which it took nothing.
  @Test func `what was synced after the storage refused something is there`() throws {
    var random = SeededGenerator(seed: 21)
    let memory = MemoryFile()
    let sealed = SealedFile(memory, for: [age.recipient])
    var text: [UInt8] = []
    for round in 0..<120 {
      let bytes = random.bytes(1_000 + random.below(round % 20 == 0 ? 150_000 : 2_000))
      try sealed.write(bytes, at: text.count)
      text += bytes
      sealed.settle(to: text.count)
      if round % 5 == 3 {
        memory.budget = random.below(bytes.count)
        #expect(throws: StorageError.self) { try sealed.sync() }
        memory.budget = nil
      }
      try sealed.sync()
      #expect(try SealedText.all(memory.bytes, age.identities).text == text, "after \(round)")
    }
    try sealed.seal()
    #expect(try age.opened(memory.bytes) == text)
  }

  @Test func `tables in a scratch file cannot be read`() throws {
    let memory = MemoryFile()
    let scratch = VeiledScratch(memory)
    let text = [UInt8](repeating: 7, count: 10_000)
    try scratch.write(text, 0..<333, at: 0)
    try scratch.write(text, 333..<10_000, at: 333)
    #expect(try scratch.bytes(at: 0, count: 10_000) == text)
    #expect(try scratch.bytes(at: 4_321, count: 77) == Array(text.prefix(77)))
    #expect(Set(memory.bytes).count > 200)
  }
}
