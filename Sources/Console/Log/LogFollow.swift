internal import JSON

/// Sends lines of the log to a console as they come.
public enum LogFollow: ConsoleMethod {
  public static let row = MethodRow(
    "log.follow", "sends lines of the log to this console as they come", .viewer,
    discussion:
      "Each is a notification of the method \"log\" with what log.tail has of a line. Lines that the console "
      + "is too slow to take are left out, and counted in \"lost\" of the next one.")

  public struct Parameters: ParameterSet {
    let isOn: Bool
    let level: LogSeverity

    public init(_ given: inout Given) throws(CommandFailure) {
      isOn = try given.value("on", .flag, default: true, "false: no longer")
      level = try given.value("level", .choice(.info), default: .info, "the least severe level")
    }
  }

  static func answer(_ wanted: Parameters, at place: CallPlace) throws(CommandFailure) -> Done {
    try place.face(row.method).follow(wanted.isOn ? wanted.level : nil)
    return Done()
  }
}

extension WordCall {
  /// Has lines of the log shown above the prompt as they come, from this level on, until ^C.
  public func followLog(_ level: LogSeverity) { place.console?.follow(level) }
}

extension LogLine {
  /// As a program is told of it.
  ///
  /// - Parameter lost: lines before it that were left out.
  func notification(lost: Int) -> String {
    var members = json.objectValue ?? [:]
    if lost > 0 { members["lost"] = .integer(lost) }
    return JSONValue.object(["jsonrpc": "2.0", "method": "log", "params": .object(members)]).text
  }
}
