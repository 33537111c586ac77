import Foundation
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct SystemRequestTests {
  @Test func `A request is read as it was written`() {
    let clock = SystemRequest.clock(WallTime(seconds: 1_795_211_640), asOf: Instant(nanoseconds: 42))
    for request in [clock, .power(.reboot), .power(.powerOff)] {
      #expect(SystemRequest(Array(request.text.utf8)) == request)
      #expect(request.text.utf8.count <= SystemRequest.limit)
    }
  }

  @Test(arguments: [
    "", "\n", "clock", "clock 1 2\n", "clock 1795211640000000000\n", "clock 1795211640000000000 -1\n",
    "clock 99999999999999999999 0\n", "clock 1795211640000000000 0", "power sleep\n", "power reboot reboot\n",
    "rm -rf /\n",
    "power reboot\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
  ])
  func `What is none is none`(text: String) { #expect(SystemRequest(Array(text.utf8)) == nil) }

  @Test func `Random changes of requests never end the program`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      var bytes = Array(SystemRequest.clock(WallTime(seconds: 1_795_211_640), asOf: .zero).text.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = SystemRequest(bytes)
    }
  }

  @Test func `A request that is none is removed, and so is a link, whose target stays`() {
    let folder = TemporaryFolder()
    let target = folder.put("power reboot\n", "elsewhere")
    _ = folder.put("nonsense\n", "clock")
    #expect(SystemWork.perform("clock", in: folder.path)?.contains("no request") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("clock")))
    #expect(symlink(target, folder.file("power")) == 0)
    #expect(SystemWork.perform("power", in: folder.path)?.contains("cannot be read") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("power")))
    #expect(FileManager.default.fileExists(atPath: target))
    #expect(SystemWork.perform("power", in: folder.path) != nil)
  }

  @Test func `What the system tells of updates is read, and nothing else is`() {
    #expect(UpdateReport(Array("writing 40 0.2.0\n".utf8)) == UpdateReport(.writing, percent: 40, text: "0.2.0"))
    #expect(UpdateReport(Array("none 0\n".utf8)) == .silent)
    for text in ["", "\n", "writing\n", "writing 101 x\n", "writing -1 x\n", "reading 1 x\n", "writing 1 x"] {
      #expect(UpdateReport(Array(text.utf8)) == nil, "\(text)")
    }
    var random = SeededGenerator(seed: 8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = UpdateReport(bytes)
    }
  }

  @Test func `An update is asked for by one line, where there is somebody to ask`() throws {
    let folder = TemporaryFolder()
    let nobody = SystemRequests(folder: folder.path, updater: folder.file("update-helper"))
    #expect(nobody.update == nil)
    #expect(throws: DeviceError.self) { try nobody.install(.stick) }
    let system = SystemRequests(folder: folder.path, updater: "/bin/sh")
    #expect(system.update == .silent)
    try system.install(.stick)
    #expect(try String(contentsOfFile: folder.file("update"), encoding: .utf8) == "stick\n")
    let path = try #require(UpdateSource(path: "/var/lib/mynah/a b.raucb"))
    try system.install(path)
    #expect(try String(contentsOfFile: folder.file("update"), encoding: .utf8) == "/var/lib/mynah/a b.raucb\n")
    _ = folder.put("refused 0 older: it is 0.1.0\n", "update-state")
    #expect(system.update == UpdateReport(.refused, text: "older: it is 0.1.0"))
    for wrong in ["", "a", "/a\nb", "/" + String(repeating: "a", count: 1100)] {
      #expect(UpdateSource(path: wrong) == nil)
    }
  }

  @Test func `A wish of long ago is nobody's`() {
    let folder = TemporaryFolder()
    // Two minutes into the boot at the latest: the test's machine is older, or the wish lies in its future.
    let past = SystemRequest.clock(WallTime(seconds: 1_795_211_640), asOf: Instant(nanoseconds: .max - 1))
    _ = folder.put(past.text, "clock")
    #expect(SystemWork.perform("clock", in: folder.path)?.contains("set the clock") == true)
  }
}
