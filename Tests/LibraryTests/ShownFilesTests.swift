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
    let shown = bench.library.exports.shown(words: words)
    #expect(
      shown.map(\.name).sorted() == ["Harbour today (2).wav", "Harbour today.wav", "Take 3 today.wav"], "\(shown)")
    #expect(Set(shown.map(\.source)) == Set(ids.map { "recordings/\($0)" }))
    #expect(shown.allSatisfy { !$0.isClip })
  }

  @Test func `Names that no PC can tell apart, or can have, are made others`() throws {
    let bench = try Bench.opened()
    let names = ["Река", "РЕКА", "Οδός", "ΟΔΌΣ", "Οδόσ", "What? Now: 1/2", "What_ now_ 1_2"]
    for name in names { try bench.library.rename(try bench.record(), to: name) }
    let shown = bench.library.exports.shown(words: ExportWords(date: { _ in "today" })).map(\.name)
    // Newest first.
    #expect(
      shown == [
        "What_ now_ 1_2 today.wav", "What_ Now_ 1_2 today (2).wav", "Οδόσ today.wav", "ΟΔΌΣ today (2).wav",
        "Οδός today (3).wav", "РЕКА today.wav", "Река today (2).wav",
      ], "\(shown)")
  }
}
