import Board
import Hardware
import JSON
import TestSupport

@testable import Console
@testable import Library

extension FuzzTarget {
  private static let members = [
    "\"id\": \"000042_2026-11-20T21-54-00Z.m4a\",", "\"frames\": 9223372036854775807,", "\"bookmarks\": [],",
    "{\"id\": \"a\", \"time\": 1.5, \"frame\": 72000},", "\"inProgress\": true,", "\"session\": 999999999999,",
    "\"createdAt\": \"2026-11-20T21:54:00Z\",", "\"lastPlayedPosition\": 1e18,", "\"gaps\": [{\"frame\": 1}],", "[[[[",
    "{\"a\":", "\"durationSeconds\": 1e308,", "\"wall\": -9223372036854775808,", "\"protected\": true,",
  ]

  /// JSON of every kind: what is read can be written, and reads the same.
  static let json = FuzzTarget("json", .text(members)) { bytes in
    guard let value = try? JSONValue(parsing: bytes, limits: JSONLimits(depth: 512)) else { return nil }
    guard let again = try? JSONValue(parsing: value.text, limits: JSONLimits(bytes: .max, depth: 512)) else {
      return "what was written cannot be read"
    }
    return again == value ? nil : "what was written reads otherwise"
  }

  /// The metadata beside a take.
  static let sidecar = FuzzTarget("sidecar", .text(members)) { bytes in
    guard let meta = try? FileMeta(json: bytes, path: "a.json") else { return nil }
    let written = meta.json()
    guard let again = try? FileMeta(json: written, path: "a.json") else {
      return "what was written cannot be read: \(String(decoding: written, as: UTF8.self))"
    }
    return again.json() == written ? nil : "what was written reads otherwise"
  }

  /// A whole data directory: parts that begin with `=== path`, of which `@take` and `@clip` stand for real files.
  static let library = FuzzTarget(
    "library",
    .text(
      members + [
        "=== recordings/000001_2026-11-20T21-54-00Z.m4a\n@take", "=== recordings/999999999999_x.wav\n@take",
        "=== clips/000002_x.mp4\n@clip", "=== clips/000003_x.mp4.part\n@clip", "=== cache/ring-1.mp4\n@clip",
        "=== trash/000004_x.m4a\n@take", "=== state.json\n{\"session\": 3}", "=== settings.json\n{}",
        "=== catalogue\nmynah catalogue 1", "=== recordings/000001_x.json\n{}", "=== clips/000002_x.json\n{}",
      ])
  ) { bytes in
    DataDirectory(bytes).problem
  }

  /// Board files, by toml++ and the checks above it.
  static let board = FuzzTarget(
    "board",
    .text([
      "[display]", "gpio = 17", "[[buttons]]", "inherits = \"raspberrypi\"", "rate = 48000", "\"\"\"", "'''", "inf",
    ])
  ) { bytes in
    do throws(BoardError) {
      _ = try Boards.load(path: "f.toml") { (path) throws(BoardReadError) in
        guard path == "f.toml" else { throw BoardReadError(reason: "no such file") }
        return bytes
      }
    } catch {
      guard !error.problems.isEmpty else { return "refused without a problem" }
      for problem in error.problems where problem.description.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
        return "control characters in \(problem)"
      }
    }
    return nil
  }

  /// What comes over the console, in either face.
  static let console = FuzzTarget(
    "console",
    .text([
      "status", "press REC", "hold LOCK 2", "list ", "help ", "\t", "\u{1B}[A", "\u{1B}[3~", "\u{3}", "\u{15}",
      "\u{7F}",
      #"{"jsonrpc":"2.0","id":1,"method":"fuzz.echo","params":{"number":1,"seconds":0.5,"text":"a"}}"#,
      #"{"jsonrpc":"2.0","id":5,"method":"session.human"}"#, #"[{"jsonrpc":"2.0"}]"#, "echo 1 2.5 \"x y\"",
      #"{"jsonrpc":"2.0","id":1e400,"method":"events.subscribe","params":{"topics":["onMark"]}}"#,
      "\u{1B}[8;6;80thelp\r q", "watch 1 help\r", "page 3\rhelp echo\r",
    ])
  ) { bytes in
    let device = EchoDevice()
    var sent = 0
    let environment = ConsoleSession.Environment(
      send: { sent += $0.count }, height: 24, knowledge: { _ in ["a", "b c"] })
    let session = ConsoleSession(
      dispatcher: CommandDispatcher(EchoDevice.table, context: device), environment: environment)
    session.start()
    for place in stride(from: 0, to: bytes.count, by: 100) {
      session.receive(Array(bytes[place..<min(bytes.count, place + 100)]))
      _ = session.step(now: Instant(nanoseconds: Int64(place) * 100_000_000))
    }
    // Help is the longest answer to the fewest bytes; a line is drawn again for every key.
    return sent < 1 << 20 + bytes.count << 9 ? nil : "\(sent) bytes were sent for \(bytes.count)"
  }

  /// Scripts of the simulator.
  static let script = FuzzTarget(
    "script",
    .text([
      "0.5 press REC", "3 hold LOCK 2.0", "4 mark a", "9 fault microphone overrun 0.3", "9 fault clock jump +3600",
      "10 expect mode dictaphone.idle", "12 call fuzz.echo {\"number\":1}", "16 quit", "10 expect led REC on",
    ])
  ) { bytes in
    let table = EchoDevice.table.catalogue
    do {
      let script = try Script(parsing: bytes, name: "s", table: table)
      return zip(script.lines, script.lines.dropFirst()).allSatisfy { $0.at <= $1.at } ? nil : "times go back"
    } catch {
      return nil
    }
  }
}

/// A device with one command that has parameters of every kind.
final class EchoDevice: CommandSurroundings {
  let isRecording = false

  func identify(_ words: [String], isClip: Bool, reply: @escaping (Result<[String], CommandFailure>) -> Void) {
    reply(.success(words))
  }

  static let table = CommandTable<EchoDevice>(
    methods: [MethodEntry(Echo.self)],
    words: [
      Word("echo", "gives it back", calls: Echo.self)
    ])

  enum Echo: Method {
    typealias Answer = JSONValue

    static let row = MethodRow("fuzz.echo", "gives it back", .operator)

    struct Parameters: ParameterSet {
      let answer: JSONValue

      init(_ given: inout Given) throws(CommandFailure) {
        let number = try given.value("number", .integer(-5...1000), default: 1, "a number")
        let seconds = try given.value("seconds", .number(-86_400...86_400), default: 0, "seconds")
        let text = try given.optional("text", .text(limit: 200), "a text")
        let fault = try given.optional("fault", .fault, "a fault")
        answer = [
          "number": .integer(number), "seconds": .number(seconds), "text": text.map { .string($0) } ?? .null,
          "fault": fault.map { .string(FaultGrammar.text($0)) } ?? .null,
        ]
      }
    }

    static func perform(
      _ parameters: Parameters, in device: EchoDevice, reply: @escaping (Result<JSONValue, CommandFailure>) -> Void
    ) { reply(.success(parameters.answer)) }
  }
}
