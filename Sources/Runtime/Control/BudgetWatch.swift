internal import Board
internal import Budget
internal import Hardware

/// Measures the process against its board's budget when asked. Control lane only.
final class BudgetWatch {
  let ledger: BudgetLedger
  private let process: ProcessWatch
  private let lanes: LaneSignals
  private var meter = BudgetMeter()
  private var load: BudgetLoad?

  init(_ ground: Ground) {
    (ledger, process, lanes) = (ground.ledger, ground.process, ground.lanes)
    _ = meter.add(process.usage())
  }

  /// Memory now, and the processor's load since the last report.
  func report() -> BudgetReport {
    let usage = process.usage()
    load = meter.add(usage) ?? load
    return BudgetReport(ledger.plan, allocated: ledger.all, peaks: ledger.peaks, usage: usage, load: load, steps: steps)
  }

  /// The longest steps of the lanes so far.
  var steps: [BudgetReport.Step] {
    lanes.counters.map { counters in
      BudgetReport.Step(
        lane: "\(counters.lane)", milliseconds: counters.longestStepCPU.map { $0.inSeconds * 1000 },
        declaredMilliseconds: counters.lane.isBound ? ledger.plan.stepMilliseconds : nil)
    }
  }
}
