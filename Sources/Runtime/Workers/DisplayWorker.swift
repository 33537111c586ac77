internal import Hardware
internal import Synchronization

/// Shows frames on the display, on a lane of its own because I2C is slow; only the newest waiting frame is shown.
///
/// A display that fails is opened again every second until it answers.
final class DisplayWorker: Stepper, @unchecked Sendable {
  private let display: any Display
  private let wake: @Sendable () -> Void
  private let report: @Sendable (DeviceError?) -> Void
  private let waiting = Mutex<Frame?>(nil)
  private var isOpen = false
  private var hasReportedLoss = false
  private var last: Frame?
  private var nextAttempt = Instant.zero

  /// - Parameter report: told an error when the display fails, and `nil` when it works (again).
  init(
    display: any Display, wake: @escaping @Sendable () -> Void, report: @escaping @Sendable (DeviceError?) -> Void
  ) {
    self.display = display
    self.wake = wake
    self.report = report
  }

  /// Hands over the frame to be shown. Any thread.
  func post(_ frame: Frame) {
    waiting.withLock { $0 = frame }
    wake()
  }

  /// Switches the display off, after the last step.
  func close() { display.close() }

  func step(now: Instant) -> Instant? {
    if !isOpen {
      guard now >= nextAttempt else { return nextAttempt }
      guard open(now: now) else { return nextAttempt }
    }
    let fresh = waiting.withLock { frame in
      defer { frame = nil }
      return frame
    }
    guard let frame = fresh else { return nil }
    last = frame
    do throws(DeviceError) {
      try display.show(frame)
      return nil
    } catch {
      fail(error, now: now)
      return nextAttempt
    }
  }

  private func open(now: Instant) -> Bool {
    do throws(DeviceError) {
      try display.open()
      isOpen = true
      hasReportedLoss = false
      report(nil)
      // What was on the glass before the loss.
      if let last { waiting.withLock { $0 = $0 ?? last } }
      return true
    } catch {
      fail(error, now: now)
      return false
    }
  }

  private func fail(_ error: DeviceError, now: Instant) {
    isOpen = false
    nextAttempt = now + .seconds(1)
    if !hasReportedLoss { report(error) }
    hasReportedLoss = true
  }
}
