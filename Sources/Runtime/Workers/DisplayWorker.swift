internal import Hardware
internal import Synchronization
internal import Threads

/// How long sound takes from the microphone to the glass: of each picture with new levels, the time from the oldest
/// sound in them to the end of the display's transfer. No sound waits longer than this for its picture.
struct PictureDelay: Sendable {
  private(set) var last = Duration.zero
  private(set) var longest = Duration.zero
  private(set) var pictures = 0
  private var sum = Duration.zero

  var mean: Duration { pictures == 0 ? .zero : sum / pictures }

  mutating func add(_ delay: Duration) {
    last = delay
    longest = max(longest, delay)
    sum += delay
    pictures += 1
  }
}

/// Shows frames on the display, on a lane of its own because I2C is slow; only the newest waiting frame is shown.
///
/// A display that fails is opened again every second until it answers.
final class DisplayWorker: Stepper, @unchecked Sendable {
  private let display: any Display
  private let wake: @Sendable () -> Void
  private let report: @Sendable (DeviceError?) -> Void
  private let clock: any DeviceClock
  private let waiting = Mutex<Picture?>(nil)
  private let delays = Mutex(PictureDelay())
  private var isOpen = false
  private var hasReportedLoss = false
  private var last: Frame?
  private var look = DisplayLook()
  private var nextAttempt = Instant.zero

  private struct Picture {
    var frame: Frame
    var look: DisplayLook
    var soundFrom: Instant?
  }

  /// - Parameter report: told an error when the display fails, and `nil` when it works (again).
  init(
    display: any Display, clock: any DeviceClock, wake: @escaping @Sendable () -> Void,
    report: @escaping @Sendable (DeviceError?) -> Void
  ) {
    self.display = display
    self.clock = clock
    self.wake = wake
    self.report = report
  }

  /// `nil` where there is no display.
  convenience init?(_ ground: Ground) {
    guard let display = ground.hardware.display else { return nil }
    let inbox = ground.inbox
    self.init(
      display: display, clock: ground.clock, wake: ground.lanes.waker(of: .display),
      report: { inbox.post(.display($0)) })
  }

  /// How long sound takes to the glass. Any thread.
  var delay: PictureDelay { delays.withLock { $0 } }

  /// Hands over the frame to be shown. Any thread.
  ///
  /// - Parameters:
  ///   - look: how it is to be shown.
  ///   - soundFrom: when the oldest sound that it is the first to show was at the microphone.
  func post(_ frame: Frame, look: DisplayLook = DisplayLook(), soundFrom: Instant?) {
    // A picture that was never shown leaves its sound to the next one.
    waiting.withLock { $0 = Picture(frame: frame, look: look, soundFrom: $0?.soundFrom ?? soundFrom) }
    wake()
  }

  /// Switches the display off, after the last step.
  func close() { display.close() }

  func step(now: Instant) -> Instant? {
    if !isOpen {
      guard now >= nextAttempt else { return nextAttempt }
      guard open(now: now) else { return nextAttempt }
    }
    let fresh = waiting.withLock { picture in
      defer { picture = nil }
      return picture
    }
    guard let picture = fresh else { return nil }
    last = picture.frame
    do throws(DeviceError) {
      if picture.look != look {
        look = picture.look
        try display.look(look)
      }
      try display.show(picture.frame)
      if let sound = picture.soundFrom { delays.withLock { $0.add(clock.now - sound) } }
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
      if let last { waiting.withLock { $0 = $0 ?? Picture(frame: last, look: look) } }
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
