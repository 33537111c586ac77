public import Board

/// Declared, allocated, measured: one line a part, and the whole.
public struct BudgetReport: Hashable, Sendable {
  /// A part of the firmware.
  public struct Line: Hashable, Sendable {
    public var subsystem: Subsystem
    /// What the board grants, KiB.
    public var declaredKB: Int
    /// What the ledger says, KiB, rounded up.
    public var allocatedKB: Int
    /// The most so far, KiB: of what the ledger says; of the program, of resident memory without the parts' most.
    public var peakKB: Int
    /// What was measured, KiB. Resident memory has no owner but the process: only the program's line has it, as what
    /// remains of the whole without the parts' allocations.
    public var measuredKB: Int?
    /// What the board grants, percent of one core.
    public var declaredCPUPercent: Int
    /// What was measured, percent of one core; nil for parts without a thread of their own.
    public var measuredCPUPercent: Double?
    /// Whether nothing is above what is declared.
    public var isWithin: Bool
  }

  /// What the longest step of a lane took.
  public struct Step: Hashable, Sendable {
    public var lane: String
    /// Processor time, milliseconds; nil where it is not measured.
    public var milliseconds: Double?
    /// What the board grants; nil for lanes for whose steps nobody waits.
    public var declaredMilliseconds: Int?

    public init(lane: String, milliseconds: Double?, declaredMilliseconds: Int?) {
      (self.lane, self.milliseconds, self.declaredMilliseconds) = (lane, milliseconds, declaredMilliseconds)
    }

    public var isWithin: Bool {
      guard let milliseconds, let declaredMilliseconds else { return true }
      return milliseconds <= Double(declaredMilliseconds)
    }
  }

  public var board: String
  public var lines: [Line]
  /// What the board grants a step, milliseconds of the processor.
  public var declaredStepMilliseconds: Int
  /// The longest steps since the start, lane by lane; empty if nothing is running.
  public var steps: [Step]
  /// What the board grants the process, KiB.
  public var declaredKB: Int
  /// What all parts have allocated, KiB.
  public var allocatedKB: Int
  /// Resident memory now, KiB; nil if nothing is running.
  public var rssKB: Int?
  /// Of these, pages of files and the process's own, KiB; nil if nothing is running.
  public var fileKB: Int?
  public var anonymousKB: Int?
  /// Highest resident memory so far, KiB; nil if nothing is running.
  public var peakRSSKB: Int?
  /// What the board grants the process, percent of one core.
  public var declaredCPUPercent: Int
  /// What was measured, percent of one core; nil before the second sample.
  public var measuredCPUPercent: Double?
  /// Whether the process (its peak memory too) and every part are within what is declared; of steps, each says so itself,
  /// for the longest never becomes shorter.
  public var isWithin: Bool

  /// - Parameters:
  ///   - peaks: the most bytes that each part has held so far (`BudgetLedger.peaks`).
  ///   - usage: a sample of the process; nil where only the plan is to be shown.
  ///   - load: load between two samples; nil if there was only one.
  ///   - steps: the longest steps.
  public init(
    _ plan: BudgetPlan, allocated: [BudgetLedger.Entry] = [], peaks: [Int] = [],
    usage: ProcessUsage? = nil, load: BudgetLoad? = nil, steps: [Step] = []
  ) {
    func rounded(_ bytes: Int) -> Int { bytes / 1024 + (bytes % 1024 > 0 ? 1 : 0) }
    func kilobytes(_ subsystem: Subsystem) -> Int {
      rounded(allocated.reduce(0) { $0 + ($1.subsystem == subsystem ? $1.bytes : 0) })
    }
    board = plan.board
    (declaredStepMilliseconds, self.steps) = (plan.stepMilliseconds, steps)
    declaredKB = plan.totalMemoryKB
    declaredCPUPercent = plan.totalCPUPercent
    rssKB = usage?.rssKB
    (fileKB, anonymousKB) = (usage?.fileKB, usage?.anonymousKB)
    peakRSSKB = usage?.peakRSSKB
    let others = Subsystem.allCases.reduce(0) { $0 + ($1 == .program ? 0 : kilobytes($1)) }
    let mostOfOthers = zip(Subsystem.allCases, peaks).reduce(0) { $0 + ($1.0 == .program ? 0 : rounded($1.1)) }
    measuredCPUPercent = load?.totalPercent
    allocatedKB = others + kilobytes(.program)
    var lines: [Line] = []
    for (place, subsystem) in Subsystem.allCases.enumerated() {
      let granted = plan.line(subsystem)
      var line = Line(
        subsystem: subsystem, declaredKB: granted.memoryKB, allocatedKB: kilobytes(subsystem),
        peakKB: max(kilobytes(subsystem), rounded(place < peaks.count ? peaks[place] : 0)), measuredKB: nil,
        declaredCPUPercent: granted.cpuPercent, measuredCPUPercent: load?.percent[subsystem], isWithin: true)
      if subsystem == .program, let usage {
        let measured = max(0, usage.rssKB - others)
        line.measuredKB = measured
        line.peakKB = max(line.peakKB, measured, usage.peakRSSKB - mostOfOthers)
      }
      line.isWithin =
        max(line.allocatedKB, line.measuredKB ?? 0) <= line.declaredKB
        && (line.measuredCPUPercent ?? 0) <= Double(line.declaredCPUPercent)
      if granted.memoryKB > 0 || granted.cpuPercent > 0 || !line.isWithin { lines.append(line) }
    }
    self.lines = lines
    isWithin =
      lines.allSatisfy(\.isWithin) && (peakRSSKB ?? 0) <= declaredKB
      && (measuredCPUPercent ?? 0) <= Double(declaredCPUPercent)
  }

  /// The report as a table of at most 80 columns.
  public var table: String {
    var columns = Columns([
      .left(12), .right(10), .right(10), .right(10), .right(10), .right(8), .right(8), .left(4),
    ])
    columns.add(["PART", "GRANT KiB", "ALLOC KiB", "PEAK KiB", "RSS KiB", "GRANT %", "CPU %", "OK"])
    for line in lines {
      columns.add([
        line.subsystem.rawValue, "\(line.declaredKB)", "\(line.allocatedKB)", "\(line.peakKB)",
        line.measuredKB.map { "\($0)" } ?? "–",
        "\(line.declaredCPUPercent)", Columns.tenths(line.measuredCPUPercent), line.isWithin ? "yes" : "NO",
      ])
    }
    columns.add([
      "whole", "\(declaredKB)", "\(allocatedKB)", peakRSSKB.map { "\($0)" } ?? "–",
      rssKB.map { "\($0)" } ?? "–", "\(declaredCPUPercent)",
      Columns.tenths(measuredCPUPercent), isWithin ? "yes" : "NO",
    ])
    return columns.text
  }
}
