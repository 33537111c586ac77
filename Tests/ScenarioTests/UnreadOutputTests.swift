import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// Programs that are started, and that nobody listens to.
@Suite struct UnreadOutputTests {
  @Test func `A device whose events nobody reads goes on, and says later how many were left out`() throws {
    let folder = TemporaryFolder()
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = Mynah.executable
    process.arguments = [
      "simulate", "--data", folder.file("data"), "--console", folder.file("console"), "--camera", "none", "--events",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }
    let client = try ConsoleClient(folder.file("console"))
    let end = Monotonic.now + 60
    while try client.call("recorder.start")["error"] != nil, Monotonic.now < end { usleep(50_000) }
    while try client.call("recorder.mark")["error"] != nil, Monotonic.now < end { usleep(50_000) }
    let title = String(repeating: "x", count: 200)
    let mark = #"{"jsonrpc":"2.0","id":"m","method":"recorder.mark","params":{"title":"\#(title)"}}"#
    for _ in 0..<10 {
      client.send("[\(Array(repeating: mark, count: 100).joined(separator: ","))]\n")
      let answers = try client.document(patience: 60).arrayValue ?? []
      #expect(answers.count == 100 && answers.allSatisfy { $0["result"] != nil }, "\(answers.last ?? .null)")
    }
    #expect(try client.call("recorder.status")["result"]?["activity"] == "recording")
    let reading = Reading(pipe.fileHandleForReading)
    #expect(try client.call("recorder.stop")["result"] == [:])
    Glibc.kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = try reading.lines.map { try JSONValue(parsing: $0) }
    let lost = lines.compactMap { $0["lost"]?.integerValue }.reduce(0, +)
    #expect(lost > 100)
    // None is torn, and none is missing that is not told of.
    let told = lines.compactMap { $0["seq"]?.integerValue }
    #expect(told == told.sorted() && told.count + lost == told.last)
    #expect(lines.contains { $0["topic"] == "onTakeSaved" })
  }

  /// Runs the program in a shell, with a redirection and the like.
  private func shell(_ line: String, _ arguments: [String]) throws -> Tool.Result {
    try Tool.run("bash", ["-c", line, Mynah.executable.path] + arguments)
  }

  @Test(arguments: [
    ["manual"], ["console", "--schema"], ["version"], ["board", "list"], ["library", "list"], ["--help"], ["--version"],
    ["help", "run"], ["run", "--help"], ["--generate-completion-script", "bash"],
  ])
  func `What a command says and cannot write is an error`(words: [String]) throws {
    let data = TemporaryFolder()
    let words = words[0] == "library" ? words + ["--data", data.path] : words
    #expect(try shell(#""$0" "$@""#, words).status == 0)
    for way in [">/dev/full", ">&-"] {
      let run = try shell(#"exec "$0" "$@" \#(way)"#, words)
      #expect(run.status == 74, "\(words) \(way): \(run.status)")
      #expect(run.errors.contains("standard output"), "\(run.errors)")
    }
  }

  @Test(arguments: [
    #""$0" "$@" --events >&- 2>&- <&-"#, #""$0" "$@" --events >/dev/full 2>/dev/full"#,
    #"set -o pipefail; "$0" "$@" --events 2>&1 | true"#,
  ])
  func `A device that nobody listens to from the start records`(line: String) throws {
    let folder = TemporaryFolder()
    let mynah = Mynah(folder: folder)
    let script = folder.put("1 press REC\n4 press STOP\n6 call library.verify\n7 quit\n", "script")
    let run = try shell(line, ["simulate", "--data", mynah.data.path, "--script", script])
    #expect(run.status == 0)
    let take = try #require(mynah.takes.first)
    let length = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", take.path])
    #expect((Double(length.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 3)
  }

  @Test func `A limit of the size of files is a card that is full`() throws {
    let folder = TemporaryFolder()
    let mynah = Mynah(folder: folder)
    let steps = """
      0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
      1 press REC
      20 press STOP
      22 quit

      """
    let script = folder.put(steps, "script")
    let run = try shell(
      #"ulimit -f 400; exec "$0" "$@""#, ["simulate", "--data", mynah.data.path, "--script", script, "--events"])
    #expect(run.status == 0, "\(run.errors)")
    let saved = run.output.split(separator: "\n").compactMap { Mynah.event(line: String($0)) }
      .first { $0.topic == "onTakeSaved" }
    #expect(saved?.data["stopReason"] == "storage-full", "\(run.output)")
    let take = try #require(mynah.takes.first)
    let length = try Tool.succeed("soxi", ["-D", take.path])
    #expect((0.5...3).contains(Double(length.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0), "\(length)")
  }

  /// Reads to the end on a thread of its own.
  private final class Reading: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var data = Data()

    init(_ file: FileHandle) {
      Thread.detachNewThread { [self] in
        data = file.readDataToEndOfFile()
        done.signal()
      }
    }

    var lines: [String] {
      done.wait()
      defer { done.signal() }
      return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}
