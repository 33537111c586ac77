public import Hardware
public import JSON

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
  /// What the wall clock said then; nil if nobody asked.
  public let wall: WallTime?
  public let severity: LogSeverity
  /// The room that speaks: `recorder`, `library`, `console`.
  public let subsystem: String
  /// One sentence; control characters are replaced, so that a file's name cannot steer a terminal.
  public let text: String

  public init(at: Instant, wall: WallTime? = nil, _ severity: LogSeverity, _ subsystem: String, _ text: String) {
    self.at = at
    self.wall = wall
    self.severity = severity
    self.subsystem = subsystem
    self.text = Self.cut(text).shown
  }

  /// `     12.345 warning recorder: the microphone lost 0.300 s`, for people and for standard error.
  public var line: String {
    Self.text(
      seconds: PeopleText.fixed(at.seconds, 3), severity: severity.rawValue, subsystem: subsystem, text: text)
  }

  /// The same behind the wall clock's time, for files and consoles: `2026-11-20T21:54:00Z     12.345 warning …`.
  public var stampedLine: String { line(dated: \.iso8601) }

  /// The same with the time as somebody reads it.
  public func line(dated: (WallTime) -> String) -> String { (wall.map { dated($0) + " " } ?? "") + line }

  /// Reads what `stampedLine` has written; nil if it is none.
  public init?(stamped line: some StringProtocol) {
    let parts = line.split(separator: " ", maxSplits: 3)
    guard parts.count == 4, let wall = WallTime(iso8601: String(parts[0])), let seconds = Double(parts[1]),
      (0..<9e9).contains(seconds), let severity = LogSeverity(rawValue: String(parts[2])),
      let colon = parts[3].firstIndex(of: ":"), parts[3][colon...].hasPrefix(": ")
    else { return nil }
    self.init(
      at: Instant(nanoseconds: Int64((seconds * 1e3).rounded()) * 1_000_000), wall: wall, severity,
      parts[3][..<colon].drop { $0 == " " }.shown, String(parts[3][colon...].dropFirst(2)))
  }

  /// Reads what consoles are told of a line; nil if it is none.
  public init?(json: JSONValue) {
    guard let seconds = json["t"]?.numberValue, (0..<9e9).contains(seconds),
      let severity = json["level"]?.stringValue.flatMap({ LogSeverity(rawValue: $0) }),
      let subsystem = json["subsystem"]?.stringValue, let text = json["text"]?.stringValue
    else { return nil }
    self.init(
      at: Instant(nanoseconds: Int64((seconds * 1e9).rounded())),
      wall: json["time"]?.stringValue.flatMap { WallTime(iso8601: $0) }, severity, subsystem, text)
  }

  /// Whether it is the same line, of which a file has milliseconds and whole seconds only.
  public func isSame(as other: LogLine) -> Bool { stampedLine == other.stampedLine }

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

  /// Puts lines of earlier runs before what there is, as far as there is room.
  public mutating func precede(_ earlier: [LogLine]) {
    guard lost == 0 else { return }
    lines = (earlier.filter { $0.severity >= threshold } + lines).suffix(capacity)
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
    Field("time", ifAny: \.wall?.iso8601, "when, by the wall clock"),
    Field("level", \.severity, "how much it matters"),
    Field("subsystem", \.subsystem, "the room that speaks: recorder, library, console"),
    Field("text", \.text, "one sentence"),
  ]
}

extension LogSeverity: WireValue {}
