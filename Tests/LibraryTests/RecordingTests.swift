import Hardware
import TestSupport
import Testing

@testable import Library

@Suite struct RecordingTests {
  @Test func aTakeIsListedWithTrueMetadataAfterStop() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 96_000)
    #expect(id == "000001_2026-11-20T21-54-00Z.wav")
    let meta = try bench.library.show(id)
    #expect(meta.frames == 96_000)
    #expect(meta.audio.duration == 2)
    #expect(meta.audio.fileSizeBytes == 96_000 * 4 + 12)
    #expect(meta.stopReason == "user")
    #expect(!meta.inProgress)
    #expect(meta.bookmarks.map(\.title) == ["here"])
    #expect(bench.library.list().takes.map(\.id) == [id])
    #expect(try bench.faults() == [])
    #expect(
      bench.storage.names(in: "recordings") == [
        "000001_2026-11-20T21-54-00Z.json", "000001_2026-11-20T21-54-00Z.json.bak", id,
      ])
  }

  @Test func aTakeInProgressSaysSoOnTheStorage() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    let bytes = try #require(bench.storage.nodes["recordings/000001_2026-11-20T21-54-00Z.json"]).bytes
    #expect(try FileMeta(json: bytes, path: "x").inProgress)
    #expect(bench.library.summary(take.id)?.inProgress == true)
    #expect(throws: LibraryError.busy(take.id)) { try bench.library.delete(take.id, now: .zero) }
  }

  @Test func aNameGivenWhileRecordingSurvivesTheRecorder() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.library.rename(take.id, to: "Интервью")
    try bench.library.setTags(take.id, ["radio"])
    try bench.fill(take, FakeDoctor.complete(frames: 10))
    var meta = take.meta
    meta.frames = 10
    try bench.library.update(take.id, meta)
    try bench.library.complete(take.id, meta)
    let kept = try bench.library.show(take.id)
    #expect(kept.displayName == "Интервью")
    #expect(kept.userTags == ["radio"])
  }

  @Test func aClockThatFellBackTo1970DoesNotReuseANumber() throws {
    let bench = try Bench.opened()
    let first = try bench.record()
    bench.clock.wallNow = WallTime(nanosecondsSince1970: 0)
    let second = try bench.record()
    #expect(second == "000002_1970-01-01T00-00-00Z.wav")
    let again = try Bench.opened(bench.storage.reboot())
    again.clock.wallNow = WallTime(nanosecondsSince1970: 0)
    let third = try again.record()
    #expect(third == "000003_1970-01-01T00-00-00Z.wav")
    #expect(again.library.list().takes.map(\.id) == [third, second, first])
  }

  @Test func aNumberIsNotGivenTwiceEvenWhenItsTakeIsGoneForGood() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    try bench.library.delete(id, now: .zero)
    try bench.library.emptyTrash()
    #expect(bench.storage.names(in: "trash").isEmpty)
    let again = try Bench.opened(bench.storage.reboot())
    #expect(try again.record().hasPrefix("000002_"))
  }

  @Test func numbersGrowPastSixDigits() throws {
    let storage = MemoryStorage()
    storage.makeAll(["clips"])
    storage.plant("clips/999999_2026-01-01T00-00-00Z_ANNA.mp4", [1])
    let bench = try Bench.opened(storage)
    #expect(try bench.record().hasPrefix("1000000_"))
    #expect(try bench.record().hasPrefix("1000001_"))
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id.count) == [32, 32])
    #expect(try again.faults() == [])
  }

  @Test func nothingIsOverwrittenHoweverManyNamesCollide() throws {
    var dice = SeededGenerator(seed: 42)
    for _ in 0..<300 {
      let storage = MemoryStorage()
      storage.makeAll(["recordings", "clips", "trash", "_Corrupted"])
      let bench = Bench(storage)
      try bench.library.open()
      // Files that appear after the start, when their numbers are not known: the very names that come next.
      var planted: [String: [UInt8]] = [:]
      for number in 1...8 where dice.chance(2) {
        var name = TakeName(number: number, createdAt: bench.clock.wallNow, fileExtension: "wav").file
        switch dice.below(4) {
        case 0: name = TakeName.split(name).stem + ".json"
        case 1: name = TakeName.split(name).stem + ".json.bak"
        default: break
        }
        let bytes = dice.bytes(1 + dice.below(20))
        storage.plant("recordings/\(name)", bytes)
        planted["recordings/\(name)"] = bytes
      }
      for _ in 0..<5 { try bench.record() }
      for (path, bytes) in planted { #expect(storage.nodes[path]?.bytes == bytes, "\(path) was changed") }
    }
  }

  @Test func aTakeThatReceivedNothingIsTakenBack() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.library.discard(take.id)
    #expect(bench.library.count == 0)
    #expect(bench.storage.names(in: "recordings").isEmpty)
    #expect(try bench.record().hasPrefix("000002_"))
  }

  @Test func aFullStorageAtStopKeepsTheTakeAndWritesItsMetadataLater() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.fill(take, FakeDoctor.complete(frames: 50))
    var meta = take.meta
    meta.frames = 50
    meta.stopReason = "storage-full"
    bench.storage.failure = .full
    #expect(throws: LibraryError.self) { try bench.library.complete(take.id, meta) }
    #expect(bench.library.list().takes.map(\.frames) == [50])
    bench.settle()
    bench.storage.failure = nil
    _ = try bench.record()
    bench.settle()
    #expect(try bench.library.show(take.id).stopReason == "storage-full")
    #expect(try bench.faults() == [])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.report.recovered == [])
    #expect(again.library.count == 2)
  }

  @Test func aFullStorageAtStartLeavesNoHalfTake() throws {
    let bench = try Bench.opened()
    bench.storage.failure = .full
    bench.storage.failingSuffix = ".json"
    let error = #expect(throws: LibraryError.self) { _ = try bench.begin() }
    #expect(error?.code == "storage-full")
    #expect(bench.storage.names(in: "recordings").isEmpty)
    #expect(bench.library.count == 0)
  }
}

extension MemoryStorage {
  func makeAll(_ names: [String]) { directories.formUnion(names) }
}
