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
