public import Hardware

/// What the doctor found: every device, in the order in which it was looked at.
public struct DoctorReport: Hashable, Sendable {
  /// Name of the board.
  public var board: String
  /// Version of the program.
  public var version: String
  public var findings: [DeviceFinding]

  public init(board: String, version: String, findings: [DeviceFinding]) {
    self.board = board
    self.version = version
    self.findings = findings
  }

  /// Lets every probe look. Blocks as long as they do.
  public init(board: String, version: String, probes: [any Probe]) {
    self.init(board: board, version: version, findings: probes.flatMap { $0.examine() })
  }

  /// Those that must be mended.
  public var failures: [DeviceFinding] { findings.filter(\.verdict.isFailure) }

  /// Whether nothing must be mended.
  public var isInOrder: Bool { failures.isEmpty }

  /// The last line for people.
  public var summary: String {
    let limited = findings.count { $0.verdict == .limited }
    let failed = failures.count
    if failed > 0 { return "\(failed) of \(findings.count) to mend: \(failures.map(\.device).joined(separator: ", "))" }
    return limited == 0 ? "all works" : "all works, \(limited) not as well as it should"
  }
}
