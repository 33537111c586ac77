import Console
import Hardware
import JSON
import SimulatedHardware
import Testing

@testable import Runtime

/// The log on the storage.
@Suite struct LogTests {
  private let path = "log/mynah.log"

  private func text(_ bench: RuntimeBench, _ path: String = "log/mynah.log") -> String {
    String(decoding: (try? bench.memory.read(path, limit: 1 << 20)) ?? [], as: UTF8.self)
  }

  /// What stands in the log's file at a time of a run.
  private func text(at seconds: Int64, of script: String) throws -> String {
    let bench = try RuntimeBench()
    var found = ""
    bench.hardware.steppers.append(
      AtTime(Instant(nanoseconds: seconds * 1_000_000_000), bench) { found = text($0) })
    #expect(try bench.run(script) == nil)
    return found
  }

  @Test("A device that does nothing writes nothing for ten minutes, and then all at once")
  func batches() throws {
    let script = "1 call settings.set {\"recording.format\":\"wav\"}\n700 quit"
    #expect(try text(at: 595, of: script).isEmpty)
    #expect(try text(at: 610, of: script).contains("recording.format is wav"))
  }

  @Test("An error is there within two seconds")
  func errorsSooner() throws {
    let files = MemoryStorage(clock: VirtualClock())
    let writer = LogWriter()
    let log = LogFiles(files)
    writer.add(LogLine(at: .zero, wall: WallTime(nanosecondsSince1970: 0), .info, "a", "first"))
    writer.step(log, now: Instant(nanoseconds: 599_000_000_000))
    #expect((try? files.read(path, limit: 4096)) == nil)
    writer.add(
      LogLine(at: Instant(nanoseconds: 599_000_000_000), wall: WallTime(nanosecondsSince1970: 0), .error, "a", "second")
    )
    writer.step(log, now: Instant(nanoseconds: 599_000_000_000))
    #expect(log.tail().map(\.text) == ["first", "second"])
  }

  @Test("At the end all is there, and the next run shows it before its own")
  func earlierRuns() throws {
    let bench = try RuntimeBench()
    try bench.run("1 call settings.set {\"recording.format\":\"wav\"}\n3 quit")
    #expect(text(bench).contains("Z      1.000 info    settings: recording.format is wav\n"))
    let next = try RuntimeBench(continuing: bench)
    try next.run("1 call settings.set {\"recording.format\":\"flac\"}\n2 call log.tail\n3 quit")
    let lines = next.results("log.tail").first?["lines"]?.arrayValue ?? []
    let texts = lines.compactMap { $0["text"]?.stringValue }.filter { $0.hasPrefix("recording.format") }
    #expect(texts == ["recording.format is wav", "recording.format is flac"])
    #expect(lines.allSatisfy { $0["time"]?.stringValue?.hasPrefix("2026-11-20T21:54") == true })
  }

  @Test("The room is bounded: three files beside the newest, and no line is cut")
  func rotation() throws {
    let files = MemoryStorage(clock: VirtualClock())
    let log = LogFiles(files)
    var batch = Array((String(repeating: "x", count: 99) + "\n").utf8)
    batch = Array(repeatElement(batch, count: 1000).joined())
    for _ in 0..<40 { try log.append(batch) }
    let entries = try files.list("log")
    #expect(entries.map(\.name) == ["mynah.1.log", "mynah.2.log", "mynah.3.log", "mynah.log"])
    #expect(entries.allSatisfy { $0.size <= LogFiles.limit && $0.size % 100 == 0 })
    #expect(entries.reduce(0) { $0 + $1.size } <= 2_000_000 - 5 * 73_728)
  }

  @Test("Half a line that a power cut has left costs itself only")
  func halfALine() throws {
    let files = MemoryStorage(clock: VirtualClock())
    try files.makeDirectory("log")
    try files.replace(path, with: Array("2026-11-20T21:54:00Z 1.000 inf".utf8))
    let log = LogFiles(files)
    try log.append(Array("2026-11-20T21:54:00Z      1.000 info    a: whole\n".utf8))
    #expect(log.tail().map(\.text) == ["whole"])
  }

  @Test("A full card costs the log and nothing else, and what was lost is told")
  func fullCard() throws {
    let clock = VirtualClock()
    let storage = SimulatedStorage(wrapping: MemoryStorage(clock: clock), clock: clock)
    storage.setFull(true)
    let writer = LogWriter()
    let log = LogFiles(storage)
    for index in 0..<2000 {
      writer.add(LogLine(at: .zero, wall: clock.wallNow, .error, "a", "line \(index) of a very long complaint"))
      writer.step(log, now: .zero)
    }
    storage.setFull(false)
    writer.step(log, now: Instant(nanoseconds: 61_000_000_000))
    let text = String(decoding: try storage.read(path, limit: 1 << 20), as: UTF8.self)
    #expect(text.contains("line 0 of") && !text.contains("line 1999 of") && text.contains("lines found no room"))
    #expect(text.utf8.count < 80_000)
    #expect(LogFiles.lines(on: storage).last?.text.hasSuffix("lines found no room") == true)
    #expect(text.split(separator: "\n").count { $0.hasSuffix("lines found no room") } == 1)
  }

  @Test("Names are left out by setting")
  func names() throws {
    let bench = try RuntimeBench()
    try bench.run("1 call settings.set {\"log.names\":false}\n2 press REC\n4 press STOP\n6 quit")
    #expect(bench.log.contains { $0.contains("recording (name)") })
    #expect(!text(bench).contains("_2026"))
  }

  @Test("A console that follows the log is sent what is logged from then on, until ^C")
  func follow() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    for (seconds, line) in [(1, "log 5 --follow"), (3, "log 5"), (6, "\u{3}")] {
      bench.hardware.steppers.append(
        AtTime(Instant(nanoseconds: Int64(seconds) * 1_000_000_000), bench) { _ in port.type(line) })
    }
    func set(_ format: String) -> String { "call settings.set {\"recording.format\":\"\(format)\"}\n" }
    let zone = "0.5 call settings.set {\"clock.zone\":\"Europe/Berlin\"}\n"
    #expect(try bench.run("\(zone)2 \(set("wav"))5 \(set("flac"))8 \(set("opus"))9 quit") == nil)
    let told = port.lines.filter { $0.contains("settings: recording.format is") }
    // The first as it came and by its word, the second as it came.
    #expect(told.count { $0.contains("is wav") } == 2 && told.count { $0.contains("is flac") } == 1, "\(told)")
    #expect(!told.contains { $0.contains("is opus") })
    // By the clocks of the device's zone.
    let zoned = told.filter { $0.contains("2026-11-20 22:54:0") }
    #expect(zoned.count == 3, "\(told)")
  }

  @Test(
    "A program that follows the log gets notifications of what is severe enough, and all that is kept is read in order")
  func notifications() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(
      AtTime(Instant(nanoseconds: 1_000_000_000), bench) { _ in
        port.type("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"log.follow\",\"params\":{\"level\":\"warning\"}}")
      })
    let script = """
      2 call settings.set {"recording.format":"wav"}
      3 fault microphone unplug
      5 quit
      """
    #expect(try bench.run(script) == nil)
    let told = try port.lines.filter { $0.hasPrefix("{") }.map { try JSONValue(parsing: $0) }.filter {
      $0["method"] == "log"
    }
    let lines = told.compactMap { $0["params"].flatMap { LogLine(json: $0) } }
    #expect(lines.count == told.count && lines.contains { $0.text.hasPrefix("lost:") && $0.severity == .warning })
    #expect(!lines.contains { $0.severity < .warning })
    let kept = LogFiles.lines(on: bench.memory)
    #expect(kept.contains { $0.text == "recording.format is wav" })
    #expect(lines.allSatisfy { line in kept.contains { $0.isSame(as: line) } })
  }

  @Test("What is kept is read from the oldest file to the newest")
  func keptOrder() throws {
    let files = MemoryStorage(clock: VirtualClock())
    try files.makeDirectory("log")
    for (index, name) in ["mynah.log", "mynah.1.log", "mynah.3.log"].enumerated() {
      try files.replace("log/\(name)", with: Array("2026-11-20T21:54:00Z      1.000 info    a: \(index)\n".utf8))
    }
    #expect(LogFiles.lines(on: files).map(\.text) == ["2", "1", "0"])
  }
}
