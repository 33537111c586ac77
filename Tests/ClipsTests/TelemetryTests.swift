import Hardware
import Recording
import Testing

@testable import Clips

@Suite struct TelemetryTests {
  @Test func historyKeepsTheNewestReadingsInOrder() {
    var history = TelemetryHistory(capacity: 3)
    #expect(history.latest == nil)
    for second in 1...5 {
      history.add(Telemetry(time: Instant(nanoseconds: Int64(second))))
      #expect(history.latest?.time.nanoseconds == Int64(second))
    }
    #expect(history.all.map(\.time.nanoseconds) == [3, 4, 5])
  }
}
