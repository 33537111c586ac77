import Hardware
import Testing

@testable import Library

/// Stops the library at every single call to the storage, starts it again, and looks whether anything was lost,
/// doubled or left in disorder.
@Suite struct CrashTests {
  /// What the user has been told, by the length of the takes.
  private final class Diary {
    /// Takes that have been kept and not been deleted.
    var kept: Set<Int> = []
    /// Takes that are just being recorded, deleted or brought back: there, or not.
    var open: Set<Int> = []

    func during(_ frames: Int, then isKept: Bool, _ work: () throws -> Void) rethrows {
      kept.remove(frames)
      open.insert(frames)
      try work()
      open.remove(frames)
      if isKept { kept.insert(frames) }
    }
  }

  /// A working day: two takes recorded, one renamed and played, one deleted, brought back and deleted again, a third
  /// begun.
  private static func day(_ bench: Bench, _ diary: Diary = Diary()) throws {
    let library = bench.library
    var first = ""
    var second = ""
    func delete(_ id: String) throws {
      try bench.retrying { () throws(LibraryError) in try library.delete(id, now: .zero) }
    }
    func undelete() throws { try bench.retrying { () throws(LibraryError) in try library.undelete() } }
    try diary.during(100, then: true) { first = try bench.record(frames: 100) }
    try diary.during(200, then: true) { second = try bench.record(frames: 200) }
    try bench.retrying { () throws(LibraryError) in try library.rename(first, to: "Morning") }
    try bench.retrying { () throws(LibraryError) in try library.updatePosition(first, 0.001) }
    try diary.during(200, then: false) { try delete(second) }
    try diary.during(200, then: true) { try undelete() }
    try diary.during(100, then: false) { try delete(first) }
    try diary.during(200, then: false) { try delete(second) }
    try diary.during(200, then: true) { try undelete() }
    bench.settle(now: Instant(nanoseconds: 20_000_000_000))
    try diary.during(300, then: true) {
      let third = try bench.retrying { () throws(LibraryError) in try bench.begin() }
      try bench.fill(third, FakeDoctor.recording(frames: 300))
    }
  }

  /// What the user was told is done has to be there, and nothing twice.
  private static func check(_ bench: Bench, _ diary: Diary, stoppedAt call: Int) throws {
    #expect(try bench.faults() == [], "stopped at call \(call)")
    #expect(bench.storage.names(in: "trash") == [], "stopped at call \(call)")
    let frames = bench.library.list().takes.map(\.frames)
    #expect(Set(frames).count == frames.count, "stopped at call \(call): \(frames)")
    #expect(diary.kept.isSubset(of: frames), "stopped at call \(call): \(diary.kept) but \(frames)")
    #expect(diary.kept.union(diary.open).isSuperset(of: frames), "stopped at call \(call): \(frames)")
    #expect(bench.library.list().takes.allSatisfy { !$0.inProgress })
    #expect(bench.storage.names(in: "_Corrupted") == [], "stopped at call \(call)")
    let next = try bench.record(frames: 999)
    #expect(bench.library.summary(next)?.frames == 999)
  }

  @Test(arguments: [false, true]) func aCrashAtAnyCallLosesNothing(powerCut: Bool) throws {
    let whole = Bench()
    try whole.open()
    try Self.day(whole)
    let calls = whole.storage.calls
    #expect(calls > 40)
    for call in 1...calls {
      let bench = Bench()
      let diary = Diary()
      bench.storage.disaster = (.kill, at: call)
      #expect(throws: (any Error).self) {
        try bench.open()
        try Self.day(bench, diary)
        // What fails without failing its caller has been noticed by now at the latest.
        _ = try bench.library.totals()
      }
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      try Self.check(again, diary, stoppedAt: call)
    }
  }

  @Test func aTakeThatWasBeingRecordedIsKept() throws {
    let bench = try Bench.opened()
    let take = try bench.begin()
    var meta = take.meta
    meta.bookmarks = [Bookmark(id: "a", time: 0.001, title: "keep", createdAt: bench.clock.wallNow)]
    try bench.library.update(take.id, meta)
    try bench.fill(take, FakeDoctor.recording(frames: 300) + [1, 2])
    for powerCut in [false, true] {
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      let kept = try again.library.show(take.id)
      #expect(kept.frames == 300)
      #expect(kept.stopReason == "recovered")
      // What was heard before the press is not longer than the file.
      #expect(kept.preRecordSeconds == 300.0 / Double(FakeDoctor.rate))
      #expect(kept.bookmarks.map(\.title) == ["keep"])
      #expect(again.library.report.recovered == [take.id])
      #expect(again.library.report.sentences.count == 1)
    }
  }

  /// The recovery of a thoroughly disordered directory is itself stopped at every call.
  @Test(arguments: [false, true]) func aCrashInRecoveryAtAnyCallIsRecoveredFrom(powerCut: Bool) throws {
    func start() -> MemoryStorage { Self.disorder().reboot() }
    let whole = try Bench.opened(start())
    let expected = whole.library.list().takes.map(\.id)
    #expect(try whole.faults() == [])
    let calls = whole.storage.calls
    for call in 1...calls {
      let bench = Bench(start())
      bench.storage.disaster = (.kill, at: call)
      do { try bench.open() } catch {}
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      #expect(again.library.list().takes.map(\.id) == expected, "stopped at call \(call)")
      #expect(try again.faults() == [], "stopped at call \(call)")
      // The bytes of every damaged sound are still somewhere.
      let sounds = again.storage.names(in: "_Corrupted").filter { $0.hasSuffix(".wav") }
      #expect(
        sounds == ["000003_2026-11-20T21-54-00Z.wav", "000004_2026-11-20T21-54-00Z.wav"], "stopped at call \(call)")
    }
  }

  @Test(arguments: [false, true]) func aStallAtAnyCallOnlyDelays(countsReads: Bool) throws {
    func run(_ storage: MemoryStorage) throws -> Bench {
      let bench = Bench(storage)
      try bench.open()
      try Self.day(bench)
      return bench
    }
    func state(_ bench: Bench) -> [String] {
      bench.storage.nodes.keys.filter { $0 != "catalogue" }.sorted()
        + bench.library.list().takes.map { "\($0.id) \($0.displayName) \($0.frames) \($0.bookmarkCount)" }
        + bench.library.report.sentences
    }
    for fresh in [{ MemoryStorage() }, { Self.disorder().reboot() }] {
      let storage = fresh()
      storage.countsReads = countsReads
      let whole = try run(storage)
      let expected = state(whole)
      for call in 1...whole.storage.calls {
        let storage = fresh()
        storage.countsReads = countsReads
        storage.disaster = (.stall, at: call)
        let bench = try run(storage)
        let difference = state(bench).difference(from: expected)
        #expect(difference.isEmpty, "stalled at call \(call): \(difference)")
        let again = try Bench.opened(bench.storage.reboot())
        #expect(again.library.report.failures == 0)
        #expect(try again.faults() == [], "stalled at call \(call)")
      }
    }
  }

  /// A directory with one of everything that can be wrong.
  static func disorder() -> MemoryStorage {
    let storage = MemoryStorage()
    storage.makeAll(["recordings", "clips", "cache", "trash", "_Corrupted", "log"])
    let time = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    func name(_ number: Int) -> String { TakeName(number: number, createdAt: time, fileExtension: "wav").stem }
    func plant(_ number: Int, _ sound: [UInt8], frames: Int, inProgress: Bool = false, size: Int? = nil) {
      var meta = FileMeta(
        id: name(number) + ".wav", displayName: "Take \(number)", createdAt: time,
        audio: AudioAttributes(duration: 0, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
      meta.setLength(frames: frames, fileSizeBytes: size ?? sound.count)
      meta.session = number
      meta.inProgress = inProgress
      storage.plant("recordings/\(name(number)).wav", sound)
      storage.plant("recordings/\(name(number)).json", meta.json())
    }
    // 1 is well, 2 was cut off, 3 is damaged and can be salvaged, 4 is beyond saving, 5 lost its end.
    plant(1, FakeDoctor.complete(frames: 10), frames: 10)
    plant(2, FakeDoctor.recording(frames: 20), frames: 0, inProgress: true)
    let salvageable = Array("XAKEC".utf8) + FakeDoctor.complete(frames: 30).dropFirst(5)
    plant(3, salvageable, frames: 30, inProgress: true)
    plant(4, [9, 9, 9, 9, 9, 9, 9, 9, 9], frames: 40, inProgress: true)
    let cut = Array(FakeDoctor.complete(frames: 50).dropLast(44))
    plant(5, cut, frames: 50, size: cut.count + 44)
    // 6 has no metadata, 7 damaged metadata and a good backup, 8 damaged metadata and none.
    storage.plant("recordings/\(name(6)).wav", FakeDoctor.complete(frames: 60))
    plant(7, FakeDoctor.complete(frames: 70), frames: 70)
    let good = storage.nodes["recordings/\(name(7)).json"]?.bytes ?? []
    storage.plant("recordings/\(name(7)).json.bak", good)
    storage.plant("recordings/\(name(7)).json", Array(good.dropLast(30)))
    plant(8, FakeDoctor.complete(frames: 80), frames: 80)
    storage.plant("recordings/\(name(8)).json", [0, 1, 2])
    // 9 received nothing, 10 was being deleted, 11 was being brought back, 12 was deleted.
    plant(9, [], frames: 0, inProgress: true)
    plant(10, FakeDoctor.complete(frames: 100), frames: 100)
    storage.nodes["trash/\(name(10)).wav"] = storage.nodes.removeValue(forKey: "recordings/\(name(10)).wav")
    plant(11, FakeDoctor.complete(frames: 110), frames: 110)
    storage.nodes["trash/\(name(11)).json"] = storage.nodes.removeValue(forKey: "recordings/\(name(11)).json")
    storage.plant("trash/\(name(12)).wav", FakeDoctor.complete(frames: 120))
    storage.plant("trash/\(name(12)).json", [])
    // Metadata alone, a stray temporary file, an interrupted salvage, files from elsewhere, a shared number.
    storage.plant("recordings/\(name(13)).json", good)
    storage.plant("recordings/\(name(1)).json.tmp", [1])
    storage.plant("recordings/\(name(3)).wav.salvage", [1, 2, 3])
    storage.plant("recordings/Talk.wav", FakeDoctor.complete(frames: 140))
    storage.plant("recordings/Talk.mp3", FakeDoctor.complete(frames: 150))
    storage.plant("recordings/\(name(1)).m4a", FakeDoctor.complete(frames: 160))
    storage.plant("recordings/notes.txt", [1])
    return storage
  }
}
