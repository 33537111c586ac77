internal import Appliance
internal import Board
public import Budget
public import Console
internal import Hardware

enum BudgetNow: DeviceMethod {
  static let row = MethodRow("budget.report", "shows memory and processor time, declared and used", .viewer)
  typealias Answer = BudgetReport

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    device.budget.report()
  }
}

extension BudgetReport: WireObject {
  /// The result of `budget.report` and of `mynah budget --json`.
  public static let fields: [Field<BudgetReport>] = [
    Field("board", \.board, "name of the board file"), Field("lines", \.lines, "a line a subsystem"),
    Field("declaredKB", \.declaredKB, "what the board grants the process, in KiB"),
    Field("allocatedKB", \.allocatedKB, "what all parts have allocated, in KiB"),
    Field("rssKB", \.rssKB, "resident memory in KiB; null if nothing runs"),
    Field("fileKB", \.fileKB, "of these, pages of files: code above all"),
    Field("anonymousKB", \.anonymousKB, "of these, the process's own"),
    Field("peakRSSKB", \.peakRSSKB, "the most so far, in KiB; null if nothing runs"),
    Field("declaredCPUPercent", \.declaredCPUPercent, "what the board grants, in percent of a core"),
    Field("measuredCPUPercent", \.measuredCPUPercent, "what was measured since the last report; null before it"),
    Field("declaredStepMilliseconds", \.declaredStepMilliseconds, "what the board grants a step, of processor time"),
    Field("steps", \.steps, "the longest step so far of each lane; none if nothing runs"),
    Field("isWithin", \.isWithin, "whether no memory or processor time is above what is declared"),
  ]
}

extension BudgetReport.Step: WireObject {
  public static let fields: [Field<BudgetReport.Step>] = [
    Field("lane", \.lane, "as in system.info"),
    Field("longestMilliseconds", \.milliseconds, "of processor time; null in virtual time, where steps take none"),
    Field(
      "declaredMilliseconds", \.declaredMilliseconds, "what the board grants; null for lanes that it does not bind"),
    Field("isWithin", \.isWithin, "whether it is no longer than that"),
  ]
}

extension BudgetReport.Line: WireObject {
  public static let fields: [Field<BudgetReport.Line>] = [
    Field("subsystem", \.subsystem.rawValue, "the part of the firmware"),
    Field("declaredKB", \.declaredKB, "what the board grants it, in KiB"),
    Field("allocatedKB", \.allocatedKB, "what it has allocated, in KiB"),
    Field("peakKB", \.peakKB, "the most that it has allocated so far, in KiB; of the program, that was resident"),
    Field("measuredKB", \.measuredKB, "what was measured, in KiB; null if it cannot be"),
    Field("declaredCPUPercent", \.declaredCPUPercent, "what the board grants it, in percent of a core"),
    Field("measuredCPUPercent", \.measuredCPUPercent, "what was measured; null if it has no thread of its own"),
    Field("isWithin", \.isWithin, "whether nothing is above what is declared"),
  ]
}

enum LogTail: DeviceMethod {
  static let row = MethodRow("log.tail", "shows the latest lines of the log", .viewer)

  struct Parameters: ParameterSet {
    let lines: Int
    let level: LogSeverity

    init(_ given: inout Given) throws(CommandFailure) {
      lines = try given.value("lines", .integer(1...1000), default: 20, "how many")
      level = try given.value("level", .choice(.info), default: .info, "the least severe level")
    }
  }

  struct Answer: WireObject {
    let lines: [LogLine]
    let lost: Int
    static let fields: [Field<Self>] = [
      Field("lines", \.lines, "oldest first"), Field("lost", \.lost, "lines that have made way for later ones"),
    ]
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let log = device.events.log
    return Answer(lines: log.tail(wanted.lines, least: wanted.level), lost: log.lost)
  }
}

enum FaultInject: DeviceMethod {
  static let row = MethodRow(
    "fault.inject", "makes a device fail, in the simulator and on the rig", .technician,
    discussion:
      "microphone unplug, replug, overrun S, stall S; storage full, ok, free MB, stall S, slow S; board heat C, cool, throttle, unthrottle, battery P, mains; "
      + "pressure cpu P, memory P, io P, off; speaker, display or "
      + "camera unplug, replug; camera stall S, garbage; clock jump +S or -S; power cut. S is in seconds.")

  struct Parameters {
    let fault: Fault
  }

  static func answer(_ wanted: Parameters, in device: CommandContext) throws(CommandFailure) -> Done {
    try device.inject(wanted.fault)
    return Done()
  }
}

extension FaultInject.Parameters: ParameterSet {
  init(_ given: inout Given) throws(CommandFailure) {
    fault = try given.value("fault", .fault, "the fault, in the words of scripts")
  }
}

extension CommandContext {
  /// Makes a fault happen, where the hardware can have them on demand.
  func inject(_ fault: Fault) throws(CommandFailure) {
    guard let faults else {
      throw CommandFailure(.unsupported, "this device's faults are its own; only the simulator has them on demand")
    }
    do throws(DeviceError) { try faults.inject(fault, at: clock.now) } catch { throw CommandFailure(error) }
    if fault == .powerCut { lanes.stop() }
  }
}
