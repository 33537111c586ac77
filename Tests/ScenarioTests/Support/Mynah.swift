import Foundation
import JSON
import TestSupport
import Testing

/// The built executable, run from outside as a user would.
struct Mynah {
  /// What one run left.
  struct Run {
    let status: Int32
    let events: [Event]
    let output: String
    let errors: String
    /// Most memory that was in use, where it was measured.
    var peakKilobytes: Int?

    func events(_ topic: String) -> [Event] { events.filter { $0.topic == topic } }
  }

  /// One line of `--events`.
  struct Event {
    let sequence: Int
    let time: Double
    let topic: String
    let data: JSONValue
  }

  let folder: TemporaryFolder
  var microphone: String?
  var speaker: String?
  var clock = "virtual"
  var board = "simulator"

  var data: URL { folder.url.appendingPathComponent("data") }
  var recordings: URL { data.appendingPathComponent("recordings") }

  /// The takes that exist, oldest first.
  var takes: [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: recordings.path)) ?? []
    return names.filter { $0.hasSuffix(".m4a") || $0.hasSuffix(".wav") }.sorted()
      .map { recordings.appendingPathComponent($0) }
  }

  /// `mynah`, beside the test bundle in the build folder.
  static let executable: URL = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    return bundle.appendingPathComponent("mynah")
  }()

  /// Runs a script on simulated hardware, to its end.
  ///
  /// - Parameter measured: whether its memory is measured, by Python's eyes.
  func run(_ script: String, _ extra: [String] = [], measured: Bool = false) throws -> Run {
    let file = folder.url.appendingPathComponent("script-\(UInt32.random(in: 0 ... .max)).txt")
    try script.write(to: file, atomically: true, encoding: .utf8)
    guard measured else { return try Self.execute(arguments(script: file) + extra) }
    let peak = folder.file("peak")
    let program = """
      import resource, subprocess, sys
      code = subprocess.run(sys.argv[2:]).returncode
      open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
      sys.exit(code)
      """
    let words = ["-c", program, peak, Self.executable.path] + arguments(script: file) + extra
    var run = Self.run(of: try Tool.run(DubPeer.python, words))
    run.peakKilobytes = Int(try String(contentsOfFile: peak, encoding: .utf8))
    return run
  }

  func arguments(script: URL?) -> [String] {
    var arguments = ["simulate", "--board", board, "--data", data.path, "--clock", clock, "--events"]
    if let script { arguments += ["--script", script.path] }
    if let microphone { arguments += ["--microphone", microphone] }
    if let speaker { arguments += ["--speaker", speaker] }
    return arguments
  }

  /// Runs `mynah` with these arguments and waits for its end.
  static func execute(_ arguments: [String]) throws -> Run {
    run(of: try Tool.run(executable.path, arguments))
  }

  private static func run(of result: Tool.Result) -> Run {
    let events = result.output.split(separator: "\n").compactMap { event(line: String($0)) }
    return Run(status: result.status, events: events, output: result.output, errors: result.errors)
  }

  static func event(line: String) -> Event? {
    guard let value = try? JSONValue(parsing: Array(line.utf8)), let topic = value["topic"]?.stringValue,
      let sequence = value["seq"]?.integerValue, let time = value["t"]?.numberValue
    else { return nil }
    return Event(sequence: sequence, time: time, topic: topic, data: value["data"] ?? .null)
  }
}
