import Foundation
import Hardware
import TestSupport
import Testing

@testable import Budget
@testable import Runtime

@Suite struct ConsoleDayTests {
  /// Of this process: what a console would hold that stayed behind.
  private struct Footprint {
    let rssKB = ProcessUsage.sample().rssKB
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  @Test(.timeLimit(.minutes(10)))
  func `A day of consoles that come and go leaves nothing behind, and each has its own answers`() throws {
    let bench = try RuntimeBench()
    // What is heard is another test's; without it a day is a minute.
    bench.hardware.microphone = nil
    bench.hardware.otherMicrophones = nil
    let port = RestlessPort(seed: 20_261_125, until: .at(86_390))
    bench.hardware.consolePorts = [port]
    bench.hardware.steppers.append(port)
    var footprints: [Footprint] = []
    var leftBehind: [String] = []
    for hour in [2.0, 23.9] {
      bench.hardware.steppers.append(AtTime(.at(hour * 3600), bench) { _ in footprints.append(Footprint()) })
    }
    // All are gone; the device is still there.
    bench.hardware.steppers.append(AtTime(.at(86_398), bench) { _ in leftBehind = port.leftBehind })
    #expect(try bench.run("86399 expect takes 0\n86400 quit") == nil)
    #expect(port.complaints.isEmpty, "\(port.complaints.prefix(10))")
    for deed in RestlessPort.Deed.allCases { #expect(port.counts[deed, default: 0] >= 100, "\(deed): \(port.counts)") }
    #expect(
      port.answers > 2000 && port.events > 0 && port.prompts > 1000,
      "\(port.answers) answers, \(port.events) events, \(port.prompts) prompts")
    // A session holds its connection: none has stayed.
    #expect(leftBehind.isEmpty, "\(leftBehind.count): \(leftBehind.prefix(10))")
    try #require(footprints.count == 2)
    #expect(footprints[1].rssKB - footprints[0].rssKB < 32 * 1024, "\(footprints)")
    // Other tests of this process open and close some, hundreds at a time; one of each console would be thousands.
    #expect(footprints[1].descriptors - footprints[0].descriptors < 400, "\(footprints)")
  }
}
