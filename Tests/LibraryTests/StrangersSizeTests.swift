import Hardware
import JSON
import Testing

@testable import Library

/// What a card holds costs memory in proportion to what can be listed, whatever its files say.
@Suite struct StrangersSizeTests {
  private static func name(_ number: Int) -> String {
    TakeName(number: number, createdAt: StillClock().wallNow, fileExtension: "wav").file
  }

  @Test func `The catalogue's word on files that are not there is not kept, nor a line longer than any`() throws {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    storage.plant("recordings/talk.wav", FakeDoctor.complete(frames: 9))
    let bench = try Bench.opened(storage)
    #expect(bench.library.count == 1)
    let catalogue = Catalogue(Disk(storage))
    var records = try catalogue.load().records
    let talk = try #require(records.values.first)
    for number in 1...500 {
      var other = talk
      other.id = number == 500 ? "clips/film \(number).mp4" : "talk \(number).wav"
      records[other.id] = other
    }
    var long = talk
    long.displayName = String(repeating: "long ", count: 4000)
    records["talk.wav"] = nil
    try catalogue.rewrite(records.values.sorted { $0.id < $1.id } + [talk, long])
    let found = try catalogue.load { $0 == "talk.wav" }
    #expect(found.records == ["talk.wav": talk])
    #expect(found.damagedLines == 1)
  }

  @Test func `Of tags and names the index keeps what is searched, and the file all of it`() throws {
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    let id = Self.name(1)
    var meta = FileMeta(
      id: id, displayName: String(repeating: "long name ", count: 1000), createdAt: StillClock().wallNow,
      audio: AudioAttributes(duration: 0, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
    meta.userTags = ["dawn"] + (0..<5000).map { "tag \($0)" }
    meta.stopReason = String(repeating: "x", count: 100_000)
    storage.plant("recordings/\(id)", FakeDoctor.complete(frames: 9))
    storage.plant("recordings/\(Sidecar.name(id))", meta.json())
    let bench = try Bench.opened(storage)
    let summary = try #require(bench.library.summary(id))
    #expect(summary.userTags.first == "dawn")
    #expect(summary.userTags.reduce(0) { $0 + $1.utf8.count } <= 2000)
    #expect(summary.displayName.utf8.count <= 1000 && summary.displayName.hasPrefix("long name long"))
    #expect((summary.stopReason ?? "").utf8.count <= 1000)
    // A change of something else loses none of them.
    #expect(try bench.library.show(id).userTags.count == 5001)
  }

  @Test func `Another program's long JSON beside a sound is not made values of`() throws {
    let words = JSONValue.array((0..<100_000).map { _ in ["a": 1] })
    #expect(throws: MetadataError.self) { try JSONValue.parse(Array(words.text.utf8), path: "talk.json") }
    let storage = MemoryStorage()
    storage.makeAll(Library.directories)
    storage.plant("recordings/talk.wav", FakeDoctor.complete(frames: 9))
    storage.plant("recordings/talk.json", Array(words.text.utf8))
    let bench = try Bench.opened(storage)
    #expect(bench.library.summary("talk.wav")?.frames == 9)
    #expect(storage.nodes["recordings/talk.json"]?.bytes == Array(words.text.utf8))
  }

  @Test func `Ten thousand marks are read`() throws {
    var meta = FileMeta(
      id: Self.name(1), displayName: "a", createdAt: StillClock().wallNow,
      audio: AudioAttributes(duration: 90_000, sampleRate: 48_000, channels: 2, format: "wav", fileSizeBytes: 0))
    for number in 0..<10_000 {
      meta.bookmarks.append(
        Bookmark(
          id: "mark-\(number)", time: Double(number) * 8, title: "Title \(number)", note: "a note",
          createdAt: StillClock().wallNow))
    }
    #expect(try FileMeta(json: meta.json(), path: "a.json").bookmarks.count == 10_000)
  }
}
