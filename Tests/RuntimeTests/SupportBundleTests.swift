import Board
import Foundation
import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

@testable import Appliance
@testable import Console
@testable import Library
@testable import Runtime

/// The file of all that helps to find out what is wrong, and of nothing else.
@Suite struct SupportBundleTests {
  /// What must not be seen anywhere in it.
  private static let planted = [
    "tok-5ecre7-9f", "hunter2pw", "news.example.org", "10.11.12.13", "Interview with Ivan", "secret-source", "52.5201",
    "holidays.m4a", "000001_2026", "answer to the riddle", "proxyuser", "board-stream",
  ]

  private func bundle() throws -> (folder: TemporaryFolder, files: [String: String], bytes: [UInt8], told: JSONValue) {
    let bench = try RuntimeBench()
    bench.board.dub.sources = ["board-stream=http://u:hunter2pw@news.example.org/live.m3u8"]
    try bench.memory.makeDirectory("log")
    let old = (0..<3000).map { number in
      "2026-11-20T21:54:00Z      1.000 info    dub: \(number) connects to http://u:hunter2pw@news.example.org/x and 10.11.12.13"
    }
    try bench.memory.replace("log/mynah.1.log", with: Array((old.joined(separator: "\n") + "\n").utf8))
    let crash = """
      mynah crashed: signal 11
      0x1234 mynah+0x55
      {"seq":3,"t":1.5,"topic":"onMark","data":{"title":"answer to the riddle","frame":77}}
      2026-11-20T21:54:00Z      1.000 info    library: read holidays.m4a
      environment TOKEN=tok-5ecre7-9f
      """
    try bench.memory.replace("log/crash-4.txt", with: Array(crash.utf8))
    let script = """
      0.5 call settings.set {"dub.serviceToken":"tok-5ecre7-9f","dub.proxy":"http://proxyuser:hunter2pw@10.11.12.13:3128"}
      0.6 call settings.set {"dub.sources":"secret-source=https://news.example.org/a.m3u8","clock.place":"52.5201,13.4050"}
      1 press REC
      2 call recorder.mark {"title":"answer to the riddle"}
      3 press STOP
      4 call library.list
      5 call system.bundle
      9 call files.read {"id":"mynah-support.tar"}
      10 quit
      """
    bench.hardware.steppers.append(
      AtTime(.at(4.2), bench) { bench in
        let name = try? bench.memory.list("recordings").map(\.name).first { $0.hasSuffix(".m4a") }
        bench.console?.type(
          #"{"jsonrpc":"2.0","id":1,"method":"library.rename","params":{"id":"\#(name ?? "")","name":"Interview with Ivan"}}"#
        )
      })
    let port = FakePort()
    bench.console = port
    bench.hardware.consolePorts = [port]
    #expect(try bench.run(script) == nil)
    let told = try #require(bench.results("system.bundle").first)
    let piece = try #require(bench.results("files.read").first)
    let bytes = try bench.memory.read("cache/mynah-support.tar", limit: 8 << 20)
    #expect(told["bytes"]?.integerValue == bytes.count && piece["total"]?.integerValue == bytes.count)
    #expect(told["sha256"]?.stringValue == SHA256.text(of: bytes))
    let folder = TemporaryFolder()
    try Data(bytes).write(to: folder.url.appendingPathComponent("bundle.tar"))
    // Another program takes it apart.
    try Tool.succeed("tar", ["-xf", folder.file("bundle.tar"), "-C", folder.path])
    let names = try Tool.succeed("tar", ["-tf", folder.file("bundle.tar")]).split(separator: "\n").map(String.init)
    var files: [String: String] = [:]
    for name in names { files[name.replacingOccurrences(of: "mynah-support/", with: "")] = folder.text(of: name) }
    return (folder, files, bytes, told)
  }

  @Test("It holds what a technician asks for, and another program unpacks it")
  func contents() throws {
    let files = try bundle().files
    #expect(
      Set(files.keys) == [
        "device.txt", "doctor.txt", "settings.txt", "board.txt", "budget.txt", "events.txt", "log.txt", "crash-4.txt",
        "log/mynah.1.log", "log/mynah.log",
      ])
    #expect(files["settings.txt"]?.contains("recording.format = aac\n") == true)
    #expect(files["settings.txt"]?.contains("dub.serviceToken = (set)\n") == true)
    #expect(files["events.txt"]?.contains("onTakeStarted") == true)
    #expect(files["crash-4.txt"]?.contains("0x1234 mynah+0x55") == true)
    #expect(files["crash-4.txt"]?.contains("\"frame\":77") == true)
    #expect(files["log/mynah.1.log"]?.split(separator: "\n").count == 3000)
    #expect(files["budget.txt"]?.contains("total") == true)
    #expect(files["doctor.txt"]?.contains("display") == true)
  }

  @Test("Nothing in it tells whose it is, wherever it was said")
  func privacy() throws {
    let bytes = try bundle().bytes
    let text = String(decoding: bytes, as: UTF8.self)
    for secret in Self.planted { #expect(!text.contains(secret), "\(secret)") }
  }

  @Test("It goes to a stick by a word of the console, whole, and a second one beside it")
  func toAStick() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    for time in [3.0, 8.0] {
      bench.hardware.steppers.append(AtTime(.at(time), bench) { _ in port.type("bundle stick") })
    }
    #expect(
      try bench.run(
        """
        1 call system.bundle
        2 fault stick in
        7 press REC
        7.5 press STOP
        20 quit
        """) == nil)
    let names = try bench.stick.list("Mynah").map(\.name).sorted()
    #expect(names == ["mynah-support (2).tar", "mynah-support.tar"], "\(port.text)")
    let kept = try bench.memory.read("cache/mynah-support.tar", limit: 8 << 20)
    let copied = try names.map { try bench.stick.read("Mynah/\($0)", limit: 8 << 20) }
    #expect(copied.contains(kept) && copied[0] != copied[1])
    #expect(port.text.contains("may be pulled out"), "\(port.text)")
  }

  @Test("A log that somebody has made of 400 MB is read as far as one of the device's own may reach")
  func immenseLog() throws {
    let bench = try RuntimeBench(onDisk: true)
    let folder = try #require(bench.folder)
    let log = folder.appendingPathComponent("log")
    try FileManager.default.createDirectory(at: log, withIntermediateDirectories: true)
    let path = log.appendingPathComponent("mynah.1.log").path
    try Tool.succeed("truncate", ["-s", "400M", path])
    #expect(try bench.run("1 call system.bundle\n30 quit") == nil)
    let bytes = try #require(bench.results("system.bundle").first?["bytes"]?.integerValue)
    #expect((1..<(4 << 20)).contains(bytes), "\(bytes)")
    try Tool.succeed("tar", ["-tf", folder.appendingPathComponent("cache/mynah-support.tar").path])
  }

  @Test("Without a stick it says so, and what to do")
  func withoutAStick() throws {
    let bench = try RuntimeBench()
    let port = FakePort()
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(AtTime(.at(1), bench) { _ in port.type("bundle stick") })
    #expect(try bench.run("5 quit") == nil)
    #expect(port.text.contains("error: there is no stick; put a USB stick in (not-found)"), "\(port.text)")
  }

  @Test("Sizes around a block of tar are all unpacked as they were", arguments: [0, 1, 511, 512, 513, 1024, 70_000])
  func archive(size: Int) throws {
    var archive = TarArchive(time: WallTime(nanosecondsSince1970: 1_700_000_000_000_000_000))
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    archive.add("a/one", content)
    archive.add("a/two", [7])
    archive.end()
    let folder = TemporaryFolder()
    try Data(archive.bytes).write(to: folder.url.appendingPathComponent("x.tar"))
    try Tool.succeed("tar", ["-xf", folder.file("x.tar"), "-C", folder.path])
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("a/one")) == Data(content))
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("a/two")) == Data([7]))
  }
}
