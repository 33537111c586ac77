import Hardware
import SimulatedHardware
import Synchronization
import Testing

@testable import Runtime

@Suite struct DisplayWorkerTests {
  private final class Reports: Sendable {
    let all = Mutex<[DeviceError?]>([])
  }

  @Test func `A display of another size than the screens have is told of once`() {
    let reports = Reports()
    let worker = DisplayWorker(
      display: SimulatedDisplay(width: 128, height: 32), clock: VirtualClock(), wake: {},
      report: { error in reports.all.withLock { $0.append(error) } })
    for second in 0..<5 {
      worker.post(Frame(), soundFrom: nil)
      _ = worker.step(now: Instant(nanoseconds: Int64(second) * 2_000_000_000))
    }
    let told = reports.all.withLock { $0 }
    #expect(told.count == 2 && told.first.map { $0 == nil } == true && told.last??.kind == .unsupported, "\(told)")
  }
}
