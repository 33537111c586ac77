internal import Budget

/// What telemetry tells of the process and the board. Only where the clock is real: a run in virtual time is the same
/// every time.
final class ProcessReadings {
  struct Reading {
    var residentBytes: Int
    /// Share of one core; `nil` at the first reading.
    var processorLoad: Double?
    /// Degrees Celsius; `nil` where the kernel has no sensor.
    var temperature: Double?
  }

  private var meter = BudgetMeter()

  /// Some 100 µs. Control lane only.
  func reading() -> Reading {
    let usage = ProcessUsage.sample()
    return Reading(
      residentBytes: usage.rssKB * 1024, processorLoad: meter.add(usage).map { $0.totalPercent / 100 },
      temperature: ProcessUsage.temperature())
  }
}
