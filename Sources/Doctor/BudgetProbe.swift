public import Budget
public import Hardware

/// Whether a board's budget adds up, and fits the machine that this runs on.
public struct BudgetProbe: Probe {
  private let plan: BudgetPlan
  private let physicalMemoryKB: Int?
  private let cores: Int?

  /// - Parameters:
  ///   - physicalMemoryKB: memory of the machine, KiB; nil if it is not known, or is not the board's.
  ///   - cores: its processor cores.
  public init(_ plan: BudgetPlan, physicalMemoryKB: Int?, cores: Int?) {
    self.plan = plan
    self.physicalMemoryKB = physicalMemoryKB
    self.cores = cores
  }

  public func examine() -> [DeviceFinding] {
    var facts: [String: Fact] = [
      "declaredKB": .integer(plan.sumMemoryKB), "totalKB": .integer(plan.totalMemoryKB),
      "declaredCPUPercent": .integer(plan.sumCPUPercent), "totalCPUPercent": .integer(plan.totalCPUPercent),
    ]
    if let physicalMemoryKB { facts["physicalKB"] = .integer(physicalMemoryKB) }
    if let cores { facts["cores"] = .integer(cores) }
    do throws(BudgetError) {
      try plan.requireFit(physicalMemoryKB: physicalMemoryKB, cores: cores)
    } catch {
      return [
        DeviceFinding(
          "budget", .failed, error.reasons.joined(separator: "; "),
          remedy: "mynah budget --board \(plan.board) shows the table; change the board file", facts: facts)
      ]
    }
    let memory = physicalMemoryKB.map { " of the machine's \($0 / 1024)" } ?? ""
    return [
      DeviceFinding(
        "budget", .works,
        "\(plan.sumMemoryKB / 1024) of \(plan.totalMemoryKB / 1024) MiB planned\(memory), "
          + "\(plan.sumCPUPercent) of \(plan.totalCPUPercent) % of a core", facts: facts)
    ]
  }
}
