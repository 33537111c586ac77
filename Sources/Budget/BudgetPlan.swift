public import Board

/// What a board grants the firmware and its parts, and whether that adds up.
public struct BudgetPlan: Hashable, Sendable {
  /// Name of the board, for messages.
  public let board: String
  /// One line a part that the board grants anything, in the order of `Subsystem.allCases`.
  public let lines: [BudgetLine]
  /// Resident memory of the whole process, KiB.
  public let totalMemoryKB: Int
  /// Processor time of the whole process, percent of one core.
  public let totalCPUPercent: Int
  /// Processor time of one step of a lane, milliseconds.
  public let stepMilliseconds: Int
  /// Memory of the smallest variant of the board, KiB.
  public let boardMemoryKB: Int

  public init(_ board: BoardDescription) {
    self.board = board.name
    lines = board.budget.lines
    totalMemoryKB = board.budget.rssMB * 1024
    totalCPUPercent = board.budget.cpuPercent
    stepMilliseconds = board.budget.stepMilliseconds
    boardMemoryKB = board.ramMB * 1024
  }

  /// The most memory that the lines come to at a time, KiB: of modes that never run together, the largest counts.
  public var sumMemoryKB: Int { most(\.memoryKB) }

  /// The most processor time that the lines come to at a time, percent of one core.
  public var sumCPUPercent: Int { most(\.cpuPercent) }

  /// Memory while one mode runs and no other, KiB.
  public func memoryKB(during mode: BudgetMode?) -> Int {
    lines.reduce(0) { $0 + ($1.subsystem.mode == nil || $1.subsystem.mode == mode ? $1.memoryKB : 0) }
  }

  /// Memory that no line claims while one mode runs and no other, KiB.
  public func spareMemoryKB(during mode: BudgetMode) -> Int { max(0, totalMemoryKB - memoryKB(during: mode)) }

  private func most(_ amount: (BudgetLine) -> Int) -> Int {
    func sum(_ mode: BudgetMode?) -> Int { lines.reduce(0) { $0 + ($1.subsystem.mode == mode ? amount($1) : 0) } }
    return sum(nil) + (BudgetMode.allCases.map(sum).max() ?? 0)
  }

  /// The line of a part; zero if the board grants it nothing.
  public func line(_ subsystem: Subsystem) -> BudgetLine {
    lines.first { $0.subsystem == subsystem } ?? BudgetLine(subsystem, memoryKB: 0, cpuPercent: 0)
  }

  /// Refuses a plan that does not add up; called at start, before anything is allocated.
  ///
  /// - Parameters:
  ///   - physicalMemoryKB: memory of the machine this runs on, KiB (`ProcessUsage.physicalMemoryKB()`); nil if it is
  ///     not known, or is another machine's.
  ///   - cores: processor cores of the machine; nil if not known.
  public func requireFit(physicalMemoryKB: Int? = nil, cores: Int? = nil) throws(BudgetError) {
    var reasons: [String] = []
    if sumMemoryKB > totalMemoryKB {
      reasons.append(
        "the parts need \(sumMemoryKB) KiB, \(sumMemoryKB - totalMemoryKB) KiB more than the total of "
          + "\(totalMemoryKB) KiB: raise budget.rss_mb or lower a memory_kb")
    }
    if sumCPUPercent > totalCPUPercent {
      reasons.append(
        "the parts need \(sumCPUPercent) % of a core, more than the total of \(totalCPUPercent) %: "
          + "raise budget.cpu_percent or lower a part's")
    }
    if totalMemoryKB > boardMemoryKB {
      reasons.append(
        "the total of \(totalMemoryKB) KiB is more than the board's \(boardMemoryKB) KiB: lower budget.rss_mb")
    }
    if let physicalMemoryKB, totalMemoryKB > physicalMemoryKB {
      reasons.append(
        "the total of \(totalMemoryKB) KiB is more than this machine's \(physicalMemoryKB) KiB: is it the board "
          + "\(board)?")
    }
    if let cores, totalCPUPercent > cores * 100 {
      reasons.append("the total of \(totalCPUPercent) % of a core is more than this machine's \(cores) cores")
    }
    guard reasons.isEmpty else { throw BudgetError(board: board, reasons: reasons, table: table) }
  }

  /// The plan as a table of at most 80 columns.
  public var table: String {
    var columns = Columns([.left(12), .right(12), .right(8)])
    columns.add(["PART", "MEMORY KiB", "CPU %"])
    for line in lines { columns.add([line.subsystem.rawValue, "\(line.memoryKB)", "\(line.cpuPercent)"]) }
    // Of modes that never run together, the largest.
    columns.add(["sum", "\(sumMemoryKB)", "\(sumCPUPercent)"])
    columns.add(["total", "\(totalMemoryKB)", "\(totalCPUPercent)"])
    columns.add(["board", "\(boardMemoryKB)", ""])
    columns.add(["step", "", "\(stepMilliseconds) ms"])
    return columns.text
  }
}

/// A plan that does not add up: why, and the table.
public struct BudgetError: Error, Hashable, Sendable, CustomStringConvertible {
  public var board: String
  /// One sentence a reason; never empty.
  public var reasons: [String]
  public var table: String

  /// The reasons, a line each, and the table.
  public var description: String {
    "the budget of board \(board) does not fit:\n" + reasons.map { "  \($0)\n" }.joined() + table
  }
}
