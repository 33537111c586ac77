import Hardware
import JSON
import Testing

@testable import Library

/// Cards that somebody has made to keep the device busy, or to have it take away what is not its own.
@Suite struct CraftedCardTests {
  private static let stamp = "2026-11-20T21-54-00Z"
  private static let long = String(repeating: "x", count: 100_000)

  private static func name(_ number: Int, _ ending: String) -> String {
    "\(String(repeating: "0", count: 6 - "\(number)".count))\(number)_\(stamp)\(ending)"
  }

  private func prepared(_ files: [String: [UInt8]]) -> MemoryStorage {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) { storage.plant(path, bytes) }
    return storage
  }

  /// The notes of a take of ten frames that goes on from the one before it, a hundred kilobytes of them.
  private static func notes(_ number: Int, marks: Int = 0) -> [UInt8] {
    let id = name(number, ".wav")
    let wall = StillClock().wallNow
    var meta = FileMeta(
      id: id, displayName: "x", createdAt: wall,
      audio: AudioAttributes(duration: 0, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
    meta.session = number
    meta.linkedTake = name(number - 1, ".wav")
    meta.stopReason = Library.split
    meta.custom["x"] = long
    for mark in 0..<marks {
      meta.put(
        Bookmark(takeID: id, frame: mark, sampleRate: 48_000, ordinal: mark, title: nil, createdAt: wall))
    }
    meta.setLength(frames: 10, fileSizeBytes: FakeDoctor.complete(frames: 10).count)
    return meta.json()
  }

  // MARK: Files of others

  @Test func `What other programs call much like our documents stays`() throws {
    let theirs = [
      "catalogue of birds.tmp", "settings.json.mine.tmp", "device-key-old.tmp", "_Corrupted/state.json.tmp",
      "_Corrupted/catalogue.old.tmp", "cache/ring--5.mp4", "cache/ring-+1.mp4", "cache/ring-007.mp4",
      "cache/ring-0.mp4",
    ]
    let ours = ["settings.json.tmp", "settings.json.bak.tmp", "catalogue.tmp", "_Corrupted/settings.json.txt.tmp"]
    let storage = prepared(Dictionary(uniqueKeysWithValues: (theirs + ours).map { ($0, [1, 2, 3]) }))
    let bench = try Bench.opened(storage)
    for path in theirs { #expect(storage.nodes[path]?.bytes == [1, 2, 3], "\(path)") }
    for path in ours { #expect(storage.nodes[path]?.bytes != [1, 2, 3], "\(path)") }
    #expect(storage.names(in: "clips") == [])
    #expect(try bench.record().hasPrefix("000001_"))
  }

  @Test func `The note on what is put aside has its own lines only, whatever the file is called`() throws {
    let name = Self.name(7, "_\u{1B}[2J\nWhen:  never\u{9B}\u{202E}.wav")
    var meta = try FileMeta(json: Self.notes(7), path: "x")
    meta.id = name
    let storage = prepared([
      "recordings/\(name)": [UInt8](repeating: 9, count: 9000), "recordings/\(Sidecar.name(name))": meta.json(),
    ])
    _ = try Bench.opened(storage)
    let note = try #require(storage.nodes.first { $0.key.hasPrefix("_Corrupted/") && $0.key.hasSuffix(".txt") })
    let text = String(decoding: note.value.bytes, as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("When:") } == 1)
    let steers = text.unicodeScalars.contains { scalar in
      scalar != "\n" && (scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x202E)
    }
    #expect(!steers, "\(text.debugDescription)")
  }

  @Test func `What is noted of a length beyond all reason can be read again`() throws {
    var meta = try FileMeta(json: Self.notes(1), path: "x")
    meta.setLength(frames: FileMeta.mostFrames, fileSizeBytes: 1000)
    #expect(try FileMeta(json: meta.json(), path: "x") == meta)
  }

  // MARK: Steps that do not end

  /// Calls of the storage that a start makes before anybody can record.
  private func calls(_ files: [String: [UInt8]]) throws -> Int {
    let storage = prepared(files)
    storage.countsReads = true
    let library = Bench(storage).library
    try library.open()
    return storage.calls
  }

  @Test func `A start does not read a full trash before anybody can record`() throws {
    var files: [String: [UInt8]] = ["recordings/\(Self.name(1, ".wav"))": FakeDoctor.complete(frames: 10)]
    for number in 2...300 {
      files["trash/\(Self.name(number, ".wav"))"] = FakeDoctor.complete(frames: 10)
      files["trash/\(Self.name(number, ".json"))"] = Self.notes(number)
    }
    #expect(try calls(files) < 700)
  }

  @Test(arguments: [1, 300])
  func `Nor the notes of all takes for the sake of a copy that was cut off`(copies: Int) throws {
    var files: [String: [UInt8]] = [:]
    for number in 1...copies { files["recordings/\(Self.name(number, ".m4a")).tmp"] = [1] }
    for number in 2...300 {
      files["recordings/\(Self.name(number, ".wav"))"] = FakeDoctor.complete(frames: 10)
      files["recordings/\(Self.name(number, ".json"))"] = Self.notes(number)
    }
    #expect(try calls(files) < 350)
  }

  @Test func `Making room for a clip reads nobody else's JSON, and of ours so much at a time`() throws {
    var files: [String: [UInt8]] = [:]
    for number in 1...300 {
      files["clips/film \(number).mp4"] = FakeDoctor.complete(frames: 10)
      files["clips/film \(number).mp4.json"] = Array("{\"id\": \"others\"}".utf8)
    }
    func made(_ bench: Bench) throws {
      let (id, file) = try bench.library.clips.begin(
        createdAt: bench.clock.wallNow, receipt: Array("{\"inProgress\":true}".utf8))
      try FakeDoctor.write([1, 2, 3], file, at: 0)
      try bench.library.clips.complete(id, receipt: Array("{\"stopReason\":\"user\"}".utf8))
    }
    let strangers = try Bench.opened(prepared(files))
    strangers.library.clips.retention.quotaBytes = 1
    strangers.storage.countsReads = true
    strangers.storage.calls = 0
    try made(strangers)
    #expect(strangers.storage.calls < 60)

    files = [:]
    for number in 1...200 {
      files["clips/\(Self.name(number, ".mp4"))"] = FakeDoctor.complete(frames: 10)
      files["clips/\(Self.name(number, ".json"))"] = Array(
        "{\"protected\": \(number < 200), \"stopReason\": \"user\", \"x\": \"\(Self.long)\"}".utf8)
    }
    let ours = try Bench.opened(prepared(files))
    ours.library.clips.retention.quotaBytes = 1
    ours.storage.countsReads = true
    ours.storage.calls = 0
    try made(ours)
    #expect(ours.storage.calls < 900)
    // What one did not come to the next ones do.
    for _ in 0..<6 { try made(ours) }
    #expect(ours.storage.nodes["clips/\(Self.name(200, ".mp4"))"] == nil)
    #expect((1..<200).allSatisfy { ours.storage.nodes["clips/\(Self.name($0, ".mp4"))"] != nil })
  }

  @Test func `A take of hundreds of parts is told of without all of their notes in memory`() throws {
    var files: [String: [UInt8]] = [:]
    for number in 1...120 {
      files["recordings/\(Self.name(number, ".wav"))"] = FakeDoctor.complete(frames: 10)
      for ending in [".json", ".json.bak"] {
        files["recordings/\(Self.name(number, ending))"] = Self.notes(number, marks: 1)
      }
    }
    let bench = try Bench.opened(prepared(files))
    let take = try bench.library.showWhole(Self.name(1, ".wav"))
    #expect(take.frames == 1200)
    #expect((40..<120).contains(take.bookmarks.count), "\(take.bookmarks.count)")
  }

  @Test func `Thousands of receipts of dubs go some at a time`() throws {
    var files: [String: [UInt8]] = [:]
    for number in 1...500 { files["dubs/\(Self.name(number, ".json"))"] = Array("{}".utf8) }
    let storage = prepared(files)
    storage.directories.insert("dubs")
    let bench = try Bench.opened(storage)
    storage.calls = 0
    try bench.library.dubs.keep([:], begunAt: bench.clock.wallNow)
    #expect(storage.calls < 30)
    for _ in 0..<25 { try bench.library.dubs.keep([:], begunAt: bench.clock.wallNow) }
    let list = try bench.library.dubs.list()
    #expect(list.count == 200 && list.first?.hasPrefix("000526_") == true && list.last?.hasPrefix("000327_") == true)
  }

  @Test func `A file with a hole larger than the card is not searched for what may be in it`() throws {
    let storage = prepared([
      "recordings/\(Self.name(1, ".wav"))": FakeDoctor.recording(frames: 100_000),
      "recordings/\(Self.name(2, ".wav"))": FakeDoctor.recording(frames: 10),
      "recordings/talk.wav": FakeDoctor.complete(frames: 100_000),
      "clips/\(Self.name(3, ".mp4")).part": [UInt8](repeating: 0, count: 400_000),
      "clips/\(Self.name(3, ".json"))": Array("{\"inProgress\": true}".utf8),
    ])
    storage.total = 300_000
    let bench = try Bench.opened(storage)
    #expect(bench.library.summary(Self.name(2, ".wav"))?.frames == 10)
    for name in [Self.name(1, ".wav"), Self.name(3, ".mp4.part")] {
      #expect(storage.nodes["_Corrupted/\(name)"] != nil, "\(storage.names(in: "_Corrupted"))")
    }
    // Of the device's own the small one alone was opened, before and behind its repair.
    #expect(bench.doctor.inspections == 2)
    #expect(storage.nodes["recordings/talk.wav"] != nil)
    #expect(try bench.library.verify("talk.wav").map(\.code) == ["sound-damaged"])
  }

  // MARK: Stalls

  @Test func `A clip whose receipt says that it grows is settled whatever stalls`() throws {
    let id = Self.name(1, ".mp4")
    let files = [
      "clips/\(id)": FakeDoctor.complete(frames: 10),
      "clips/\(Self.name(1, ".json"))": Array("{\"id\": \"\(id)\", \"inProgress\": true}".utf8),
    ]
    for call in 1... {
      let bench = Bench(prepared(files))
      bench.storage.countsReads = true
      bench.storage.disaster = (.stall, at: call)
      try bench.open()
      let isOver = bench.storage.calls < call
      bench.storage.disaster = nil
      let receipt = try bench.library.clips.receipt(of: id)
      #expect(receipt["inProgress"] == nil && receipt["stopReason"] == "recovered", "call \(call)")
      if isOver { return }
    }
  }

  // MARK: Starts that die

  @Test func `Starts that die of putting marks into a file are counted, and the third one lists it unread`() throws {
    var storage = MemoryStorage()
    let bench = try Bench.opened(storage)
    let id = try bench.record()
    try bench.library.addBookmark(
      id,
      Bookmark(
        takeID: id, frame: 5, sampleRate: FakeDoctor.rate, ordinal: 1, title: "there", createdAt: bench.clock.wallNow))
    /// A start that lives long enough for the marks to be written.
    func start(_ storage: MemoryStorage) throws -> Bench {
      let bench = try Bench.opened(storage)
      bench.settle(now: Instant(nanoseconds: 1_000_000_000))
      bench.settle(now: Instant(nanoseconds: 4_000_000_000))
      return bench
    }
    storage = storage.reboot()
    // One that goes well says at which call the notes are written, after the file.
    let well = try start(storage.reboot()).storage.log
    let call = try #require(well.lastIndex(of: "replace recordings/\(Sidecar.name(id))"))
    #expect(well[..<call].contains { $0.contains("examining") })
    #expect(well.last?.contains("examining") == true)
    for _ in 0..<2 {
      storage.disaster = (.kill, at: call + 1)
      _ = try start(storage)
      #expect(storage.isDead)
      storage = storage.reboot()
    }
    let third = try Bench.opened(storage)
    #expect(third.library.report.sentences.contains { $0.contains("not examined") })
    #expect(third.library.summary(id) != nil)
    #expect(try third.record().hasPrefix("000002_"))
  }

  @Test func `A number in secrets.json that nobody has given ends no start`() throws {
    let storage = prepared([
      "secrets.json": Array("{\"9223372036854775807\": \"x\", \"7\": \"y\"}".utf8),
      "settings.json": Array("{\"dub.serviceToken\": \"in the clear\"}".utf8),
    ])
    let settings = SettingsStore(storage: storage, clock: StillClock()) { key, _ in
      key == "dub.serviceToken" ? "…" : nil
    }
    _ = try settings.load()
    #expect(settings.values["dub.serviceToken"]?.stringValue == "in the clear")
    let text = String(decoding: try #require(storage.nodes["settings.json"]).bytes, as: UTF8.self)
    #expect(!text.contains("clear"))
    let again = SettingsStore(storage: storage, clock: StillClock()) { key, _ in
      key == "dub.serviceToken" ? "…" : nil
    }
    _ = try again.load()
    #expect(again.values["dub.serviceToken"]?.stringValue == "in the clear")
  }
}
