import Hardware
import Testing

@testable import Library

@Suite("The ring's copy on the storage")
struct ClipSpoolTests {
  @Test func `A piece whose receipt could not be written goes with the others`() throws {
    let storage = MemoryStorage()
    storage.directories.insert("cache")
    let spool = ClipSpool(storage: storage)
    let time = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    let first = try spool.begin(createdAt: time, receipt: [0x7B, 0x7D])
    try spool.complete(first.id, receipt: [0x7B, 0x7D], seconds: 10)
    storage.failure = .full
    storage.failingSuffix = ".json"
    #expect(throws: StorageError.self) { try spool.begin(createdAt: time, receipt: [0x7B, 0x7D]) }
    storage.failure = nil
    #expect(storage.nodes.keys.count { $0.hasSuffix(".mp4") } == 2)
    try spool.clear()
    #expect(storage.nodes.isEmpty)
    // The next one begins as if nothing had been.
    let next = try spool.begin(createdAt: time, receipt: [0x7B, 0x7D])
    try spool.complete(next.id, receipt: [0x7B, 0x7D], seconds: 10)
    #expect(storage.nodes.count == 2)
  }

  @Test func `Short pieces leave those before them as far as the ring reaches back`() throws {
    let storage = MemoryStorage()
    storage.directories.insert("cache")
    let spool = ClipSpool(storage: storage)
    spool.seconds = 20
    let time = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    var kept: [Int] = []
    for seconds in [20, 1, 1.5, 18, 20, 20] {
      let piece = try spool.begin(createdAt: time, receipt: [0x7B, 0x7D])
      try spool.complete(piece.id, receipt: [0x7B, 0x7D], seconds: seconds)
      kept.append(storage.nodes.keys.count { $0.hasSuffix(".mp4") })
    }
    #expect(kept == [1, 2, 3, 3, 1, 1])
  }
}
