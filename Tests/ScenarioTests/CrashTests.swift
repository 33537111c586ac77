import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The program really crashes, and the next start tells of it.
@Suite("A crash", .serialized)
struct CrashTests {
  private let mynah: Mynah

  init() {
    var mynah = Mynah(folder: TemporaryFolder())
    mynah.clock = "real"
    self.mynah = mynah
  }

  private var folder: URL { mynah.data.appendingPathComponent("log") }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  /// Runs a device until it records, and ends it by a signal.
  private func end(by signal: Int32, marks: Int = 0) throws {
    let script = mynah.folder.url.appendingPathComponent("run.txt")
    // A second after the press there is sound on the card.
    let lines = (0..<marks).map { "1.\(100 + $0) mark \($0)\n" }.joined()
    try "0.5 press REC\n\(lines)1.5 call system.info\n600 quit".write(to: script, atomically: true, encoding: .utf8)
    let device = try LiveMynah(mynah.arguments(script: script))
    _ = try device.wait(for: "result")
    Glibc.kill(device.identifier, signal)
    let end = Monotonic.now + 20
    while device.isRunning, Monotonic.now < end { usleep(10_000) }
    #expect(!device.isRunning)
  }

  private func next(_ calls: String) throws -> Mynah.Run {
    let run = try mynah.run(calls)
    try #require(run.status == 0, "\(run.errors)")
    return run
  }

  @Test("leaves signal, thread, addresses, events and the log; event, doctor and log tell of it")
  func report() throws {
    try end(by: SIGSEGV)
    let run = try next("0.5 call log.crash\n0.6 call system.doctor\n0.7 call log.tail\n4 quit")
    let report = try text("crash-1.txt")
    #expect(report.hasPrefix("mynah 0.1.0 on simulator, process "))
    #expect(report.contains("\nsignal SIGSEGV, sent by process \(getpid())\nthread mynah"))
    #expect(report.contains("\nboot "))
    #expect(try Regex("build [0-9a-f]{40}").firstMatch(in: report) != nil)
    let addresses = report.split(separator: "\n").filter { $0.hasPrefix("  0x") }
    #expect(addresses.count >= 3, "\(report)")
    #expect(report.contains("/mynah\n"), "the map of memory")
    #expect(report.contains("recorder: recording 0000"))
    #expect(report.contains("\"topic\":\"onTakeStarted\""))
    #expect(!report.utf8.contains(0))
    let crash = try #require(run.events("onError").first { $0.data["code"] == "crashed" })
    #expect(crash.data["message"]?.stringValue?.contains("log/crash-1.txt") == true)
    let results = run.events("result").map(\.data)
    #expect(results.first?["result"]?["path"] == "log/crash-1.txt")
    let checks = results.first { $0["method"] == "system.doctor" }?["result"]?["checks"]?.arrayValue ?? []
    let finding = try #require(checks.first { $0["device"] == "crashes" })
    #expect(finding["detail"]?.stringValue?.contains("SIGSEGV") == true)
    let lines = results.first { $0["method"] == "log.tail" }?["result"]?["lines"]?.arrayValue ?? []
    #expect(lines.contains { $0["text"]?.stringValue?.contains("SIGSEGV") == true })
    #expect(mynah.takes.count == 1, "the take is whole")
  }

  @Test("leaves the last 200 events and the last 50 lines of the log")
  func lastOfAll() throws {
    try end(by: SIGBUS, marks: 260)
    _ = try next("1 quit")
    let report = try text("crash-1.txt")
    let parts = report.split(separator: "\nevents\n")
    try #require(parts.count == 2)
    let events = parts[1].split(separator: "\n").compactMap { Mynah.event(line: String($0)) }
    // The one behind the marks is the answer of `system.info`, which is too long to be kept whole.
    let numbers = events.filter { $0.topic == "onMark" }.compactMap { $0.data["number"]?.integerValue }
    #expect((190...200).contains(numbers.count) && numbers == Array((261 - numbers.count)...260), "\(numbers)")
    #expect(report.contains("recorder: recording 0000"))
  }

  @Test("is given names by Scripts/symbolize")
  func symbols() throws {
    try end(by: SIGABRT)
    _ = try next("1 quit")
    let script = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Scripts/symbolize")
      .standardizedFileURL
    let result = try Tool.run(
      script.path, [folder.appendingPathComponent("crash-1.txt").path, Mynah.executable.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("ThreadedScheduler") || result.output.contains("main"), "\(result.output)")
  }

  @Test("is kept five times, and a kill leaves no report but is told")
  func severalAndKills() throws {
    for _ in 0..<6 { try end(by: SIGILL) }
    try end(by: SIGKILL)
    let run = try next("1 call log.tail\n2 quit")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("crash") }
    #expect(names.sorted() == (2...6).map { "crash-\($0).txt" })
    #expect(run.errors.contains("the run before ended without a word: it was killed"))
    let last = try next("1 quit")
    #expect(last.errors.contains("the run before ended in order"))
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("run").path))
  }
}
