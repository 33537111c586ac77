import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// A system that gives the device no more of what it gave at the start: the recording goes on, and whoever asks is told.
@Suite("A starved system", .serialized)
struct StarvedSystemTests {
  private let folder = TemporaryFolder()
  private var mynah: Mynah {
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    mynah.microphone = "tone:440"
    return mynah
  }
  private var console: String { folder.file("tty") }

  /// The kernel holds root to no number of threads: it becomes somebody else, who has no other processes.
  private static let stranger =
    geteuid() == 0 ? ["setpriv", "--reuid=61234", "--regid=61234", "--clear-groups"] : []
  private static let canLimit =
    (try? Tool.run("env", stranger + ["prlimit", "--nproc=1000", "test", "-x", Mynah.executable.path]).status) == 0

  @Test(
    "of threads costs no take: what needs another one says so, and what is asked again later is done",
    .enabled(if: canLimit))
  func noThreads() throws {
    #expect(chmod(folder.path, 0o777) == 0)
    let live = try LiveMynah(mynah.arguments(script: nil) + ["--console", console], by: Self.stranger)
    let client = try ConsoleClient(console)
    #expect(try client.call("recorder.start")["error"] == nil)
    let start = try live.wait(for: "onTakeStarted")
    // As TasksMax does for all of the service.
    try Tool.succeed("env", Self.stranger + ["prlimit", "--pid", "\(live.identifier)", "--nproc=1:"])
    for (method, parameters) in [
      ("system.doctor", [:]),
      ("operators.add", ["name": "anna", "password": "a long enough one", "role": "technician"]),
    ] as [(String, JSONValue)] {
      let answer = try client.call(method, parameters)
      #expect(answer["error"]?["data"]?["code"] == "busy", "\(method): \(answer)")
      #expect(answer["error"]?["message"]?.stringValue?.contains("thread") == true, "\(method): \(answer)")
    }
    Monotonic.sleep(until: start.time + 2)
    #expect(try client.call("recorder.stop")["error"] == nil)
    let saved = try live.wait(for: "onTakeSaved")
    #expect((saved.data["frames"]?.integerValue ?? 0) > 90_000)
    // A feed needs the network's thread. (A dub needs one for Debian's espeak-ng too, which ends the program without it;
    // that of releases has none.)
    func open(until words: String) throws {
      #expect(try client.call("feed.open", ["source": "http://127.0.0.1:9/feed.json"])["error"] == nil)
      let end = Monotonic.now + 60
      while true {
        let status = try client.call("feed.status")["result"]
        if status?["reason"]?.stringValue?.contains(words) == true { return }
        try #require(Monotonic.now < end, "\(words): \(status ?? .null)")
        Monotonic.sleep(until: Monotonic.now + 0.2)
      }
    }
    try open(until: "no thread to give")
    try Tool.succeed("env", Self.stranger + ["prlimit", "--pid", "\(live.identifier)", "--nproc=4000:"])
    try open(until: "nothing listens there")
    #expect(try client.call("system.doctor")["error"] == nil)
    #expect(live.terminate() == 0, "\(live.errors)")
  }

  @Test func `A reader of the log that has stopped holds up neither keys, nor takes, nor the end`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    // Full, and nobody reads.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let piece = [UInt8](repeating: 0x78, count: 512)
    while write(ends[1], piece, piece.count) > 0 {}
    _ = fcntl(ends[1], F_SETFL, 0)
    let live = try LiveMynah(
      mynah.arguments(script: nil) + ["--console", console],
      log: FileHandle(fileDescriptor: ends[1], closeOnDealloc: false))
    let client = try ConsoleClient(console)
    for button in ["REC", "STOP", "REC", "STOP"] {
      let pressed = Monotonic.now
      #expect(try client.call("panel.press", ["button": .string(button), "ms": 60])["error"] == nil)
      #expect(Monotonic.now - pressed < 2 + live.secondsKeptWaiting, "\(button)")
      Monotonic.sleep(until: pressed + 0.7)
    }
    _ = try live.wait(for: "onTakeSaved")
    let asked = Monotonic.now
    #expect(live.terminate() == 0)
    #expect(Monotonic.now - asked < 5)
    #expect(mynah.takes.count == 2)
  }

  @Test func `A pipe in the place of settings.json holds up neither the doctor nor the start`() throws {
    try FileManager.default.createDirectory(at: mynah.data, withIntermediateDirectories: true)
    try #require(mkfifo(mynah.data.appendingPathComponent("settings.json").path, 0o600) == 0)
    let script = folder.put("1 press REC\n2 press STOP\n4 quit\n", "script")
    for words in [
      ["doctor", "--board", "simulator", "--data", mynah.data.path],
      ["simulate", "--data", mynah.data.path, "--script", script],
    ] {
      let run = try Tool.run("timeout", ["20", Mynah.executable.path] + words)
      #expect(run.status == 0, "\(words): \(run.status) \(run.errors)")
    }
    #expect(mynah.takes.count == 1)
  }
}
