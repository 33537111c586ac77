public import Hardware
public import JSON

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

  /// For programs, and for the console's `doctor`. The keys stay.
  public var json: JSONValue {
    [
      "board": .string(board), "version": .string(version), "works": .bool(isInOrder),
      "failed": .integer(failures.count), "summary": .string(summary), "checks": .array(findings.map(\.json)),
    ]
  }
}

extension DeviceFinding {
  /// One of `checks`.
  public var json: JSONValue {
    [
      "device": .string(device), "place": .string(place), "verdict": .string(verdict.rawValue),
      "works": .bool(!verdict.isFailure), "detail": .string(detail),
      "remedy": remedy.isEmpty ? .null : .string(remedy), "facts": .object(facts.mapValues(\.json)),
    ]
  }
}

extension Fact {
  var json: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .text(let value): .string(value)
    case .flag(let value): .bool(value)
    }
  }
}
