import Hardware
import Testing

@testable import Library

/// What other people's hands have put on a card: it takes nothing from the device, and the device takes nothing from it.
@Suite("What the device has not made")
struct StrangersTests {
  private func prepared(_ files: [String: [UInt8]]) -> MemoryStorage {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) { storage.plant(path, bytes) }
    return storage
  }

  // MARK: Sealed

  @Test func `A sealed take that has become shorter is told of, and its notes keep what it had`() throws {
    let id = "000077_2026-11-20T21-54-00Z.m4a.age"
    let sealed = Array("age-encryption.org/v1\n".utf8) + [UInt8](repeating: 7, count: 1_000)
    let storage = try Bench.opened(prepared(["recordings/\(id)": sealed])).storage.reboot()
    storage.plant("recordings/\(id)", Array(sealed.prefix(300)))
    let bench = try Bench.opened(storage)
    #expect(bench.library.report.sentences.contains { $0.contains("300 of its 1022 bytes") })
    let notes = try #require(storage.nodes["recordings/\(Sidecar.name(id))"]?.bytes)
    #expect(String(decoding: notes, as: UTF8.self).contains("1022"))
    // The next start does not take it for whole, either.
    let next = try Bench.opened(bench.storage.reboot())
    #expect(try next.faults().contains { $0.contains("300") })
  }

  // MARK: Numbers

  @Test(
    arguments: [
      "clips/999999999999_x.mp4", "recordings/999999999999_x.wav", "recordings/000500_notes.json",
      "clips/999999999999_2026-11-20T21-54-00Z.mp4", "recordings/999999999999_2026-11-20T21-54-00Z.wav",
      "_Corrupted/099999999999_2026-11-20T21-54-00Z.wav",
    ]) func `A stranger's number does not count`(path: String) throws
  {
    let bench = try Bench.opened(prepared([path: FakeDoctor.complete(frames: 1)]))
    #expect(try bench.record().hasPrefix("000001_"))
    #expect(try bench.record().hasPrefix("000002_"))
    let again = try Bench.opened(bench.storage.reboot())
    #expect(try again.record().hasPrefix("000003_"))
  }

  @Test func `A stranger's state does not use up the numbers`() throws {
    let storage = prepared(["state.json": Array(#"{"formatVersion": 1, "session": 999999999999}"#.utf8)])
    let bench = try Bench.opened(storage)
    #expect(try bench.record().hasPrefix("000001_"))
    // The largest that is believed leaves nine tenths of all numbers.
    let high = prepared(["state.json": Array(#"{"formatVersion": 1, "session": 99999999999}"#.utf8)])
    #expect(try Bench.opened(high).record().hasPrefix("100000000000_"))
  }

  @Test func `Numbers of deleted takes are not given again, however many there were`() throws {
    let bench = try Bench.opened(
      prepared([
        "recordings/000003_2026-11-20T21-54-00Z.wav": FakeDoctor.complete(frames: 1),
        "recordings/900000_2026-11-20T21-54-00Z.wav": FakeDoctor.complete(frames: 1),
        "clips/1800000_2026-11-20T21-54-00Z_ANNA.mp4": [1],
      ]))
    #expect(try bench.record().hasPrefix("1800001_"))
  }

  @Test(arguments: [
    ("000042_2026-11-20T21-54-00Z.m4a", 42), ("1234567_2026-11-20T21-54-00Z_ANNA.mp4", 1_234_567),
    ("000042_2026-11-20T21-54-00Z", 42), ("000042_x.m4a", nil), ("42_2026-11-20T21-54-00Z.m4a", nil),
    ("000042_2026-11-20T21:54:00Z.m4a", nil), ("000042_2026-11-20T21-54-00Zulu.m4a", nil), ("000042_", nil),
    ("000000_2026-11-20T21-54-00Z.m4a", nil), ("", nil),
  ]) func `The device's names are told from others`(name: String, number: Int?) {
    #expect(TakeName.number(in: name) == number)
    #expect(TakeName.isOurs(name) == (number != nil))
  }

  @Test(arguments: ["mp3", "WAV", "M4A", "ogg", "oga", "aac", "aiff", "mka"])
  func `What somebody has converted beside a take is not the device's`(suffix: String) throws {
    let (take, other) = ("000001_2026-11-20T21-54-00Z.m4a", "000001_2026-11-20T21-54-00Z.\(suffix)")
    let storage = prepared([
      "recordings/\(take)": FakeDoctor.complete(frames: 3), "recordings/\(other)": FakeDoctor.complete(frames: 3),
      "recordings/000002_2026-11-20T21-54-00Z.\(suffix)": [],
    ])
    let bench = try Bench.opened(storage)
    #expect(!TakeName.isOurs(other) && TakeName.isOurs(take))
    let names = try storage.list("recordings").map(\.name)
    #expect(names.contains(other) && names.contains("000002_2026-11-20T21-54-00Z.\(suffix)"))
    #expect(try bench.record().hasPrefix("000003_"))
  }

  // MARK: Files

  /// Whatever is in them, and whatever they are called.
  private static let foreign: [String: [UInt8]] = [
    "recordings/Talk.wav": [9, 9, 9], "recordings/Empty.wav": [], "recordings/LOUD.WAV": FakeDoctor.complete(frames: 5),
    "recordings/cut.wav": FakeDoctor.recording(frames: 7),
    "recordings/half.wav": Array("XAKEC".utf8) + FakeDoctor.body(9),
    "recordings/Gone.json": Array("{}".utf8), "recordings/notes.txt": [1], "recordings/work.tmp": [2],
    "recordings/song.wav.salvage": [3], "recordings/000077_x.json": [4], "recordings/000077_x.wav": [9],
    "clips/film.mp4.part": [], "clips/000077_x.mp4.part": [5], "clips/film.json": [6], "clips/draft.mp4.edit": [7],
    "work.tmp": [8], "_Corrupted/theirs.tmp": [9],
  ]

  @Test func `It is listed, and never moved, changed or removed`() throws {
    let storage = prepared(Self.foreign)
    let bench = try Bench.opened(storage)
    let take = try bench.record()
    let sentences = bench.library.report.sentences
    for id in bench.library.list().takes.map(\.id) { _ = try bench.library.repair(id) }
    for (path, bytes) in Self.foreign { #expect(storage.nodes[path]?.bytes == bytes, "\(path)") }
    #expect(storage.names(in: "_Corrupted") == ["theirs.tmp"])
    // Nothing was put beside it either.
    let others = storage.nodes.keys.filter { !$0.contains("000001_") && Self.foreign[$0] == nil }.sorted()
    #expect(others == ["catalogue", "state.json", "state.json.bak"])

    let takes = Dictionary(uniqueKeysWithValues: bench.library.list().takes.map { ($0.id, $0) })
    #expect(
      Set(takes.keys) == [take, "Talk.wav", "Empty.wav", "LOUD.WAV", "cut.wav", "half.wav", "000077_x.wav"])
    #expect(takes["LOUD.WAV"]?.frames == 5)
    #expect(takes["cut.wav"]?.frames == 7)
    for id in ["Talk.wav", "Empty.wav", "half.wav", "000077_x.wav"] {
      #expect(takes[id]?.isUnreadable == true, "\(id)")
    }
    #expect(takes["LOUD.WAV"]?.isUnreadable == false)
    #expect(sentences.count == 4)
  }

  @Test func `The next start knows it, and opens none of it`() throws {
    let bench = try Bench.opened(prepared(Self.foreign))
    let second = Bench(bench.storage.reboot())
    try second.library.open()
    second.settle()
    #expect(second.library.pendingWork == 0)
    #expect(second.library.report.known == 6)
    #expect(second.doctor.inspections == 0)
    #expect(second.library.list() == bench.library.list())
    #expect(second.library.report.sentences == [])
  }

  @Test func `People can name, tag and delete it`() throws {
    let bench = try Bench.opened(prepared(["recordings/Talk.wav": FakeDoctor.complete(frames: 5)]))
    #expect(try bench.library.show("Talk.wav").frames == 5)
    try bench.library.rename("Talk.wav", to: "The talk")
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.summary("Talk.wav")?.displayName == "The talk")
    #expect(try again.faults() == [])
    try again.library.delete("Talk.wav", now: .zero)
    #expect(again.storage.names(in: "recordings") == [])
    try again.library.undelete()
    #expect(again.library.summary("Talk.wav")?.displayName == "The talk")
  }

  @Test func `Notes of a file that is called like a deleted take do not keep that from coming back`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    try bench.library.rename(id, to: "The talk")
    let other = TakeName.split(id).stem + ".m4a"
    bench.storage.plant("recordings/\(other)", [9, 9, 9])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.library.list().takes.map(\.id).sorted() == [other, id].sorted())
    try again.library.delete(id, now: .zero)
    #expect(throws: LibraryError.self) { try again.library.updatePosition(other, 0.001) }
    #expect(try again.library.undelete() == id)
    #expect(try again.library.show(id).displayName == "The talk")
    #expect(again.storage.names(in: "trash") == [])
  }

  @Test func `Another program's JSON beside it is not written over, moved or removed`() throws {
    let theirs = Array(#"{"id": "something else", "volume": 3}"#.utf8)
    let storage = prepared([
      "recordings/Talk.wav": FakeDoctor.complete(frames: 5), "recordings/Talk.wav.json": theirs,
      "clips/film.mp4": [1], "clips/film.mp4.json": theirs,
      // A delete that the power cut off half-way.
      "trash/Song.wav": [1], "recordings/Song.wav.json": theirs,
    ])
    let bench = try Bench.opened(storage)
    #expect(bench.library.list().takes.map(\.frames) == [5])
    #expect(throws: LibraryError.self) { try bench.library.rename("Talk.wav", to: "The talk") }
    #expect(throws: LibraryError.self) { try bench.library.protect("film.mp4", true) }
    #expect(try bench.library.show("Talk.wav").displayName == "Talk")
    #expect(try bench.library.verify("Talk.wav") == [])
    for id in ["Talk.wav", "film.mp4"] {
      try bench.library.delete(id, now: .zero)
      try bench.library.emptyTrash()
    }
    _ = try Bench.opened(storage.reboot())
    for path in ["recordings/Talk.wav.json", "clips/film.mp4.json", "recordings/Song.wav.json"] {
      #expect(storage.nodes[path]?.bytes == theirs, "\(path)")
    }
  }

  @Test(arguments: ["\u{301}x.wav", "\u{200D}x.wav", "\u{FE0F}x.wav", "x.wav", "\u{0600}.wav"])
  func `A name that begins with what joins is a name like others`(name: String) throws {
    let bench = try Bench.opened(
      prepared([
        "recordings/\(name)": FakeDoctor.complete(frames: 5), "clips/\(name).mp4": FakeDoctor.complete(frames: 6),
      ])
    )
    #expect(bench.library.pending == 0 && bench.library.pendingWork == 0)
    #expect(bench.library.list().takes.map(\.frames) == [5])
    #expect(bench.library.list().takes.allSatisfy { !$0.isPending })
    #expect(bench.library.clips.list().clips.map(\.id) == ["\(name).mp4"])
    try bench.library.delete(name, now: .zero)
    let again = try Bench.opened(bench.storage.reboot())
    #expect(again.storage.names(in: "trash") == [] && again.library.count == 0)
  }

  @Test func `Links and pipes are no takes`() throws {
    let name = "000009_2026-11-20T21-54-00Z.wav"
    let storage = prepared(["recordings/\(name)": [], "clips/000010_2026-11-20T21-54-00Z.mp4.part": []])
    storage.special = ["recordings/\(name)", "clips/000010_2026-11-20T21-54-00Z.mp4.part"]
    let bench = try Bench.opened(storage)
    #expect(bench.library.count == 0)
    #expect(bench.library.report.sentences == [])
    #expect(throws: LibraryError.self) { try bench.library.repair(name) }
    #expect(storage.nodes.keys.filter { $0.hasPrefix("recordings/") || $0.hasPrefix("clips/") }.count == 2)
    // Their names are not given again.
    #expect(try !bench.record().hasPrefix("000009_"))
  }

  @Test func `Its name cannot steer a terminal, nor split a sentence`() throws {
    let name = "a\u{1B}[2J\nb\u{9B}c\u{202E}d\u{2066}e.wav"
    let bench = try Bench.opened(prepared(["recordings/\(name)": [1]]))
    #expect(bench.library.summary(name)?.isUnreadable == true)
    let sentence = try #require(bench.library.report.sentences.first)
    #expect(sentence.hasPrefix("a?[2J?b?c?d?e.wav cannot be read"))
  }

  @Test func `What is called like ours, and only half, is left where it is and ends no start`() throws {
    let stem = "000001_2026-11-20T21-54-00Z"
    let ends = [
      ".age", ".age.age", "..age", "_.age", ".safety", ".safety.age", ".json.age", ".json.bak.age", ".proof.age",
      ".m4a.age.json", ".part",
      ".mp4.age.part", ".salvage", ".edit", ".tmp", ".json.tmp", ".", "_", "",
    ]
    var files: [String: [UInt8]] = [:]
    for end in ends {
      for folder in ["recordings", "clips", "trash", "cache", "_Corrupted", ""] {
        files[folder.isEmpty ? stem + end : "\(folder)/\(stem)\(end)"] = []
      }
    }
    let bench = try Bench.opened(prepared(files))
    #expect(try bench.record().hasPrefix("000002_"))
    #expect(bench.storage.names(in: "recordings").contains("\(stem).age"))
  }

  // MARK: Looking

  @Test func `Listing and showing change nothing, and leave nothing out`() throws {
    let storage = CrashTests.disorder()
    for (path, bytes) in Self.foreign { storage.plant(path, bytes) }
    let before = storage.nodes.mapValues(\.bytes)
    let library = Library(
      storage: ReadOnlyStorage(storage), clock: StillClock(), state: StateStore(storage: storage, clock: StillClock()),
      repairer: FakeDoctor(storage))
    try library.open()
    try library.listUnchecked()
    let takes = Dictionary(uniqueKeysWithValues: library.list().takes.map { ($0.id, $0) })
    for take in takes.values where take.sampleRate > 0 && !take.isUnreadable { _ = try? library.show(take.id) }
    #expect(storage.nodes.mapValues(\.bytes) == before)
    #expect(storage.calls == 0)
    #expect(takes.values.allSatisfy { !$0.isPending })
    #expect(Set(takes.keys).isSuperset(of: storage.names(in: "recordings").filter(TakePath.isSound)))
    // One that was cut off, one that is beyond saving, one without metadata.
    let time = StillClock().wallNow.fileNameStamp
    #expect(takes["000002_\(time).wav"]?.frames == 20)
    #expect(takes["000002_\(time).wav"]?.inProgress == true)
    #expect(takes["000004_\(time).wav"]?.isUnreadable == true)
    #expect(takes["000006_\(time).wav"]?.frames == 60)
  }

  @Test func `Verifying changes nothing, whatever there is`() throws {
    let storage = CrashTests.disorder()
    for (path, bytes) in Self.foreign { storage.plant(path, bytes) }
    let before = storage.nodes.mapValues(\.bytes)
    let library = Library(
      storage: ReadOnlyStorage(storage), clock: StillClock(), state: StateStore(storage: storage, clock: StillClock()),
      repairer: FakeDoctor(storage))
    try library.open()
    var cursor = library.beginVerify()
    var findings: [Finding] = []
    while let found = try library.verifyNext(&cursor) { findings += found }
    #expect(storage.nodes.mapValues(\.bytes) == before)
    #expect(storage.calls == 0)
    #expect(cursor.done == storage.names(in: "recordings").count { TakePath.isSound($0) })
    for number in [2, 3, 4, 5, 6, 8] {
      #expect(findings.contains { $0.id.hasPrefix("00000\(number)_") }, "\(number)")
    }
  }
}
