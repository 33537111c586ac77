import Glibc
import Hardware
import JSON
import Recording
import SimulatedHardware
import Testing

@testable import Runtime

/// The longest steps that a receipt tells of.
@Suite struct RecordingStepsTests {
  private final class Work: Stepper {
    private let body: (Instant) -> Instant?
    init(_ body: @escaping (Instant) -> Instant?) { self.body = body }
    func step(now: Instant) -> Instant? { body(now) }
  }

  @Test("A long step counts for the recordings that are open then, and for no other")
  func longestWhileOpen() throws {
    let scheduler = ThreadedScheduler(clock: RealClock())
    let steps = RecordingSteps(lanes: scheduler.signals)
    var turn = 0
    var told: [[String: Double]] = []
    scheduler.add(
      Work { now in
        turn += 1
        switch turn {
        case 1:
          steps.begin(1, .take)
          Self.work(milliseconds: 30)
        case 2:
          told.append(steps.longest(1, .take))
          steps.begin(2, .take)
          steps.begin(1, .clip)
          steps.begin(1, .spool)
        case 3: break
        default:
          told += [steps.longest(1, .take), steps.longest(2, .take), steps.longest(1, .clip), steps.longest(1, .spool)]
          scheduler.stop()
        }
        return now
      }, to: .control)
    scheduler.run()
    try #require(told.count == 5)
    #expect(try #require(told[0]["control"]) >= 30)
    #expect(told[1]["control"] == told[0]["control"])
    // Those begun later have only what came since.
    #expect(try #require(told[2]["control"]) < 30)
    #expect(try #require(told[3]["control"]) < 30)
    #expect(told[4].isEmpty)
    // Lanes without work have no longest step.
    #expect(told.allSatisfy { $0["media"] == nil })
  }

  @Test("A receipt names them where they are measured, and is as before where they are not")
  func receipts() {
    var receipt = Receipt()
    receipt.stopReason = "user"
    #expect(receipt.json["longestStepMilliseconds"] == nil)
    #expect(receipt.takeJSON["longestStepMilliseconds"] == nil)
    receipt.longestSteps = ["media": 3.5]
    #expect(receipt.json["longestStepMilliseconds"] == ["media": 3.5])
    #expect(receipt.takeJSON["longestStepMilliseconds"] == ["media": 3.5])
  }

  /// Works for so much of this thread's processor time.
  private static func work(milliseconds: Int64) {
    var time = timespec()
    var end: Int64?
    while true {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      guard now < end ?? .max else { return }
      end = end ?? now + milliseconds * 1_000_000
    }
  }
}
