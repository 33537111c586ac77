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

  @Test func `A wish of long ago is nobody's`() {
    let folder = TemporaryFolder()
    // Two minutes into the boot at the latest: the test's machine is older, or the wish lies in its future.
    let past = SystemRequest.clock(WallTime(seconds: 1_795_211_640), asOf: Instant(nanoseconds: .max - 1))
    _ = folder.put(past.text, "clock")
    #expect(SystemWork.perform("clock", in: folder.path)?.contains("set the clock") == true)
  }
}
