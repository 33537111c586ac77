import Hardware
import JSON
import Testing

@testable import Library

/// Takes and clips are kept alike: trash, undo, protection, numbers.
@Suite("A library of takes and clips")
struct ClipsInLibraryTests {
  private static let receipt = Array(#"{"protected":false,"stopReason":"post-roll","durationSeconds":2}"#.utf8)

  /// Makes a clip as the storer does.
  private func make(_ bench: Bench, bytes: [UInt8] = [1, 2, 3]) throws -> String {
    let clips = bench.library.clips
    let (id, file) = try clips.begin(createdAt: bench.clock.wallNow, receipt: Array("{\"inProgress\":true}".utf8))
    try FakeDoctor.write(bytes, file, at: 0)
    try file.sync()
    file.close()
    try clips.complete(id, receipt: Self.receipt)
    return id
  }

  @Test(arguments: ["DSCN0042.AVI", "MOV001.MPG", "tape.wmv", "stream.flv"])
  func `What cameras and other programs call a film is listed, whatever is in it`(name: String) {
    #expect(ClipPath.isFilm(name))
  }

  @Test func `A deleted clip comes back with its name and receipt for ten seconds`() throws {
    let bench = try Bench.opened()
    let id = try make(bench)
    let before = bench.storage.nodes.filter { $0.key.hasPrefix("clips/") }.mapValues(\.bytes)
    try bench.library.delete(id, now: .zero)
    #expect(bench.library.clips.list().total == 0)
    #expect(bench.library.undoable == [id])
    #expect(bench.storage.names(in: "clips") == [])
    #expect(try bench.library.undelete() == id)
    #expect(bench.library.clips.summary(id)?.stopReason == "post-roll")
    #expect(bench.storage.nodes.filter { $0.key.hasPrefix("clips/") }.mapValues(\.bytes) == before)
    try bench.library.delete(id, now: .zero)
    bench.settle(now: Instant(nanoseconds: 10_000_000_000))
    #expect(bench.storage.names(in: "trash") == [])
    #expect(throws: LibraryError.self) { try bench.library.undelete() }
  }

  @Test func `The next delete empties the trash, whichever kind it is of`() throws {
    let bench = try Bench.opened()
    let take = try bench.record()
    let clip = try make(bench)
    try bench.library.delete(clip, now: .zero)
    try bench.library.delete(take, now: .zero)
    #expect(bench.storage.names(in: "trash").allSatisfy { $0.hasPrefix("000001_") })
    #expect(try bench.library.undelete() == take)
    #expect(bench.library.clips.list().total == 0)
    #expect(try make(bench).hasPrefix("000003_"))
  }

  @Test(arguments: [false, true]) func `A crash at any call of delete and undelete loses no clip`(powerCut: Bool) throws
  {
    func day(_ bench: Bench, _ told: (Bool?) -> Void) throws {
      let id = try make(bench)
      told(true)
      told(nil)
      try bench.library.delete(id, now: .zero)
      try bench.library.undelete()
      told(true)
    }
    let whole = try Bench.opened()
    try day(whole) { _ in }
    for call in 1...whole.storage.calls {
      let bench = Bench()
      bench.storage.disaster = (.kill, at: call)
      var isThere: Bool? = false
      do {
        try bench.open()
        try day(bench) { isThere = $0 }
      } catch {}
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      let clips = again.library.clips.list().clips
      if isThere == true { #expect(clips.count == 1, "stopped at call \(call)") }
      // One that is there is there with its receipt; of one that is not, nothing is left.
      let names = again.storage.names(in: "clips").filter { $0.hasSuffix(".mp4") || $0.hasSuffix(".json") }
      #expect(names.count == 2 * clips.count, "stopped at call \(call): \(names)")
      if isThere == nil { #expect(clips.allSatisfy { $0.stopReason == "post-roll" }, "stopped at call \(call)") }
      #expect(again.storage.names(in: "trash") == [], "stopped at call \(call)")
    }
  }

  @Test(arguments: [false, true]) func `A stall at any call only delays`(countsReads: Bool) throws {
    func day(_ bench: Bench) throws -> [String] {
      try bench.open()
      let id = try make(bench)
      try bench.retrying { () throws(LibraryError) in try bench.library.delete(id, now: .zero) }
      try bench.retrying { () throws(LibraryError) in try bench.library.undelete() }
      try bench.retrying { () throws(LibraryError) in try bench.library.protect(id, true) }
      return bench.storage.nodes.keys.sorted()
    }
    // Making a clip is the storer's to try again; here only what comes after it stalls.
    let storage = MemoryStorage()
    storage.countsReads = countsReads
    let first = Bench(storage)
    try first.open()
    _ = try make(first)
    let made = storage.calls
    let whole = MemoryStorage()
    whole.countsReads = countsReads
    let expected = try day(Bench(whole))
    for call in (made + 1)...whole.calls {
      let storage = MemoryStorage()
      storage.countsReads = countsReads
      storage.disaster = (.stall, at: call)
      #expect(try day(Bench(storage)) == expected, "stalled at call \(call)")
    }
  }

  @Test func `What is protected cannot be deleted, and that is said`() throws {
    let bench = try Bench.opened()
    let take = try bench.record()
    let clip = try make(bench)
    for id in [take, clip] {
      try bench.library.protect(id, true)
      let error = #expect(throws: LibraryError.protected(id)) { try bench.library.delete(id, now: .zero) }
      #expect(error?.code == "busy")
      #expect(error?.description.contains("is protected") == true)
    }
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.summary(take)?.isProtected == true)
    #expect(try again.library.show(take).isProtected)
    #expect(again.library.clips.summary(clip)?.isProtected == true)
    #expect(again.library.report.known == 1)
    for id in [take, clip] {
      try again.library.protect(id, false)
      try again.library.delete(id, now: .zero)
    }
    #expect(throws: LibraryError.notFound("nothing")) { try again.library.protect("nothing", true) }
  }

  @Test func `A clip that is being recorded cannot be deleted`() throws {
    let bench = try Bench.opened()
    let (id, _) = try bench.library.clips.begin(createdAt: bench.clock.wallNow, receipt: Self.receipt)
    #expect(throws: LibraryError.busy(id)) { try bench.library.delete(id, now: .zero) }
  }

  @Test func `To make room the trash goes first, and what is protected or from elsewhere never`() throws {
    let storage = MemoryStorage()
    storage.makeAll(["clips"])
    storage.plant("clips/Holiday.mp4", [UInt8](repeating: 1, count: 100))
    let bench = try Bench.opened(storage)
    let oldest = try make(bench)
    let kept = try make(bench)
    try bench.library.protect(kept, true)
    let deleted = try make(bench)
    try bench.library.delete(deleted, now: .zero)
    storage.free = 0
    _ = try make(bench)
    #expect(storage.names(in: "trash") == [])
    #expect(storage.nodes["clips/\(oldest)"] == nil)
    #expect(storage.nodes["clips/\(kept)"] != nil)
    #expect(storage.nodes["clips/Holiday.mp4"]?.bytes.count == 100)
  }

  @Test func `Where a clip that goes makes no room, no other goes`() throws {
    let bench = try Bench.opened()
    let ids = try [make(bench), make(bench), make(bench), make(bench)]
    bench.storage.free = 0
    _ = try make(bench)
    #expect(ids.map { bench.storage.nodes["clips/\($0)"] == nil } == [true, false, false, false])
  }

  @Test func `A clip from elsewhere is protected without touching the JSON that lies beside it`() throws {
    let storage = MemoryStorage()
    storage.makeAll(["clips"])
    storage.plant("clips/Holiday.mp4", [1])
    storage.plant("clips/Holiday.json", [7])
    let bench = try Bench.opened(storage)
    try bench.library.protect("Holiday.mp4", true)
    #expect(storage.nodes["clips/Holiday.json"]?.bytes == [7])
    #expect(try Bench.opened(storage.reboot()).library.clips.summary("Holiday.mp4")?.isProtected == true)
  }

  @Test func `Of a take and a clip of one name that is deleted and protected which is meant`() throws {
    let storage = MemoryStorage()
    storage.makeAll(["recordings", "clips"])
    storage.plant("recordings/IMG_1.mp4", FakeDoctor.complete(frames: 5))
    storage.plant("clips/IMG_1.mp4", FakeDoctor.complete(frames: 7))
    let bench = try Bench.opened(storage)
    try bench.library.protect("IMG_1.mp4", true, isClip: true)
    #expect(bench.library.summary("IMG_1.mp4")?.isProtected == false)
    #expect(bench.library.clips.summary("IMG_1.mp4")?.isProtected == true)
    try bench.library.protect("IMG_1.mp4", false, isClip: true)
    try bench.library.delete("IMG_1.mp4", isClip: true, now: .zero)
    #expect(bench.library.summary("IMG_1.mp4") != nil && bench.library.clips.list().total == 0)
    #expect(bench.storage.names(in: "clips") == [])
    try bench.library.undelete()
    try bench.library.delete("IMG_1.mp4", now: .zero)
    #expect(bench.library.summary("IMG_1.mp4") == nil && bench.library.clips.list().total == 1)
  }

  @Test func `What goes for good takes no file of its name along that was deleted after it`() throws {
    let storage = MemoryStorage()
    storage.makeAll(["recordings", "clips"])
    for name in ["IMG_1.mp4", "IMG_2.mp4"] { storage.plant("recordings/\(name)", FakeDoctor.complete(frames: 5)) }
    storage.plant("clips/IMG_1.mp4", FakeDoctor.complete(frames: 7))
    let bench = try Bench.opened(storage)
    try bench.library.delete("IMG_1.mp4", now: .zero)
    try bench.library.delete("IMG_2.mp4", joining: true, now: .zero)
    try bench.library.delete("IMG_1.mp4", now: .zero)
    bench.settle()
    #expect(bench.library.undoable == ["IMG_1.mp4"])
    try bench.library.undelete()
    #expect(storage.nodes["clips/IMG_1.mp4"]?.bytes == FakeDoctor.complete(frames: 7))
    #expect(storage.names(in: "trash") == [])
  }

  @Test func `A clip that somebody has opened beside the sealed one goes without its receipt`() throws {
    let bench = try Bench.opened()
    let clips = bench.library.clips
    let (id, file) = try clips.begin(createdAt: bench.clock.wallNow, receipt: Array("{}".utf8), isSealed: true)
    try FakeDoctor.write([1], file, at: 0)
    file.close()
    let receipt = Array(#"{"id":"\#(id)","stopReason":"post-roll","durationSeconds":2}"#.utf8)
    try clips.complete(id, receipt: receipt)
    let opened = String(id.dropLast(4))
    bench.storage.plant("clips/\(opened)", [1, 2, 3])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(throws: LibraryError.self) { try again.library.protect(opened, true) }
    again.library.clips.retention.quotaBytes = 0
    try again.library.clips.makeRoom()
    #expect(again.storage.nodes["clips/\(opened)"]?.bytes == [1, 2, 3])
    let other = try Bench.opened(bench.storage.reboot())
    try other.library.delete(opened, now: .zero)
    try other.library.emptyTrash()
    #expect(other.storage.names(in: "clips").sorted() == [Sidecar.name(id), id])
    #expect(other.library.clips.summary(id)?.stopReason == "post-roll")
  }

  @Test(arguments: ["film.mp4", "000001_2026-11-20T21-54-00Z.mp4"])
  func `A film from elsewhere takes no room of the quota, and no clip goes for it`(name: String) throws {
    let storage = MemoryStorage()
    storage.makeAll(["recordings", "clips"])
    storage.plant("clips/\(name)", [UInt8](repeating: 1, count: 900))
    let bench = try Bench.opened(storage)
    bench.settle()
    bench.library.clips.retention.quotaBytes = 6
    var made = try (0..<2).map { _ in try make(bench) }
    #expect(made.allSatisfy { storage.nodes["clips/\($0)"] != nil })
    made.append(try make(bench))
    #expect(storage.nodes["clips/\(made.removeFirst())"] == nil)
    #expect((made + [name]).allSatisfy { storage.nodes["clips/\($0)"] != nil })
  }

  @Test(
    arguments: [
      (#"{"protected":true,"stopReason":"post-roll"}"#, nil), (#"{"title":"others"}"#, 100),
      (#"{"protected":true}"#, 100),
    ] as [(String, Int?)])
  func `After a start no clip goes for what is protected, or others', and of which the name alone is known`(
    receipt: String, quota: Int?
  ) throws {
    let bench = try Bench.opened()
    let made = try (0..<3).map { _ in try make(bench) }
    let large = "000009_2026-11-20T21-54-00Z.mp4"
    bench.storage.plant("clips/\(large)", [UInt8](repeating: 1, count: 900))
    bench.storage.plant("clips/\(Sidecar.name(large))", Array(receipt.utf8))
    let again = try Bench.opened(bench.storage.reboot())
    again.storage.free = 10
    again.library.clips.retention.reserveBytes = 500
    again.library.clips.retention.quotaBytes = quota
    _ = try make(again)
    #expect(made.allSatisfy { again.storage.nodes["clips/\($0)"] != nil })
  }

  @Test func `Clips are searched by name`() throws {
    let bench = try Bench.opened()
    let first = try make(bench)
    _ = try make(bench)
    #expect(bench.library.clips.list(query: "000001 2026").clips.map(\.id) == [first])
    #expect(bench.library.clips.list(offset: 1).clips.map(\.id) == [first])
    #expect(bench.library.clips.list(query: "nothing").total == 0)
  }
}
