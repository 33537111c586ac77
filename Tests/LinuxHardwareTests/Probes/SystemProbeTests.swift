import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct SystemProbeTests {
  private let directory = TemporaryFolder()

  @Test func clockAndRightsOfThisMachineAreTold() {
    let findings = SystemProbe(appliance: nil).examine()
    #expect(findings.map(\.device) == ["clock", "scheduling", "memory"])
    #expect(findings.allSatisfy { !$0.verdict.isFailure })
    #expect(findings[0].facts["source"] != nil)
    // What is limited says what to do.
    #expect(findings.allSatisfy { $0.verdict != .limited || !$0.remedy.isEmpty })
  }

  @Test func aRunningApplianceIsAskedInsteadOfOurselves() {
    // Any other process serves: the test's parent.
    let findings = SystemProbe(appliance: Int(getppid())).examine()
    #expect(findings[1].facts["holder"] == .integer(Int(getppid())))
    #expect(findings[2].facts["holder"] == .integer(Int(getppid())))
  }

  @Test func theHolderOfADeviceIsFound() throws {
    let terminal = TerminalPair()
    defer { terminal.close() }
    let path = terminal.path
    #expect(Holder.find(device: path) == nil)
    let line = open(path, O_RDWR | O_NOCTTY)
    #expect(Holder.find(device: path)?.process == Int(getpid()))
    #expect(Holder.find(device: path)?.isMynah == true)
    close(line)
    #expect(Holder.find(device: "/tmp") == nil)
    #expect(Holder.find(device: "/dev/none") == nil)

    let finding = try #require(SerialProbe(path: path, baud: 115_200).examine().first)
    #expect(finding.verdict == .works, "\(finding)")
  }

  @Test func aSocketsListenerIsFound() throws {
    let path = "\(directory.path)/console"
    #expect(SocketProbe(path: path).examine().first?.verdict == .works)
    let listener = try UnixSocket.listen(path)
    defer { close(listener.descriptor) }
    let finding = try #require(SocketProbe(path: path).examine().first)
    #expect(finding.verdict == .inUse)
    #expect(finding.facts["holder"] == .integer(Int(getpid())))
    #expect(SocketProbe(path: "\(directory.path)/none/console").examine().first?.verdict == .missing)
  }

  @Test func linesAndWatchdogsThatAreNotThereAreSaid() {
    let line = SerialProbe(path: "/dev/ttyNONE", baud: 115_200).examine().first
    #expect(line?.verdict == .missing)
    #expect(line?.remedy.isEmpty == false)
    let watchdog = WatchdogProbe(path: "/dev/watchdog77", seconds: 15).examine().first
    #expect(watchdog?.verdict == .missing)
    #expect(watchdog?.remedy.contains("watchdog.device") == true)
  }

  @Test func whoWorksInADataDirectoryIsFoundWithoutTakingItsLock() throws {
    #expect(DirectoryLock.process(in: directory.path) == nil)
    do {
      let lock = try DirectoryLock(directory: directory.path)
      #expect(DirectoryLock.process(in: directory.path) == Int(getpid()))
      withExtendedLifetime(lock) {}
    }
    // The number stays in the file; nobody holds the lock.
    #expect(directory.text(of: "lock") == "\(getpid())\n")
    #expect(DirectoryLock.process(in: directory.path) == nil)
    directory.put("1\n", "lock")
    #expect(DirectoryLock.process(in: directory.path) == nil)
  }
}
