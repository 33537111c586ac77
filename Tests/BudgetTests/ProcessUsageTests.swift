import Foundation
import Testing

@testable import Budget

@Suite struct ProcessUsageTests {
  @Test func aSampleOfThisProcessIsPlausible() throws {
    let before = ProcessUsage.sample()
    var sum = 0.0
    for number in 0..<3_000_000 { sum += Double(number).squareRoot() }
    #expect(sum > 0)
    let after = ProcessUsage.sample()
    #expect(after.at > before.at)
    #expect(before.rssKB > 1000)
    #expect(after.peakRSSKB >= after.rssKB)
    #expect(after.cpuSeconds >= before.cpuSeconds)
    #expect(after.threads.contains { $0.id == Int(getpid()) })
    #expect(after.threads.map(\.cpuSeconds).reduce(0, +) <= after.cpuSeconds + 1)
    // The kernel's own word, through another file.
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let peak = try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
    #expect(peak >= before.peakRSSKB)
  }

  @Test func theMachineHasMemoryAndCores() throws {
    #expect(try #require(ProcessUsage.physicalMemoryKB()) > 64 * 1024)
    #expect(ProcessUsage.cores() == ProcessInfo.processInfo.activeProcessorCount)
  }

  @Test func aNameWithBlanksAndParenthesesIsRead() {
    let text = "42 (a) b (c) S 1 42 42 0 -1 4194304 1 0 0 0 17 4 0 0 20 0 1 0 99 1000 200 18446744073709551615\n"
    #expect(ProcFiles.stat(Array(text.utf8)) == ProcFiles.Stat(id: 42, name: "a) b (c", ticks: 21))
  }

  @Test func memoryFieldsAreRead() {
    #expect(ProcFiles.residentPages(Array("3000 250 100 1 0 1 0\n".utf8)) == 250)
    #expect(ProcFiles.kilobytes("VmHWM", in: Array("VmPeak:\t  9 kB\nVmHWM:\t    1234 kB\n".utf8)) == 1234)
    #expect(ProcFiles.kilobytes("VmHWM", in: Array("VmPeak: 9 kB\n".utf8)) == nil)
  }

  @Test func damagedTextsReadAsNothing() {
    for text in ["", " ", "(", ")", ")(", "1 (x", "1 (x) S", "x (y) S 1 2 3", "99999999999999999999 (x)"] {
      #expect(ProcFiles.stat(Array(text.utf8)) == nil)
      #expect(ProcFiles.residentPages(Array(text.utf8)) == nil)
    }
    let huge = "1 (x) S 1 1 1 1 1 1 1 1 1 1 9223372036854775807 1\n"
    #expect(ProcFiles.stat(Array(huge.utf8)) == nil)
  }

  @Test func randomTextsNeverTrap() {
    var state: UInt64 = 7
    let letters = Array("0123456789() S\n:kBVmHW".utf8)
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      for _ in 0..<Int(state >> 58) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(letters[Int((state >> 33) % UInt64(letters.count))])
      }
      if let stat = ProcFiles.stat(bytes) { #expect(stat.ticks >= 0) }
      _ = ProcFiles.residentPages(bytes)
      _ = ProcFiles.kilobytes("VmHWM", in: bytes)
    }
  }
}
