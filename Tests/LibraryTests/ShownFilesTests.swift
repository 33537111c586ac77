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
}
