internal import Appliance
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
  private let hasStanding = Atomic<Bool>(false)
  private let delays = Mutex(PictureDelay())
  private var isOpen = false
  private var hasReportedLoss = false
  private var last: Frame?
  private var look = DisplayLook()
  private var standing: StandingPicture?
  private var shownMeters: MeterReadings?
  private var standingSound = Instant.zero
  private var nextAttempt = Instant.zero

  private struct Picture {
    var content: Content
    var look: DisplayLook
    var soundFrom: Instant?

    enum Content {
      case frame(Frame)
      case standing(StandingPicture)
    }
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
    hasStanding.store(false, ordering: .relaxed)
    waiting.withLock { $0 = Picture(content: .frame(frame), look: look, soundFrom: $0?.soundFrom ?? soundFrom) }
    wake()
  }

  /// Hands over a picture whose meters this lane follows by itself, until it is given another one. Any thread.
  func post(_ picture: StandingPicture, look: DisplayLook) {
    waiting.withLock { $0 = Picture(content: .standing(picture), look: look, soundFrom: $0?.soundFrom) }
    hasStanding.store(true, ordering: .relaxed)
    wake()
  }

  /// New levels are there. Any thread.
  ///
  /// - Returns: whether this lane sees to them, and nobody else has to.
  func follows() -> Bool {
    guard hasStanding.load(ordering: .relaxed) else { return false }
    wake()
    return true
  }

  /// Switches the display off, after the last step.
  func close() {
    // It holds the media lane, which tells this one of its levels.
    standing = nil
    waiting.withLock { $0 = nil }
    display.close()
  }

  func step(now: Instant) -> Instant? {
    if !isOpen {
      guard now >= nextAttempt else { return retry }
      guard open(now: now) else { return retry }
    }
    let fresh = waiting.withLock { picture in
      defer { picture = nil }
      return picture
    }
    var soundFrom = fresh?.soundFrom
    switch fresh?.content {
    case .frame(let frame): (last, standing) = (frame, nil)
    case .standing(let picture): standing = picture
    case nil: if standing == nil { return nil }
    }
    if let standing {
      let (meters, levelsFrom) = standing.meters()
      guard fresh != nil || meters != shownMeters else { return nil }
      shownMeters = meters
      // Levels count once, in the first picture that shows them.
      if levelsFrom > standingSound {
        (standingSound, soundFrom) = (levelsFrom, soundFrom ?? levelsFrom)
      }
      last = standing.frame(meters, at: now)
    }
    guard let frame = last else { return nil }
    do throws(DeviceError) {
      if let wanted = fresh?.look, wanted != look {
        look = wanted
        try display.look(look)
      }
      try display.show(frame)
      if let soundFrom { delays.withLock { $0.add(clock.now - soundFrom) } }
      return nil
    } catch {
      fail(error, now: now)
      return retry
    }
  }

  private func open(now: Instant) -> Bool {
    do throws(DeviceError) {
      try display.open()
      isOpen = true
      hasReportedLoss = false
      report(nil)
      // What was on the glass before the loss.
      let before = standing.map { Picture.Content.standing($0) } ?? last.map { .frame($0) }
      if let before { waiting.withLock { $0 = $0 ?? Picture(content: before, look: look) } }
      return true
    } catch {
      fail(error, now: now)
      return false
    }
  }

  /// When it is tried again; `nil`: never.
  private var retry: Instant? { nextAttempt < .distantFuture ? nextAttempt : nil }

  private func fail(_ error: DeviceError, now: Instant) {
    isOpen = false
    // What has another size than the screens are drawn for will not grow.
    nextAttempt = error.kind == .unsupported ? .distantFuture : now + .seconds(1)
    if !hasReportedLoss { report(error) }
    hasReportedLoss = true
  }
}
