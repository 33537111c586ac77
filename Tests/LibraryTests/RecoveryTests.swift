import Hardware
import TestSupport
import Testing

@testable import Library

@Suite struct RecoveryTests {
  private func name(_ number: Int, _ suffix: String = "wav") -> String {
    TakeName(number: number, createdAt: StillClock().wallNow, fileExtension: suffix).file
  }

  @Test func oneOfEverythingIsPutInOrder() throws {
    let bench = try Bench.opened(CrashTests.disorder())
    let report = bench.library.report
    #expect(report.isFinished)
    #expect(report.failures == 0)
    #expect(Set(report.recovered) == [name(2), name(5)])
    #expect(report.salvaged == [name(3)])
    #expect(Set(report.metadataRebuilt).isSuperset(of: [name(6), name(7), name(8)]))
    #expect(report.emptyRemoved == 1)
    let frames = Dictionary(
      uniqueKeysWithValues: bench.library.list().takes.map { ($0.id, $0.frames) })
    #expect(frames[name(1)] == 10)
    #expect(frames[name(2)] == 20)
    #expect(frames[name(3)] == 30)
    #expect(frames[name(4)] == nil)
    #expect(frames[name(5)] == 40)
    #expect(frames[name(6)] == 60)
    #expect(frames[name(7)] == 70)
    #expect(frames[name(8)] == 80)
    #expect(frames[name(9)] == nil)
    #expect(frames[name(10)] == nil)
    #expect(frames[name(11)] == 110)
    #expect(frames["Talk.wav"] == 140)
    #expect(frames["Talk.mp3"] == 150)
    #expect(try bench.library.show(name(7)).displayName == "Take 7")
    #expect(try bench.library.show(name(11)).displayName == "Take 11")
    #expect(try bench.library.show(name(5)).stopReason == "recovered")
    #expect(try bench.library.show("Talk.mp3").stopReason == nil)
    #expect(try bench.library.show(name(6)).stopReason == "recovered")
    #expect(try bench.library.show(name(1)).displayName == "Take 1")
    // The two that had number 1 are both there, under different numbers.
    #expect(Set(frames.values).isSuperset(of: [10, 160]))
    #expect(bench.storage.nodes["recordings/notes.txt"] != nil)
    #expect(bench.storage.names(in: "trash") == [])
    #expect(try bench.faults() == [])
  }

  @Test func takesThatAreStillLookedAtAreCounted() throws {
    let bench = Bench(CrashTests.disorder())
    try bench.retrying { () throws(LibraryError) in try bench.library.open() }
    // Nothing is known of any of them yet; sounds that will be dropped, quarantined or renumbered are among them. Only
    // those from elsewhere, which will stay whatever they are, are listed by their names.
    #expect(bench.library.list().takes.map(\.id).sorted() == ["Talk.mp3", "Talk.wav"])
    #expect(bench.library.list().takes.allSatisfy { $0.isPending })
    #expect(bench.library.pending >= 12)
    var seen = bench.library.pending
    while bench.library.pending > 0, let due = bench.library.step(now: .zero), due <= .zero || due.nanoseconds == 10 {
      #expect(bench.library.pending <= seen + 1)
      seen = bench.library.pending
    }
    #expect(bench.library.pending == 0)
    #expect(bench.library.count >= 11)
  }

  @Test func whatIsStillLookedAtIsNotSaidToBeMissing() throws {
    let before = try Bench.opened()
    let id = try before.record()
    before.storage.nodes["catalogue"] = nil
    let bench = Bench(before.storage)
    try bench.library.open()
    #expect(bench.library.pending == 1)
    for word in [id, "1"] {
      let error = #expect(throws: LibraryError.self) {
        try bench.library.minding { library throws(LibraryError) in
          throw LibraryError.notFound(word)
        }
      }
      #expect(error == .notLookedAtYet(word, of: 1) && error?.code == "busy")
    }
    let nothing = LibraryError.nothingDeleted
    #expect(throws: nothing) { try bench.library.minding { _ throws(LibraryError) in throw nothing } }
    bench.settle()
    #expect(throws: LibraryError.notFound("9")) {
      try bench.library.minding { library throws(LibraryError) in throw LibraryError.notFound("9") }
    }
  }

  @Test func theNoteSaysWhatWhyWhenAndHow() throws {
    let bench = try Bench.opened(CrashTests.disorder())
    let node = try #require(bench.storage.nodes["_Corrupted/\(name(4)).txt"])
    let text = String(decoding: node.bytes, as: UTF8.self)
    for part in ["recordings/\(name(4)), 9 bytes", "does not begin as a take", "2026-11-20T21:54:00Z", "ffmpeg"] {
      #expect(text.contains(part), "\(text)")
    }
    // Its metadata went with it.
    #expect(bench.storage.nodes["_Corrupted/000004_2026-11-20T21-54-00Z.json"] != nil)
  }

  @Test func aSecondCorruptedFileOfTheSameNameDoesNotReplaceTheFirst() throws {
    let storage = CrashTests.disorder()
    storage.plant("_Corrupted/\(name(4))", [7])
    let bench = try Bench.opened(storage)
    #expect(bench.storage.nodes["_Corrupted/\(name(4))"]?.bytes == [7])
    #expect(bench.storage.nodes["_Corrupted/000004_2026-11-20T21-54-00Z~2.wav"]?.bytes.first == 9)
  }

  @Test func theSecondStartFindsNothingToDoAndOpensNoTake() throws {
    let first = try Bench.opened(CrashTests.disorder())
    let second = Bench(first.storage.reboot())
    try second.library.open()
    #expect(second.library.pendingWork == 0)
    #expect(second.library.report.known == first.library.count)
    second.settle()
    #expect(second.doctor.inspections == 0)
    #expect(second.library.report.sentences == [])
    #expect(second.library.list() == first.library.list())
  }

  @Test(arguments: 0..<8) func whatIsSaidOfATakeWhileItsSoundIsLookedAtStays(stepsBefore: Int) throws {
    let first = try Bench.opened()
    let id = try first.record()
    let storage = first.storage.reboot()
    storage.nodes["catalogue"] = nil
    let bench = Bench(storage)
    bench.doctor.pieces = 6
    try bench.library.open()
    while bench.library.summary(id) == nil { _ = bench.library.step(now: .zero) }
    #expect(bench.library.pendingWork > 0)
    for _ in 0..<stepsBefore { _ = bench.library.step(now: .zero) }
    try bench.library.rename(id, to: "Interview")
    bench.settle()
    #expect(bench.doctor.inspections == 1)
    #expect(bench.library.summary(id)?.displayName == "Interview")
    #expect(try bench.library.show(id).displayName == "Interview")
  }

  @Test(arguments: ["gone", "garbage", "torn", "flipped"]) func theCatalogueCanBeLost(how: String) throws {
    let first = try Bench.opened(CrashTests.disorder())
    let expected = first.library.list()
    let storage = first.storage.reboot()
    var dice = SeededGenerator(seed: 7)
    for round in 0..<(how == "flipped" ? 60 : 1) {
      let node = try #require(storage.nodes["catalogue"])
      switch how {
      case "gone": storage.nodes["catalogue"] = nil
      case "garbage": storage.plant("catalogue", dice.bytes(5000))
      case "torn": storage.plant("catalogue", Array(node.bytes.dropLast(17)))
      default:
        var bytes = node.bytes
        for _ in 0..<1 + dice.below(4) { bytes[dice.below(bytes.count)] ^= UInt8(1 << dice.below(8)) }
        storage.plant("catalogue", bytes)
      }
      let bench = try Bench.opened(storage.reboot())
      #expect(bench.library.list() == expected, "round \(round)")
      #expect(try bench.faults() == [])
      #expect(bench.library.report.recovered == [])
    }
  }

  @Test func aBitFlippedTakeIsNoticedAtStart() throws {
    let bench = try Bench.opened()
    let first = try bench.record()
    let second = try bench.record()
    let node = try #require(bench.storage.nodes["recordings/\(first)"])
    var bytes = node.bytes
    bytes[0] ^= 1
    bytes[bytes.count - 1] ^= 1
    bench.storage.plant("recordings/\(first)", bytes)
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id) == [second])
    #expect(again.storage.nodes["_Corrupted/\(first)"]?.bytes == bytes)
    #expect(again.storage.nodes["_Corrupted/\(first).txt"] != nil)
    #expect(again.library.report.sentences.count == 1)
  }

  @Test func truncationAtAnyLengthNeverStopsTheStart() throws {
    let bench = try Bench.opened()
    let first = try bench.record(frames: 20)
    let second = try bench.record(frames: 30)
    let whole = try #require(bench.storage.nodes["recordings/\(first)"]).bytes
    for length in 0..<whole.count {
      let storage = bench.storage.reboot()
      storage.plant("recordings/\(first)", Array(whole.prefix(length)))
      let again = try Bench.opened(storage)
      #expect(again.library.summary(second)?.frames == 30)
      #expect(try again.faults() == [])
      let isKept = again.library.summary(first) != nil
      #expect(isKept != (again.storage.nodes["_Corrupted/\(first)"] != nil), "length \(length)")
    }
  }

  @Test func aReadOnlyStorageIsListedAndLeftAlone() throws {
    let storage = CrashTests.disorder()
    let before = storage.nodes.mapValues(\.bytes)
    storage.failure = .denied
    let bench = try Bench.opened(storage)
    #expect(bench.storage.nodes.mapValues(\.bytes) == before)
    #expect(bench.library.report.failures > 0)
    #expect(bench.library.summary(name(1))?.frames == 10)
    // Cut off and not repaired, but there to be played.
    #expect(bench.library.summary(name(2))?.frames == 20)
    #expect(bench.library.summary(name(8))?.frames == 80)
    let error = #expect(throws: LibraryError.self) { _ = try bench.begin() }
    #expect(error?.code == "denied")
  }

  @Test func aFullStorageDoesNotCostADamagedTake() throws {
    let storage = CrashTests.disorder()
    storage.failure = .full
    let full = try Bench.opened(storage)
    #expect(full.library.report.failures > 0)
    storage.failure = nil
    let again = try Bench.opened(storage.reboot())
    #expect(again.library.report.salvaged == [name(3)])
    #expect(try again.faults() == [])
  }

  @Test func recordingCanBeginBeforeRecoveryIsDone() throws {
    let bench = Bench(CrashTests.disorder())
    try bench.library.open()
    #expect(bench.library.pendingWork > 10)
    let take = try bench.begin()
    #expect(TakeName.number(in: take.id) == 14)
    bench.settle()
    try bench.fill(take, FakeDoctor.complete(frames: 5))
    var meta = take.meta
    meta.frames = 5
    try bench.library.complete(take.id, meta)
    bench.settle()
    #expect(bench.library.pendingWork == 0)
    #expect(try bench.faults() == [])
  }

  @Test(arguments: [true, false]) func noTakeThatWasFinishedIsMadeShorterInPlace(isFinished: Bool) throws {
    // Nothing is missing of the file, and less is found in it than its notes know.
    let sound = FakeDoctor.recording(frames: 10) + Array("DONE".utf8)
    let id = name(1)
    var meta = FileMeta(
      id: id, displayName: "Take 1", createdAt: StillClock().wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
    meta.setLength(frames: 100, fileSizeBytes: sound.count)
    meta.session = 1
    meta.inProgress = !isFinished
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    storage.plant("recordings/\(id)", sound)
    storage.plant("recordings/\(TakeName.split(id).stem).json", meta.json())
    let bench = try Bench.opened(storage)
    _ = try bench.library.repair(id)
    #expect(bench.library.summary(id)?.frames == 10)
    #expect(bench.storage.nodes["_Corrupted/\(id)"]?.bytes == (isFinished ? sound : nil))
    #expect(try bench.faults() == [])
  }

  @Test func aSealedTakeThatWasCutOffHasNoMoreFromBeforeThePressThanItIsLong() throws {
    let storage = MemoryStorage()
    let bench = try Bench.opened(storage)
    var plan = FileMeta(
      id: "", displayName: "", createdAt: bench.clock.wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
    plan.preRecordSeconds = 5
    let (meta, file) = try bench.library.begin(plan, fileExtension: "wav.age")
    try FakeDoctor.write(Array("age-encryption.org/v1\n".utf8) + [UInt8](repeating: 7, count: 999), file, at: 0)
    let again = try Bench.opened(storage.reboot())
    let found = try again.library.show(meta.id)
    #expect(!found.inProgress && found.stopReason == "recovered")
    let before = try #require(found.preRecordSeconds)
    #expect(before <= found.audio.duration)
  }

  @Test func repairMakesOneTakeWhole() throws {
    let bench = try Bench.opened()
    let id = try bench.record(frames: 40)
    let node = try #require(bench.storage.nodes["recordings/\(id)"])
    bench.storage.plant("recordings/\(id)", Array(node.bytes.dropLast(20)))
    #expect(try bench.library.verify(id).map(\.code).contains("sound-unfinished"))
    let sentences = try bench.library.repair(id)
    #expect(sentences.count == 1)
    #expect(try bench.library.verify(id) == [])
    #expect(try bench.library.show(id).frames == 36)
    #expect(try bench.library.repair(id) == [])
    #expect(throws: LibraryError.self) { try bench.library.repair("../settings.wav") }
  }

  @Test func whatIsMissingInATakeThatWasMendedIsInItsNotes() throws {
    let before = try Bench.opened()
    var take = try before.begin()
    take.meta.gaps = [Gap(frame: 10, frames: 5, reason: "overrun")]
    try before.library.update(take.id, take.meta)
    try before.fill(take, FakeDoctor.recording(frames: 30))
    let bench = Bench(before.storage.reboot())
    bench.doctor.gaps = [2..<4, 20..<40, 50..<60]
    try bench.open()
    let told = try bench.library.show(take.id).gaps
    #expect(told.map(\.frame) == [2, 10, 20] && told.map(\.frames) == [2, 5, 10])
    #expect(told.map(\.reason) == ["damaged", "overrun", "damaged"])
    // The next start finds nothing to add.
    #expect(try Bench.opened(bench.storage.reboot()).library.show(take.id).gaps == told)
  }
}
