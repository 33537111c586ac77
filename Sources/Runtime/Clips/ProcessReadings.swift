internal import Budget
internal import Hardware

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

  private let process: ProcessWatch
  private let sensors: (any BoardSensors)?
  private var meter = BudgetMeter()
  private var load: BudgetLoad?

  init(_ ground: Ground) { (process, sensors) = (ground.process, ground.hardware.sensors) }

  /// Some 100 µs. Control lane only.
  func reading() -> Reading {
    let usage = process.usage()
    load = meter.add(usage) ?? load
    return Reading(
      residentBytes: usage.rssKB * 1024, processorLoad: load.map { $0.totalPercent / 100 },
      temperature: sensors?.read().temperature)
  }
}
