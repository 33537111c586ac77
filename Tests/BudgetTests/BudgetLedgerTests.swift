import Board
import Budget
import Testing

@Suite struct BudgetLedgerTests {
  @Test func whatFitsIsEnteredAndWhatDoesNotIsRefused() throws {
    let ledger = BudgetLedger(try plan(rss: 4, cpu: 10, ["audio_in": (100, 1)]))
    try ledger.register(.audioIn, "ring", bytes: 100_000)
    let refusal = try #require(throws: BudgetRefusal.self) {
      try ledger.register(.audioIn, "meters", bytes: 2401)
    }
    #expect(
      refusal.description
        == "audio_in: meters needs 2401 bytes, but 2400 of 102400 are left: raise budget.audio_in.memory_kb "
        + "in the board file, or ask for less")
    try ledger.register(.audioIn, "meters", bytes: 2400)
    #expect(ledger.bytes(of: .audioIn) == 102_400)
    #expect(ledger.all.map(\.name) == ["ring", "meters"])
  }

  @Test func theSameNameReplacesAndAReleasedOneIsGone() throws {
    let ledger = BudgetLedger(try plan(rss: 4, cpu: 10, ["encoder": (1, 1)]))
    try ledger.register(.encoder, "packets", bytes: 1024)
    try ledger.register(.encoder, "packets", bytes: 1000)
    #expect(ledger.bytes(of: .encoder) == 1000)
    ledger.release(.encoder, "packets")
    ledger.release(.encoder, "packets")
    #expect(ledger.all.isEmpty)
    try ledger.register(.encoder, "other", bytes: 1024)
  }

  @Test func aPartWithoutALineGetsNothing() throws {
    let ledger = BudgetLedger(try plan(rss: 4, cpu: 10, [:]))
    #expect(throws: BudgetRefusal.self) { try ledger.register(.camera, "ring", bytes: 1) }
    #expect(throws: BudgetRefusal.self) { try ledger.register(.camera, "ring", bytes: -1) }
    #expect(throws: BudgetRefusal.self) { try ledger.register(.camera, "ring", bytes: .max) }
    try ledger.register(.camera, "nothing", bytes: 0)
  }
}
