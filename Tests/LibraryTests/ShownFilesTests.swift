import Hardware
import Testing

@testable import Library

/// Takes as a PC sees them.
@Suite struct ShownFilesTests {
  @Test func `Finished takes have the names that a stick would give them, once each`() throws {
    let bench = try Bench.opened()
    let ids = [try bench.record(), try bench.record(), try bench.record()]
    for id in ids.prefix(2) { try bench.library.rename(id, to: "Harbour") }
    let words = ExportWords(date: { _ in "today" })
    let shown = try bench.library.exports.shown(words: words)
    #expect(
      shown.map(\.name).sorted() == ["Harbour today (2).wav", "Harbour today.wav", "Take 3 today.wav"], "\(shown)")
    #expect(Set(shown.map(\.source)) == Set(ids.map { "recordings/\($0)" }))
    #expect(shown.allSatisfy { !$0.isClip })
  }

  @Test func `Pictures that were kept go along, are shown and can be read; those of others are not touched`() throws {
    let bench = try Bench.opened()
    let take = try bench.record()
    let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
    let id = try bench.library.clips.keepPicture(bytes, createdAt: WallTime(seconds: 1_795_000_000))
    try bench.storage.replace("clips/holiday.jpg", with: bytes)
    #expect(try bench.library.exports.all() == [take, id])
    let words = ExportWords(date: { _ in "today" })
    #expect(try bench.library.exports.shown(words: words).map(\.name) == ["Take 1 today.wav", "Clip 2 today.jpg"])
    #expect(try bench.library.read(id, offset: 0, bytes: 100).data == bytes)
    let stick = MemoryStorage()
    let export = bench.library.exports.begin(try bench.library.exports.all(), to: stick, words: words)
    var outcome: ExportOutcome?
    while outcome == nil { outcome = try export.step() }
    #expect(outcome?.failures.isEmpty == true && outcome?.done == 2)
    #expect(try stick.read("Mynah/Clip 2 today.jpg", limit: 100) == bytes)
  }

  @Test func `Names that no PC can tell apart, or can have, are made others`() throws {
    let bench = try Bench.opened()
    let names = ["Река", "РЕКА", "Οδός", "ΟΔΌΣ", "Οδόσ", "What? Now: 1/2", "What_ now_ 1_2"]
    for name in names { try bench.library.rename(try bench.record(), to: name) }
    let shown = try bench.library.exports.shown(words: ExportWords(date: { _ in "today" })).map(\.name)
    // Newest first.
    #expect(
      shown == [
        "What_ now_ 1_2 today.wav", "What_ Now_ 1_2 today (2).wav", "Οδόσ today.wav", "ΟΔΌΣ today (2).wav",
        "Οδός today (3).wav", "РЕКА today.wav", "Река today (2).wav",
      ], "\(shown)")
  }
}
