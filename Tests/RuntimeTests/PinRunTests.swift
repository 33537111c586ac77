import Foundation
import JSON
import TestSupport
import Testing

/// The PIN of the panel on a whole device.
@Suite struct PinRunTests {
  /// Tries 1000 from a locked panel, or goes on trying it.
  private static func wrong(_ time: Double) -> String {
    """
    \(time) hold LOCK 2.2
    \(time + 2.5) press UP
    \(time + 3) press RIGHT
    \(time + 3.5) press RIGHT
    \(time + 4) press RIGHT
    \(time + 4.5) press CENTRE
    """
  }

  @Test func `It is locked after a start, and wrong PINs wait over a power cut and a restart`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0.5 call settings.set {"lock.pin":"2000"}
      1 press LOCK
      \(Self.wrong(2))
      7 press LOCK
      \(Self.wrong(8))
      13 press LOCK
      13.5 expect screen idle
      \(Self.wrong(14))
      19 expect locked yes
      20 hold LOCK 2.2
      22.5 expect notice pin
      23 fault power cut
      """)
    #expect(failure == nil)
    #expect(bench.events("onError").count == 3)
    let again = try RuntimeBench(continuing: bench)
    let later = try again.run(
      """
      0.2 expect locked yes
      1 press REC
      1.5 expect mode dictaphone.idle
      2 hold LOCK 2.2
      5 expect notice pin
      32 hold LOCK 2.2
      34.5 expect screen pinEntry
      35 press UP
      35.5 press UP
      36 press RIGHT
      36.5 press RIGHT
      37 press RIGHT
      37.5 press CENTRE
      38 expect locked no
      39 press REC
      40 expect mode dictaphone.recording
      41 press STOP
      43 quit
      """)
    #expect(later == nil, "\(later.map { "\($0)" } ?? "")")
    // It is forgotten with the right one.
    let third = try RuntimeBench(continuing: again)
    #expect(try third.run("1 hold LOCK 2.2\n3.5 expect screen pinEntry\n4 quit") == nil)
  }

  @Test func `Whoever has the console can take the PIN away`() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      0.5 call settings.set {"lock.pin":"0042"}
      3 press LOCK
      4 call settings.set {"lock.pin":""}
      5 hold LOCK 2.2
      7.5 expect locked no
      8 quit
      """)
    #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
  }
}
