import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The program as a service: what it tells the service manager, and when it does not feed the watchdog.
@Suite("A service")
struct ServiceTests {
  private let folder: TemporaryFolder
  private let socket: NotifySocket

  init() throws {
    folder = TemporaryFolder()
    socket = try NotifySocket(in: folder)
  }

  private func start(_ script: String, watchdogMicroseconds: Int) throws -> LiveMynah {
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    let file = folder.url.appendingPathComponent("script.txt")
    try script.write(to: file, atomically: true, encoding: .utf8)
    return try LiveMynah(
      mynah.arguments(script: file),
      environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": String(watchdogMicroseconds)])
  }

  @Test("says when it is armed, feeds while it works, and says when it is told to end")
  func armedFedStopped() throws {
    let mynah = try start("600 quit", watchdogMicroseconds: 400_000)
    try socket.wait(for: "READY=1")
    try socket.wait(for: "WATCHDOG=1", count: 5)
    try socket.wait(for: "STATUS=armed")
    #expect(socket.times(of: "STOPPING=1").isEmpty)
    #expect(mynah.terminate() == 0, "\(mynah.errors)")
    #expect(socket.told.first?.text == "READY=1" || socket.told.first?.text == "WATCHDOG=1")
    #expect(socket.times(of: "READY=1").count == 1)
    #expect(socket.times(of: "STOPPING=1").count == 1)
  }

  @Test("does not feed while its audio thread stands still, although the control loop goes round")
  func audioStandsStill() throws {
    let mynah = try start("2 fault microphone stall 4\n600 quit", watchdogMicroseconds: 400_000)
    // The longest pause between two feeds is the stall: it only gets longer on a machine that is busy.
    let end = Monotonic.now + 60
    var pause = 0.0
    while pause < 3.5, Monotonic.now < end {
      usleep(50_000)
      let feeds = socket.times(of: "WATCHDOG=1")
      pause = zip(feeds.dropFirst(), feeds).map { $0 - $1 }.max() ?? 0
    }
    #expect(pause >= 3.5)
    // And it goes on when the sound does.
    let count = socket.times(of: "WATCHDOG=1").count
    try socket.wait(for: "WATCHDOG=1", count: count + 3)
    #expect(mynah.terminate() == 0)
  }

  @Test("ends within 5 s of being told to, though its storage does not come back, and says what is missing")
  func storageDoesNotComeBack() throws {
    let mynah = try start("0.5 press REC\n2 fault storage stall 600\n600 quit", watchdogMicroseconds: 400_000)
    _ = try mynah.wait(for: "onTakeStarted")
    // The stall begins a second and a half later, and the end of a take needs the storage.
    usleep(3_000_000)
    let told = Monotonic.now
    #expect(mynah.terminate() == 70, "\(mynah.errors)")
    #expect(Monotonic.now - told < 5)
    #expect(mynah.errors.contains("did not come back"))
  }

  @Test("feeds nothing when it is stopped as a whole")
  func stopped() throws {
    let mynah = try start("600 quit", watchdogMicroseconds: 200_000)
    try socket.wait(for: "WATCHDOG=1", count: 3)
    kill(mynah.identifier, SIGSTOP)
    // What was on its way has come after this.
    usleep(300_000)
    let count = socket.told.count
    usleep(1_000_000)
    #expect(socket.told.count == count)
    kill(mynah.identifier, SIGCONT)
    try socket.wait(for: "WATCHDOG=1", count: count)
    #expect(mynah.terminate() == 0)
  }

  @Test("is ready without any device of its board, says what is missing, and tells the doctor who has the directory")
  func nothingThere() throws {
    let board = folder.file("board.toml")
    let text = """
      inherits = "raspberrypi4"
      [console]
      tty = ""
      socket = "\(folder.file("console"))"
      [gpio]
      chip = "/dev/gpiochip77"
      [display]
      bus = "/dev/i2c-77"
      [microphone]
      pcm = "hw:CARD=nobodyhasthis"
      [watchdog]
      device = "/dev/watchdog77"
      [budget]
      rss_mb = 192
      program.memory_kb = 81920
      """
    try text.write(toFile: board, atomically: true, encoding: .utf8)
    let data = folder.file("data")
    let mynah = try LiveMynah(
      ["run", "--board", board, "--data", data], environment: ["NOTIFY_SOCKET": socket.path])
    try socket.wait(for: "READY=1")
    try socket.wait(for: "STATUS=not armed, no microphone")
    for device in ["microphone: lost", "display: lost", "buttons: lost", "without a watchdog"] {
      try mynah.wait(forWords: device)
    }

    let second = try Mynah.execute(["run", "--board", board, "--data", data])
    #expect(second.status == 69)
    #expect(second.errors.contains("process \(mynah.identifier) works in it"), "\(second.errors)")

    let doctor = try Mynah.execute(["doctor", "--board", board, "--data", data, "--json"])
    #expect(doctor.status == 69)
    let report = try JSONValue(parsing: Array(doctor.output.utf8))
    let checks = try #require(report["checks"]?.arrayValue)
    let storage = try #require(checks.first { $0["device"] == "storage" })
    #expect(storage["facts"]?["holder"] == .integer(Int(mynah.identifier)))
    let console = try #require(checks.first { $0["device"] == "console.socket" })
    #expect(console["verdict"] == "in use")
    #expect(console["facts"]?["holder"] == .integer(Int(mynah.identifier)))
    // Every failure says what to do.
    #expect(checks.allSatisfy { $0["works"] == true || $0["remedy"]?.stringValue?.isEmpty == false })

    let selftest = try Mynah.execute(["selftest", "--data", data])
    #expect(selftest.status == 0, "\(selftest.output)")
    #expect(mynah.terminate() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: data).allSatisfy { !$0.hasPrefix(".selftest") })
  }
}

/// The gate of an update.
@Suite("The self-test")
struct SelftestTests {
  private let folder: TemporaryFolder

  init() throws { folder = TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> (status: Int32, report: JSONValue) {
    let run = try Mynah.execute(["selftest", "--json"] + arguments)
    return (run.status, try JSONValue(parsing: Array(run.output.utf8)))
  }

  @Test("passes on a good program and a good directory, and leaves nothing")
  func passes() throws {
    let (status, report) = try run(["--data", folder.url.path])
    #expect(status == 0, "\(report.text)")
    #expect(report["works"] == true)
    #expect(
      report["checks"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
        == ["budget", "storage", "settings", "recording", "encoding", "screens"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("fails without its directory, and does not make one")
  func directoryMissing() throws {
    let (status, report) = try run(["--data", folder.file("none")])
    #expect(status == 1)
    let failed = report["checks"]?.arrayValue?.filter { $0["works"] == false }.compactMap { $0["name"]?.stringValue }
    #expect(failed == ["storage", "settings", "recording", "encoding"])
    #expect(!FileManager.default.fileExists(atPath: folder.file("none")))
  }

  @Test("fails on settings that cannot be read or honoured, and says which")
  func badSettings() throws {
    for (text, word) in [
      ("{\"recording.format\":", "damaged"), ("{\"recording.bitrateKbps\":1}", "recording.bitrateKbps"),
    ] {
      try text.write(toFile: folder.file("settings.json"), atomically: true, encoding: .utf8)
      let (status, report) = try run(["--data", folder.url.path])
      #expect(status == 1)
      let settings = report["checks"]?.arrayValue?.first { $0["name"] == "settings" }
      #expect(settings?["detail"]?.stringValue?.contains(word) == true, "\(report.text)")
      // Only read.
      #expect(try String(contentsOfFile: folder.file("settings.json"), encoding: .utf8) == text)
    }
  }

  @Test("removes what a self-test that was killed has left")
  func leftovers() throws {
    let stale = folder.file(".selftest-999999999")
    try FileManager.default.createDirectory(atPath: stale + "/recordings", withIntermediateDirectories: true)
    #expect(try run(["--data", folder.url.path]).status == 0)
    #expect(!FileManager.default.fileExists(atPath: stale))
  }
}
