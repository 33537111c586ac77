public import Hardware

/// How much a line of the log matters, from least to most. The raw values are those of the setting `log.level`.
public enum LogSeverity: String, Hashable, Sendable, CaseIterable, Comparable {
  case debug
  case info
  case warning
  case error

  public static func < (left: LogSeverity, right: LogSeverity) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}

/// One line of the log.
public struct LogLine: Hashable, Sendable {
  /// The longest text in bytes; what is longer is cut.
  public static let limit = 512

  public let at: Instant
  public let severity: LogSeverity
  /// The room that speaks: `recorder`, `library`, `console`.
  public let subsystem: String
  /// One sentence; control characters are replaced, so that a file's name cannot steer a terminal.
  public let text: String

  public init(at: Instant, _ severity: LogSeverity, _ subsystem: String, _ text: String) {
    self.at = at
    self.severity = severity
    self.subsystem = subsystem
    self.text = Self.cut(text).shown
  }

  /// `     12.345 warning recorder: the microphone lost 0.300 s`, for people and for standard error.
  public var line: String {
    Self.text(
      seconds: PeopleText.fixed(at.seconds, 3), severity: severity.rawValue, subsystem: subsystem, text: text)
  }

  static func text(seconds: String, severity: String, subsystem: String, text: String) -> String {
    String(repeating: " ", count: max(0, 10 - seconds.count)) + seconds + " " + PeopleText.pad(severity, 7)
      + " \(subsystem): \(text)"
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    var result = ""
    var used = 0
    for scalar in text.unicodeScalars {
      used += UTF8.width(scalar)
      if used > limit - 3 { break }
      result.unicodeScalars.append(scalar)
    }
    return result + "..."
  }
}

/// The latest lines of the log, in bounded memory. A plain value; the control loop owns it.
public struct Log: Sendable {
  /// Lines that are kept.
  public let capacity: Int
  /// Lines below this are not kept.
  public var threshold: LogSeverity
  /// Lines that have made way for later ones.
  public private(set) var lost = 0

  private var lines: [LogLine] = []
  /// Where the oldest line is, once the ring is full.
  private var oldest = 0

  /// An empty log; 1,000 lines cost some 0.2 MB, at most 0.6 MB.
  public init(capacity: Int = 1000, threshold: LogSeverity = .debug) {
    self.capacity = max(1, capacity)
    self.threshold = threshold
  }

  /// Adds a line, at the cost of the oldest if there are `capacity` already.
  public mutating func append(_ line: LogLine) {
    guard line.severity >= threshold else { return }
    if lines.count < capacity {
      lines.append(line)
    } else {
      lines[oldest] = line
      oldest = (oldest + 1) % capacity
      lost += 1
    }
  }

  /// The last `count` lines that matter at least as much as `least`, oldest first.
  public func tail(_ count: Int, least: LogSeverity = .debug) -> [LogLine] {
    let ordered = lines[oldest...] + lines[..<oldest]
    return ordered.filter { $0.severity >= least }.suffix(max(0, count))
  }
}

extension LogLine: WireObject {
  public static let fields: [Field<LogLine>] = [
    Field("t", \.at.seconds, "when, on the monotonic clock, in seconds"),
    Field("level", \.severity, "how much it matters"),
    Field("subsystem", \.subsystem, "the room that speaks: recorder, library, console"),
    Field("text", \.text, "one sentence"),
  ]
}

extension LogSeverity: WireValue {}
