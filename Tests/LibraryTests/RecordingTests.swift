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

  @Test func `Marks and gaps without end leave notes that can be read and changed`() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.fill(take, FakeDoctor.complete(frames: 100_000))
    let note = String(repeating: "\u{1}", count: Library.longestNote)
    func mark(_ frame: Int) -> Bookmark {
      Bookmark(
        takeID: take.id, frame: frame, sampleRate: FakeDoctor.rate, ordinal: frame, title: nil,
        createdAt: bench.clock.wallNow)
    }
    func noted(_ frame: Int) -> Bookmark {
      var mark = mark(frame)
      mark.note = note
      return mark
    }
    var meta = take.meta
    meta.bookmarks = (0..<50).map(noted)
    try bench.library.update(take.id, meta)
    var kept = 50
    var refusal: LibraryError?
    while refusal == nil, kept < 100 {
      do throws(LibraryError) {
        try bench.library.addBookmark(take.id, noted(kept))
        kept += 1
      } catch {
        refusal = error
      }
    }
    #expect((51..<100).contains(kept))
    #expect(refusal?.code == "bad-argument" && refusal?.description.contains("\(kept) marks") == true)
    // What needs little room has some: the mark that would be one too many has its reason, too.
    var plain = kept
    #expect(throws: LibraryError.self) {
      while plain < kept + 100 {
        try bench.library.mark(take.id, mark(plain))
        plain += 1
      }
    }
    #expect(plain < kept + 100)
    for place in 0..<10_000 { meta.add(Gap(frame: place * 10, frames: 1, reason: "overrun")) }
    meta.frames = 100_000
    try bench.library.update(take.id, meta)
    try bench.library.rename(take.id, to: "long")
    try bench.library.complete(take.id, meta)
    let again = try Bench.opened(bench.storage.reboot())
    let read = try again.library.show(take.id)
    #expect(read.displayName == "long" && read.bookmarks.count == plain)
    #expect(read.gaps.count == FileMeta.mostGaps)
    #expect(read.gaps.last == Gap(frame: 39_990, frames: 60_001, reason: "overrun"))
    try again.library.rename(take.id, to: "longer")
    #expect(try again.faults() == [])
  }

  @Test func `Notes that could not be read again are not written over those that can`() throws {
    let storage = MemoryStorage()
    storage.makeAll(["recordings"])
    let metadata = Metadata(Disk(storage), notices: Notices())
    let id = "000001_2026-11-20T21-54-00Z.wav"
    var meta = FileMeta(
      id: id, displayName: "kept", createdAt: StillClock().wallNow,
      audio: AudioAttributes(duration: 1, sampleRate: 48_000, channels: 1, format: "wav", fileSizeBytes: 1))
    try metadata.write(meta, id: id, withBackup: true)
    let spoils: [(inout FileMeta) -> Void] = [
      { $0.gaps = (0..<20_000).map { Gap(frame: $0, frames: 1, reason: "overrun") } },
      { $0.custom["text"] = String(repeating: "x", count: 4 << 20) },
      { $0.frames = -1 },
      { $0.bookmarks = [Bookmark(id: "1", time: .nan, createdAt: StillClock().wallNow)] },
    ]
    for spoil in spoils {
      var spoiled = meta
      spoil(&spoiled)
      let error = #expect(throws: LibraryError.self) { try metadata.write(spoiled, id: id, withBackup: true) }
      #expect(error?.code == "bad-argument")
      #expect(try metadata.read(id) == meta)
    }
    meta.displayName = "changed"
    try metadata.write(meta, id: id, withBackup: true)
    #expect(try metadata.read(id) == meta)
  }

  @Test func aTakeThatReceivedNothingIsTakenBack() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.library.discard(take.id)
    #expect(bench.library.count == 0)
    #expect(bench.storage.names(in: "recordings").isEmpty)
    #expect(try bench.record().hasPrefix("000002_"))
  }

  @Test func `An empty take that cannot be removed is no open one any more, and the next start removes it`() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    bench.storage.failure = .denied
    #expect(throws: LibraryError.self) { try bench.library.discard(take.id) }
    bench.storage.failure = nil
    #expect(bench.library.count == 0)
    // What waits until nothing is recorded has its turn.
    let id = try leaveUnfinished(bench)
    bench.settle()
    #expect(try !bench.library.show(id).inProgress)
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id) == [id])
    #expect(try again.faults() == [])
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

  @Test func `A sound that cannot be looked at when it ends keeps its notes, which are written later`() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.fill(take, FakeDoctor.complete(frames: 50))
    var meta = take.meta
    meta.frames = 50
    meta.stopReason = "user"
    meta.put(
      Bookmark(
        takeID: take.id, frame: 1, sampleRate: FakeDoctor.rate, ordinal: 0, title: "here",
        createdAt: bench.clock.wallNow))
    #expect(throws: LibraryError.busy(take.id)) { try bench.library.keepNotes(take.id) }
    bench.storage.invisibleSuffix = ".wav"
    #expect(throws: LibraryError.self) { try bench.library.complete(take.id, meta) }
    #expect(throws: LibraryError.self) { try bench.library.keepNotes(take.id) }
    #expect(bench.library.list().takes.map(\.frames) == [50])
    #expect(try bench.library.show(take.id).bookmarks.count == 1)
    bench.storage.invisibleSuffix = nil
    try bench.library.keepNotes(take.id)
    bench.settle()
    let path = "recordings/\(TakeName.split(take.id).stem).json"
    let written = try FileMeta(json: try #require(bench.storage.nodes[path]).bytes, path: path)
    #expect(!written.inProgress && written.stopReason == "user" && written.bookmarks.map(\.title) == ["here"])
    #expect(try bench.faults() == [])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.report.recovered == [])
    #expect(again.library.list().takes.map(\.frames) == [50])
    #expect(try again.library.show(take.id).bookmarks.count == 1)
  }

  /// A take of 50 frames that has ended, and whose file could not be completed.
  private func leaveUnfinished(_ bench: Bench) throws -> String {
    let take = try bench.begin()
    try bench.fill(take, FakeDoctor.recording(frames: 50))
    var meta = take.meta
    meta.frames = 40
    meta.stopReason = "storage-full"
    try bench.library.complete(take.id, meta, isUnfinished: true)
    return take.id
  }

  @Test func `A file that could not be completed is once the storage lets it, and its notes say so then`() throws {
    let bench = try Bench.opened()
    let id = try leaveUnfinished(bench)
    bench.storage.failure = .full
    bench.storage.failingSuffix = ".wav"
    bench.settle()
    #expect(bench.library.summary(id)?.inProgress == true && bench.library.summary(id)?.frames == 40)
    #expect(try bench.library.show(id).stopReason == "storage-full")
    #expect(throws: LibraryError.busy(id)) { try bench.library.keepNotes(id) }
    bench.storage.failure = nil
    // While another take is recorded it is left alone.
    let next = try bench.begin()
    bench.settle(now: Instant(nanoseconds: 7_000_000_000))
    #expect(bench.library.summary(id)?.inProgress == true)
    try bench.library.discard(next.id)
    bench.settle(now: Instant(nanoseconds: 14_000_000_000))
    try bench.library.keepNotes(id)
    let kept = try bench.library.show(id)
    #expect(!kept.inProgress && kept.frames == 50 && kept.stopReason == "storage-full")
    #expect(bench.library.summary(id)?.inProgress == false && bench.library.summary(id)?.frames == 50)
    #expect(try bench.faults() == [])
  }

  @Test func `A file that could not be completed is by the next start, which knows why it ended`() throws {
    let bench = try Bench.opened()
    let id = try leaveUnfinished(bench)
    let again = Bench(bench.storage.reboot(powerCut: true))
    try again.library.open()
    // It was not being recorded when the power went: nothing goes on from it.
    #expect(try again.library.cutOff() == nil)
    again.settle()
    #expect(again.library.report.recovered == [id])
    let kept = try again.library.show(id)
    #expect(!kept.inProgress && kept.frames == 50 && kept.stopReason == "storage-full")
    #expect(try again.faults() == [])
  }

  @Test func `Neither the file nor its notes could be written: both are, one after the other`() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    try bench.fill(take, FakeDoctor.recording(frames: 50))
    var meta = take.meta
    meta.frames = 40
    meta.stopReason = "error"
    bench.storage.failure = .failed
    #expect(throws: LibraryError.self) { try bench.library.complete(take.id, meta, isUnfinished: true) }
    bench.settle()
    #expect(throws: LibraryError.self) { try bench.library.keepNotes(take.id) }
    bench.storage.failure = nil
    #expect(throws: LibraryError.busy(take.id)) { try bench.library.keepNotes(take.id) }
    bench.settle()
    try bench.library.keepNotes(take.id)
    let kept = try bench.library.show(take.id)
    #expect(!kept.inProgress && kept.frames == 50 && kept.stopReason == "error")
    #expect(try bench.faults() == [])
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
