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

  @Test("A lane whose step is longer than the board grants is told of once, and does not hide the rest")
  func longSteps() throws {
    let plan = BudgetPlan(try Boards.load(builtIn: "raspberrypi4"))
    #expect(plan.stepMilliseconds == 20)
    let events = EventStream(clock: VirtualClock(), echo: nil, writer: LogWriter(), blackBox: nil)
    var seen: [EventRecord] = []
    let listener = events.hub.attach { seen.append($0) }
    defer { events.hub.detach(listener) }
    var steps: [(String, Double?)] = []
    var isWithin = true
    let lookout = BudgetLookout(events: events) {
      var report = BudgetReport(
        plan,
        steps: steps.map {
          .init(lane: $0.0, milliseconds: $0.1, declaredMilliseconds: $0.0 == "speech" ? nil : plan.stepMilliseconds)
        })
      report.isWithin = isWithin
      return report
    }
    var now = Instant.at(1)
    _ = lookout.step(now: now)
    func look(_ found: [(String, Double?)]) {
      steps = found
      now = now + .seconds(10)
      _ = lookout.step(now: now)
    }
    look([("media", 20), ("speech", 900), ("storage", nil)])
    #expect(seen.isEmpty)
    look([("media", 20.5), ("speech", 900), ("storage", 3)])
    look([("media", 90), ("speech", 900), ("storage", 3)])
    isWithin = false
    look([("media", 90), ("speech", 900), ("storage", 3)])
    look([("media", 90), ("speech", 900), ("storage", 30)])
    #expect(seen.map(\.topic) == [.onBudget, .onBudget, .onBudget])
    #expect(seen.map { $0.data["isWithin"] } == [true, false, false])
    #expect(seen.map { $0.data["longSteps"] } == [["media"], ["media"], ["media", "storage"]])
    let lines = events.log.tail(10)
    #expect(lines.map(\.severity) == [.warning, .warning, .warning])
    #expect(lines[0].text.contains("media took 20.5 ms"))
    #expect(lines[2].text.contains("storage took 30.0 ms"))
  }
}
