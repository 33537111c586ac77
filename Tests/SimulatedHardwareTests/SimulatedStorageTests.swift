import Foundation
import Hardware
import LinuxHardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Simulated storage")
struct SimulatedStorageTests {
  private let clock = VirtualClock()

  private func make() -> (storage: SimulatedStorage, medium: MemoryStorage) {
    let medium = MemoryStorage(clock: clock)
    return (SimulatedStorage(wrapping: medium, clock: clock), medium)
  }

  private func write(_ bytes: [UInt8], at offset: Int, to file: any StoredFile) throws {
    try bytes.withUnsafeBytes { try file.write($0, at: offset) }
  }

  @Test("Without faults it is the storage it wraps")
  func passesThrough() throws {
    let (storage, _) = make()
    try storage.makeDirectory("recordings/deep")
    let file = try storage.create("recordings/a.wav")
    try write([1, 2, 3], at: 2, to: file)
    try file.truncate(to: 4)
    try file.sync()
    #expect(file.size == 4)
    file.close()
    #expect(try storage.read("recordings/a.wav", limit: 10) == [0, 0, 1, 2])
    #expect(storageError { _ = try storage.read("recordings/a.wav", limit: 3) }?.kind == .failed)
    #expect(storageError { _ = try storage.create("recordings/a.wav") }?.kind == .alreadyExists)
    #expect(storageError { _ = try storage.create("nowhere/a.wav") }?.kind == .notFound)
    #expect(storageError { _ = try storage.create("../a.wav") }?.kind == .denied)
    try storage.replace("recordings/b.json", with: [7])
    try storage.rename("recordings/a.wav", to: "recordings/c.wav")
    #expect(storageError { try storage.rename("recordings/b.json", to: "recordings/c.wav") }?.kind == .alreadyExists)
    #expect(try storage.list("recordings").map(\.name) == ["b.json", "c.wav", "deep"])
    #expect(try storage.entry("recordings/c.wav").size == 4)
    try storage.remove("recordings/c.wav")
    #expect(storageError { try storage.remove("recordings/c.wav") }?.kind == .notFound)
    #expect(storageError { _ = try storage.list("none") }?.kind == .notFound)
  }

  @Test("Full refuses growth and new files, and still takes small metadata and overwriting")
  func full() throws {
    let (storage, _) = make()
    let file = try storage.create("take")
    try write([1, 2, 3, 4], at: 0, to: file)
    storage.setFull(true)
    #expect(storageError { try write([9, 9], at: 3, to: file) }?.kind == .full)
    #expect(file.size == 4)
    try write([8, 8], at: 0, to: file)
    try file.sync()
    #expect(storageError { _ = try storage.create("other") }?.kind == .full)
    try storage.replace("settings.json", with: [1])
    #expect(try storage.space().free == 0)
    storage.setFull(false)
    try write([5], at: 4, to: file)
    #expect(try storage.read("take", limit: 10) == [8, 8, 3, 9, 5])
  }

  @Test("Limited space writes what fits and then is full")
  func limited() throws {
    let (storage, _) = make()
    let file = try storage.create("take")
    storage.limitFreeSpace(to: 5)
    try write([1, 2, 3], at: 0, to: file)
    #expect(try storage.space().free == 2)
    #expect(storageError { try write([4, 5, 6], at: 3, to: file) }?.kind == .full)
    #expect(file.size == 5)
  }

  @Test("A stalled medium says until when, does nothing, and then goes on")
  func stall() throws {
    let (storage, _) = make()
    let file = try storage.create("take")
    storage.stall(.seconds(10), at: clock.now)
    clock.advance(to: .at(9.9))
    #expect(storageError { try write([1], at: 0, to: file) }?.kind == .stalled(until: .at(10)))
    #expect(storageError { try file.sync() }?.kind == .stalled(until: .at(10)))
    #expect(file.size == 0)
    #expect(try storage.list("").count == 1)
    clock.advance(to: .at(10))
    try write([1], at: 0, to: file)
  }

  @Test("A power cut takes back what was not synced: contents, sizes, entries")
  func powerCut() throws {
    let (storage, medium) = make()
    let kept = try storage.create("kept")
    try write(Array(1...100), at: 0, to: kept)
    try kept.sync()
    let forgotten = try storage.create("forgotten")
    try storage.syncDirectory("")
    try write([1], at: 0, to: forgotten)
    try write([0, 0, 0], at: 50, to: kept)
    try kept.truncate(to: 20)
    try write([5, 5, 5, 5], at: 18, to: kept)
    try kept.truncate(to: 500)
    kept.close()
    let unborn = try storage.create("unborn")
    try write([3], at: 0, to: unborn)
    try unborn.sync()
    // Replacement, renaming and removal are durable on return, and with them the entries beside them.
    try storage.makeDirectory("other")
    let moved = try storage.create("other/old")
    try write([1, 2], at: 0, to: moved)
    try moved.sync()
    try write([3, 4], at: 2, to: moved)
    try storage.rename("other/old", to: "other/new")
    try storage.replace("other/settings", with: [9])
    let late = try storage.create("other/late")
    try late.sync()
    try storage.cutPower()
    #expect(try medium.read("kept", limit: 1000) == Array(1...100))
    #expect(try medium.read("forgotten", limit: 10) == [])
    #expect(storageError { _ = try medium.read("unborn", limit: 10) }?.kind == .notFound)
    #expect(try medium.read("other/new", limit: 10) == [1, 2])
    #expect(try medium.read("other/settings", limit: 10) == [9])
    #expect(storageError { _ = try medium.read("other/late", limit: 10) }?.kind == .notFound)
    #expect(storageError { _ = try storage.list("") }?.kind == .failed)
    #expect(storageError { try write([1], at: 0, to: moved) }?.kind == .failed)
  }

  @Test("A removed or replaced file's open handle goes on without a name, and a cut leaves the new file alone")
  func nameless() throws {
    let (storage, medium) = make()
    let old = try storage.create("a")
    try write([1, 2, 3], at: 0, to: old)
    try storage.replace("a", with: [7])
    try write([4], at: 3, to: old)
    #expect(old.size == 4)
    let gone = try storage.create("b")
    try storage.remove("b")
    try write([1], at: 0, to: gone)
    gone.close()
    let scratch = try storage.scratch()
    try write([1], at: 0, to: scratch)
    try storage.cutPower()
    #expect(try medium.read("a", limit: 10) == [7])
    #expect(try medium.list("").map(\.name) == ["a"])
  }

  @Test("What a closed handle left unsynced is taken back, unless another handle synced it")
  func closedHandles() throws {
    for syncs in [false, true] {
      let (storage, medium) = make()
      let first = try storage.create("a")
      try write([1], at: 0, to: first)
      try first.sync()
      try storage.syncDirectory("")
      try write([2], at: 1, to: first)
      first.close()
      let second = try storage.open("a", writable: true)
      if syncs { try second.sync() }
      second.close()
      try storage.cutPower()
      #expect(try medium.read("a", limit: 10) == (syncs ? [1, 2] : [1]))
    }
  }

  @Test("A scratch file that was written is given back when it is closed")
  func scratch() throws {
    let directory = TemporaryFolder()
    let storage = SimulatedStorage(wrapping: try FileStorage(root: directory.path, reserveBytes: 0), clock: clock)
    func held() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        return target?.hasPrefix("\(directory.path)/") == true
      }
    }
    let file = try storage.scratch()
    try write([1, 2, 3], at: 0, to: file)
    #expect(try held() == 1)
    file.close()
    #expect(try held() == 0)
  }

  @Test("A cut that keeps some leaves what was synced and only sectors that were written, the same for a seed")
  func partialCut() throws {
    var outcomes: Set<[UInt8]> = []
    for seed in UInt64(0)..<40 {
      var results: [[UInt8]] = []
      for _ in 0..<2 {
        let (storage, medium) = make()
        let file = try storage.create("take")
        try write([UInt8](repeating: 1, count: 2048), at: 0, to: file)
        try file.sync()
        try storage.syncDirectory("")
        for part in 0..<8 {
          try write([UInt8](repeating: UInt8(part + 2), count: 1024), at: 2048 + part * 1024, to: file)
        }
        try storage.cutPower(.someKept(seed: seed))
        results.append(try medium.read("take", limit: 1 << 20))
      }
      #expect(results[0] == results[1])
      #expect(results[0].prefix(2048).allSatisfy { $0 == 1 })
      for (index, byte) in results[0].enumerated().dropFirst(2048) {
        #expect(byte == 0 || Int(byte) == (index - 2048) / 1024 + 2)
      }
      outcomes.insert(results[0])
    }
    #expect(outcomes.count > 20)
  }

  @Test("Any stream of writes, syncs and truncations, cut anywhere, leaves exactly the last synced state")
  func randomCuts() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      let (storage, medium) = make()
      let file = try storage.create("take")
      try storage.syncDirectory("")
      var model: [UInt8] = []
      var durable: [UInt8] = []
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        switch Int.random(in: 0...5, using: &random) {
        case 0:
          try file.sync()
          durable = model
        case 1:
          let size = Int.random(in: 0...3000, using: &random)
          try file.truncate(to: size)
          model = Array(model.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - model.count))
        default:
          let offset = Int.random(in: 0...2000, using: &random)
          let bytes = (0..<Int.random(in: 1...900, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
          }
          try write(bytes, at: offset, to: file)
          let end = offset + bytes.count
          model += [UInt8](repeating: 0, count: max(0, end - model.count))
          model.replaceSubrange(offset..<end, with: bytes)
        }
        #expect(file.size == model.count)
      }
      try storage.cutPower()
      #expect(try medium.read("take", limit: 1 << 20) == durable)
    }
  }
}
