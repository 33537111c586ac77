import Hardware
import TestSupport
import Testing

@testable import Library

/// What the library reads may end the program: that costs one file, and never the device.
@Suite("Files that are examined")
struct ExaminationTests {
  private static func name(_ number: Int) -> String {
    TakeName(number: number, createdAt: StillClock().wallNow, fileExtension: "wav").file
  }

  /// Takes without metadata, which recovery has to look into.
  private func prepared(_ takes: Int) -> MemoryStorage {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    for number in 1...takes {
      storage.plant("recordings/\(Self.name(number))", FakeDoctor.recording(frames: number))
    }
    return storage
  }

  /// A start that ends while it looks into a file, as after a trap.
  private func die(_ storage: MemoryStorage, of id: String) throws -> MemoryStorage {
    let bench = Bench(storage)
    bench.doctor.deadly = id
    try bench.library.open()
    for _ in 0..<1000 where !bench.doctor.isDead { _ = bench.library.step(now: .zero) }
    #expect(bench.doctor.isDead)
    return storage.reboot()
  }

  @Test func `What a start died of is set aside by the next, once another process has died of it, and nothing else`()
    throws
  {
    let deadly = Self.name(90)
    let after = try die(prepared(100), of: deadly)
    let bench = Bench(after)
    bench.doctor.deadly = deadly
    try bench.open()
    #expect(!bench.doctor.isDead)
    #expect(after.names(in: "_Corrupted") == [deadly, "\(deadly).txt"])
    #expect(bench.library.count == 99)
    #expect(bench.library.report.sentences.contains { $0.contains(deadly) && $0.contains("ended another process") })
    #expect(try bench.faults() == [])
    #expect(after.nodes[ExaminationNote.path] == nil)
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9223372036854775803", "-5", "1", "x"])
  func `A note that nobody can have written ends no start`(index: String) throws {
    let storage = prepared(2)
    storage.plant(ExaminationNote.path, Array("mynah examining 1\n\(index)\na\n1\n\nrecordings/x.wav\n".utf8))
    let bench = Bench(storage)
    try bench.open()
    #expect(bench.library.count == 2)
  }

  @Test func `A start that stalls is one start`() throws {
    for call in 1...3 {
      let storage = MemoryStorage()
      storage.disaster = (.stall, at: call)
      let note = ExaminationNote(Disk(storage))
      #expect(throws: LibraryError.self) { try note.open() }
      _ = try note.open()
      #expect(try ExaminationNote(Disk(storage.reboot())).open().deaths == 1, "\(call)")
    }
  }

  /// A note as another program can write it, the device itself after a power cut, or who wants to have a file hidden.
  private func note(_ path: String, deaths: Int = 1, isTwice: Bool) -> [UInt8] {
    Array("mynah examining 1\n0000\n\n\(deaths)\n\(isTwice ? path : "")\n\(path)\n".utf8)
  }

  @Test func `After several dead starts the state is not written over, and taken in once a start has lived`() throws {
    let storage = prepared(1)
    let state = Array(#"{"formatVersion": 1, "session": 500, "feedFavourites": ["a"], "pinMistakes": 4}"#.utf8)
    for path in ["state.json", "state.json.bak"] { storage.plant(path, state) }
    storage.plant(ExaminationNote.path, note("recordings/x.wav", deaths: 4, isTwice: false))
    let bench = try Bench.opened(storage)
    #expect(try bench.record().hasPrefix("000002_"))
    try bench.library.keep(LastState(mode: "clips"))
    #expect(storage.nodes["state.json"]?.bytes == state)
    _ = bench.library.step(now: .zero)
    _ = bench.library.step(now: .at(61))
    #expect(try bench.record().hasPrefix("000501_"))
    // Whoever keeps it has not heard of what was taken in.
    try bench.library.keep(LastState(mode: "clips"))
    let again = try Bench.opened(storage.reboot())
    let last = again.library.last
    #expect(last.favourites == ["a"] && last.pinMistakes == 4 && last.mode == "clips")
    #expect(try again.record().hasPrefix("000502_"))
  }

  private static let own = "recordings/\(name(2))"

  @Test(
    arguments: [own, "recordings/talk.wav", "clips/film.mp4", "clips/\(name(7)).part", "settings.json"], [false, true])
  func `A note that names a good file hides it for one start at most, and moves nothing`(path: String, isTwice: Bool)
    throws
  {
    let storage = prepared(3)
    storage.plant("recordings/talk.wav", FakeDoctor.complete(frames: 9))
    storage.plant("clips/film.mp4", FakeDoctor.complete(frames: 9))
    storage.plant("settings.json", Array("{}".utf8))
    let before = storage.names(in: "recordings") + storage.names(in: "clips") + ["settings.json"]
    storage.plant(ExaminationNote.path, note(path, isTwice: isTwice))
    let bench = try Bench.opened(storage)
    #expect(storage.names(in: "_Corrupted") == [])
    if !isTwice || path != Self.own { #expect(bench.library.summary(Self.name(2))?.frames == 2) }
    let again = try Bench.opened(storage.reboot())
    #expect(again.library.count == 4)
    #expect(again.library.list().takes.allSatisfy { !$0.isUnreadable && $0.frames > 0 })
    #expect(again.library.clips.list().clips.map(\.frames) == [9])
    let after = storage.names(in: "recordings") + storage.names(in: "clips") + storage.names(in: "")
    #expect(Set(after).isSuperset(of: before))
    #expect(storage.names(in: "_Corrupted") == [])
  }

  @Test func `Who only looks is told of the suspect, too, and it is checked with the others`() throws {
    let storage = prepared(3)
    storage.plant("clips/\(Self.name(7)).part", [1, 2, 3])
    for path in [Self.own, "clips/\(Self.name(7)).part"] {
      storage.plant(ExaminationNote.path, note(path, isTwice: false))
      let bench = Bench(storage)
      try bench.library.open()
      try bench.library.listUnchecked()
      #expect(bench.library.count == 3)
      #expect(bench.library.beginVerify().total == 3)
      #expect(bench.library.beginVerify().clips == [Self.name(7)])
    }
  }

  @Test func `Where there is no other process, the suspect is left unread, in its place, for one start`() throws {
    for path in [Self.own, "recordings/talk.wav"] {
      let storage = prepared(3)
      storage.plant("recordings/talk.wav", FakeDoctor.complete(frames: 9))
      storage.plant(ExaminationNote.path, note(path, isTwice: false))
      let bench = Bench(storage)
      bench.doctor.examinesApart = false
      bench.doctor.onInspection = { #expect($0 != path) }
      try bench.open()
      let id = String(path.dropFirst("recordings/".count))
      #expect(bench.library.summary(id)?.isUnreadable == true)
      #expect(bench.library.report.sentences.contains { $0.contains(id) && $0.contains("unread") })
      #expect(try Bench.opened(storage.reboot()).library.summary(id)?.isUnreadable == false)
    }
  }

  @Test func `What ends this process only is left unread after the second time, and stays in its place`() throws {
    let deadly = Self.name(3)
    let storage = prepared(4)
    storage.plant(ExaminationNote.path, note("recordings/\(deadly)", isTwice: false))
    let first = Bench(storage)
    (first.doctor.deadly, first.doctor.isDeadlyApart) = (deadly, false)
    try first.library.open()
    for _ in 0..<1000 where !first.doctor.isDead { _ = first.library.step(now: .zero) }
    #expect(first.doctor.isDead)
    let next = storage.reboot()
    let past = try ExaminationNote(Disk(next)).open()
    #expect(past.suspect == "recordings/\(deadly)" && past.isCertain)
    next.plant(ExaminationNote.path, note("recordings/\(deadly)", isTwice: true))
    let bench = Bench(next)
    (bench.doctor.deadly, bench.doctor.isDeadlyApart) = (deadly, false)
    try bench.open()
    #expect(!bench.doctor.isDead)
    #expect(bench.library.summary(deadly)?.isUnreadable == true)
    #expect(bench.library.summary(Self.name(4))?.frames == 4)
    #expect(next.names(in: "_Corrupted") == [])
    #expect(next.names(in: "recordings").contains(deadly))
  }

  @Test func `A stranger's file that nobody came back from is looked at again by the next start`() throws {
    let storage = prepared(1)
    storage.plant("recordings/talk.wav", FakeDoctor.complete(frames: 9))
    let bench = Bench(storage)
    bench.doctor.deadly = "talk.wav"
    try bench.open()
    #expect(bench.library.summary("talk.wav")?.isUnreadable == true)
    let again = try Bench.opened(storage.reboot())
    #expect(again.library.summary("talk.wav")?.frames == 9)
    #expect(again.library.summary("talk.wav")?.isUnreadable == false)
  }

  @Test func `What is in hand is durable before it is read, and few writes are synced for many files`() throws {
    let storage = prepared(200)
    let bench = Bench(storage)
    bench.doctor.onInspection = { path in
      let note = String(decoding: storage.nodes[ExaminationNote.path]?.durable ?? [], as: UTF8.self)
      #expect(note.contains(path))
    }
    try bench.open()
    #expect(bench.library.count == 200)
    #expect(storage.log.count { $0 == "sync \(ExaminationNote.path)" } <= 200 / ExaminationNote.batch + 1)
  }

  @Test func `After two dead starts the library is listed unread, says so, and records`() throws {
    var storage = prepared(5)
    for number in [5, 4] { storage = try die(storage, of: Self.name(number)) }
    let bench = Bench(storage)
    bench.doctor.deadly = Self.name(3)
    try bench.open()
    #expect(!bench.doctor.isDead)
    #expect(bench.doctor.inspections == 0)
    #expect(bench.library.report.sentences.last?.contains("not examined") == true)
    #expect(Set(bench.library.list().takes.map(\.id)) == Set((1...5).map(Self.name)))
    let take = try bench.record(frames: 7)
    #expect(take.hasPrefix("000006_"))
    // Once it has lived for a minute the next start looks again.
    bench.settle(now: Instant(nanoseconds: 61_000_000_000))
    let again = try Bench.opened(storage.reboot())
    #expect(again.library.count == 6)
    #expect(again.library.summary(take)?.frames == 7)
    #expect(try again.faults() == [])
  }

  @Test func `After four dead starts not even names are looked at; it says so, records, and loses nothing`() throws {
    var storage = prepared(5)
    for _ in 0..<4 {
      try Bench(storage).library.open()
      storage = storage.reboot()
    }
    let bench = Bench(storage)
    try bench.open()
    #expect(bench.library.report.sentences.last?.contains("not listed") == true)
    #expect(bench.library.list().takes.isEmpty)
    let take = try bench.record(frames: 7)
    #expect(take.hasPrefix("000006_"))
    #expect(bench.library.list().takes.map(\.id) == [take])
    bench.settle(now: Instant(nanoseconds: 61_000_000_000))
    let again = try Bench.opened(storage.reboot())
    #expect(again.library.count == 6)
    #expect(try again.faults() == [])
  }

  @Test func `A start that ends in order, or has lived for a minute, has not died`() throws {
    var storage = prepared(3)
    for round in 0..<3 {
      let bench = Bench(storage)
      try bench.library.open()
      _ = bench.library.step(now: .zero)
      if round == 2 {
        bench.doctor.pieces = 1_000
        for _ in 0..<3 { _ = bench.library.step(now: Instant(nanoseconds: 61_000_000_000)) }
      } else {
        try bench.library.close()
      }
      storage = storage.reboot()
    }
    #expect(try Bench(storage).begun().report.sentences.allSatisfy { !$0.contains("not examined") })
  }

  @Test func `A long file is looked at in pieces, with room for others between them`() throws {
    let bench = Bench(prepared(1))
    bench.doctor.pieces = 50
    try bench.library.open()
    var steps = 0
    while !bench.library.report.isFinished, steps < 1_000 {
      _ = bench.library.step(now: .zero)
      steps += 1
    }
    #expect(steps >= 100)
    #expect(bench.library.summary(Self.name(1))?.frames == 1)
  }

  @Test func `Strangers' files are listed at once, and those before people are looked at first`() throws {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    for number in 0..<500 { storage.plant("recordings/talk \(1000 + number).mp3", FakeDoctor.complete(frames: number)) }
    storage.plant("recordings/song without a suffix", FakeDoctor.complete(frames: 7))
    storage.plant("recordings/letter.txt", [1, 2, 3])
    let bench = Bench(storage)
    try bench.library.open()
    #expect(bench.library.count == 500)
    let page = bench.library.list(offset: 250, limit: 4).takes
    #expect(page.allSatisfy { $0.isPending })
    // What is wanted of clips is another list's.
    _ = bench.library.clips.list(limit: 1)
    for _ in 0..<4 { _ = bench.library.step(now: .zero) }
    let seen = bench.library.list(offset: 250, limit: 4).takes
    #expect(seen.map(\.id) == page.map(\.id))
    #expect(seen.allSatisfy { !$0.isPending && $0.sampleRate == FakeDoctor.rate })
    bench.settle()
    #expect(bench.library.count == 501)
    #expect(bench.library.summary("song without a suffix")?.frames == 7)
    #expect(bench.library.summary("letter.txt") == nil)
    #expect(bench.library.list().takes.allSatisfy { !$0.isPending })
    #expect(bench.library.report.sentences == [])
  }
}
