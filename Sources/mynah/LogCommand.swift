import ArgumentParser
import Console
import Hardware
import JSON
import Library
import LinuxHardware
import Runtime

/// `mynah log`: what stands in `log/` of a data directory, and what the device that works in it has not written yet.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the log of a data directory, and of the device that works in it.",
    discussion: "A running device writes its log every ten minutes; its console is asked for the rest.")

  @Option(help: "Data directory.") var data = "mynah-data"
  @Option(help: "Console of the running device; without it, DATA/console.") var console: String?
  @Option(help: "How many lines at most, the latest.") var lines = 20
  @Option(
    help: "The least severe level: debug, info, warning or error.",
    transform: {
      guard let level = LogSeverity(rawValue: $0) else { throw ValidationError("there is no level \($0)") }
      return level
    })
  var level = LogSeverity.info
  @Flag(help: "Go on with what the running device logs.") var follow = false

  func validate() throws { if lines < 0 { throw ValidationError("--lines cannot be less than 0") } }

  func run() throws {
    let caller = try device()
    guard Host.isDirectory(data) || caller != nil else {
      throw Host.failure(Exit.noInput, "\(data): there is no such directory")
    }
    var all: [LogLine] = []
    if Host.isDirectory(data) {
      all = ApplianceRuntime.logLines(on: ReadOnlyStorage(try Host.storage(data, reserveMB: 0)))
    }
    do throws(DeviceError) {
      if let caller { all.append(contentsOf: try Self.unwritten(caller, after: all.last)) }
      for line in all.filter({ $0.severity >= level }).suffix(lines) { Host.say(line.stampedLine) }
      guard follow, let caller else { return }
      while let answer = try Self.document(caller) {
        guard let line = Self.line(answer), line.severity >= level else { continue }
        Host.say(line.stampedLine)
      }
    } catch {
      throw Host.failure(Exit.inputOutput, "\(error)")
    }
  }

  /// The console of the device that runs, if one does.
  private func device() throws -> ConsoleCaller? {
    let path = console ?? data + "/console"
    do throws(DeviceError) { return try ConsoleCaller(path: path) } catch {
      guard follow || console != nil || error.kind == .denied || error.kind == .busy else { return nil }
      throw Host.failure(Exit.unavailable, "\(error)")
    }
  }

  /// What the device remembers beyond what stands in its files. From here on it sends what comes.
  private static func unwritten(_ caller: ConsoleCaller, after last: LogLine?) throws(DeviceError) -> [LogLine] {
    try call(caller, 0, "log.follow", ["level": "debug"])
    try call(caller, 1, "log.tail", ["level": "debug", "lines": 1000])
    while let answer = try document(caller) {
      guard answer["id"] == 1 else { continue }
      let lines = (answer["result"]?["lines"]?.arrayValue ?? []).compactMap { LogLine(json: $0) }
      guard let last, let known = lines.lastIndex(where: { $0.isSame(as: last) }) else { return lines }
      return Array(lines[(known + 1)...])
    }
    return []
  }

  private static func call(
    _ caller: ConsoleCaller, _ id: Int, _ method: String, _ parameters: JSONValue
  ) throws(DeviceError) {
    try caller.send(
      JSONValue.object(["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": parameters]).text)
  }

  private static func document(_ caller: ConsoleCaller) throws(DeviceError) -> JSONValue? {
    while let line = try caller.next() {
      // Before them come the greeting and the prompt of the people's face.
      if line.first == UInt8(ascii: "{"), let value = try? JSONValue(parsing: line) { return value }
    }
    return nil
  }

  private static func line(_ document: JSONValue) -> LogLine? {
    document["method"] == "log" ? document["params"].flatMap { LogLine(json: $0) } : nil
  }
}
