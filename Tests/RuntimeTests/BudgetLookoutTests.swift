import Board
import Budget
import Console
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

@testable import Runtime

@Suite struct BudgetLookoutTests {
  @Test("onBudget is published when the verdict changes, and only then")
  func verdicts() throws {
    let plan = BudgetPlan(try Boards.load(builtIn: "simulator"))
    let events = EventStream(clock: VirtualClock(), echo: nil, writer: LogWriter(), blackBox: nil)
    var seen: [EventRecord] = []
    let listener = events.hub.attach { seen.append($0) }
    defer { events.hub.detach(listener) }
    var isWithin = true
    let lookout = BudgetLookout(events: events) {
      var report = BudgetReport(plan)
      report.isWithin = isWithin
      if !isWithin { report.lines[0].isWithin = false }
      return report
    }
    var now = Instant.at(1)
    for verdict in [true, true, false, false, true, false] {
      isWithin = verdict
      // Called too early, it waits.
      #expect(lookout.step(now: now) == now + .seconds(10))
      now = now + .seconds(10)
      _ = lookout.step(now: now)
    }
    #expect(seen.map(\.topic) == [.onBudget, .onBudget, .onBudget])
    #expect(seen.map { $0.data["isWithin"] } == [false, true, false])
    #expect(seen[0].data["over"]?.arrayValue?.count == 1)
    #expect(seen[1].data["over"] == [])
    #expect(events.log.tail(10).map(\.severity) == [.warning, .info, .warning])
  }
}
