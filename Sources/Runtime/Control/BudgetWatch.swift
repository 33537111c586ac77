internal import Board
internal import Budget

/// Measures the process against its board's budget when asked. Control lane only.
final class BudgetWatch {
  let ledger: BudgetLedger
  private var meter = BudgetMeter()

  init(ledger: BudgetLedger) {
    self.ledger = ledger
    _ = meter.add(ProcessUsage.sample())
  }

  /// Memory now, and the processor's load since the last report.
  func report() -> BudgetReport {
    let usage = ProcessUsage.sample()
    return BudgetReport(ledger.plan, allocated: ledger.all, usage: usage, load: meter.add(usage))
  }
}
