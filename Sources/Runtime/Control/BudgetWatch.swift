internal import Board
internal import Budget

/// Measures the process against its board's budget when asked. Control lane only.
final class BudgetWatch {
  let ledger: BudgetLedger
  private let process: ProcessWatch
  private var meter = BudgetMeter()
  private var load: BudgetLoad?

  init(_ ground: Ground) {
    (ledger, process) = (ground.ledger, ground.process)
    _ = meter.add(process.usage())
  }

  /// Memory now, and the processor's load since the last report.
  func report() -> BudgetReport {
    let usage = process.usage()
    load = meter.add(usage) ?? load
    return BudgetReport(ledger.plan, allocated: ledger.all, peaks: ledger.peaks, usage: usage, load: load)
  }
}
