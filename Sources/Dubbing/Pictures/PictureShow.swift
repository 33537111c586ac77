public import Hardware
internal import Media
public import Streaming
internal import Synchronization
internal import Threads

/// Shows the pictures of what is played on a screen, and makes small ones for the OLED, in time with what is heard.
///
/// It belongs on a lane of its own: decoding takes what it takes, and sound never waits for it. A picture is handed to the
/// screen half a refresh before its time, and so is shown at the vertical blank that is nearest to it. While nobody looks,
/// nothing is decoded, and nothing is held.
public final class PictureShow: Stepper, PictureTaker, @unchecked Sendable {
  /// What the display of the device can show.
  public struct PreviewWish: Hashable, Sendable {
    /// Dots that it has for a picture.
    public var width: Int
    public var height: Int
    /// Between two pictures: what its bus allows.
    public var interval: Duration

    public init(width: Int, height: Int, interval: Duration) {
      self.width = width
      self.height = height
      self.interval = interval
    }
  }

  private struct Shared {
    var wish: PreviewWish?
    var preview: PicturePreview?
    var counters = PictureCounters()
    var mode: ScreenMode?
  }

  private let intake: PictureIntake
  private let wakeUp = WakeCell()
  private let shared = Mutex(Shared())
  private let isAttached = Atomic<Bool>(false)
  private let screen: (any PictureScreen)?
  private let onPreview: @Sendable () -> Void

  // The lane's own.
  private let output: ScreenOutput?
  private let line: PictureLine
  private var counters = PictureCounters()
  private var generation = 0
  private var ends = 0
  private var isResting = true
  /// Taken from the line to be shown next, and whether it is in the screen's hidden surface.
  private var held: DecodedPicture?
  private var isHeldDrawn = false
  private var current: DecodedPicture?
  /// Decoding runs after the sound: since when.
  private var behindSince: Instant?
  private var lastPreview: Instant?
  private var shownPreview: Int?

  /// Pictures that are decoded in a call.
  private static let work = 4
  /// How soon a surface that still waits for its vertical blank is looked at again.
  private static let flipWait = Duration.milliseconds(2)
  /// How long nothing is shown while decoding catches up: a board that never does shows a picture now and then.
  private static let patience = Duration.milliseconds(500)
  /// A preview that comes later than this after its sound is late.
  private static let lateFrames = 4800.0

  /// - Parameters:
  ///   - screen: where pictures in full are shown, whenever one is plugged in; `nil`: the board has no socket for one.
  ///   - room: what memory there is for them.
  ///   - onPreview: called when there is another small picture; must not block.
  ///   - report: told why the screen cannot be had, and `nil` when it can. Called on the lane.
  public init(
    screen: (any PictureScreen)?, room: PictureRoom, onPreview: @escaping @Sendable () -> Void = {},
    report: @escaping (DeviceError?) -> Void = { _ in }
  ) {
    self.screen = screen
    self.onPreview = onPreview
    intake = PictureIntake(mostBytes: room.waiting)
    line = PictureLine(room)
    output = screen.map { ScreenOutput($0, report: report) }
  }

  // MARK: Any thread

  /// Makes small pictures for a display, or none.
  public func setPreview(_ wish: PreviewWish?) {
    let isNew = shared.withLock { shared in
      defer { shared.wish = wish }
      return shared.wish != wish
    }
    if isNew { wakeUp.call() }
  }

  /// Looks whether a screen is plugged in: before something is opened, whose pictures it may want.
  public func look() {
    if let screen { isAttached.store(screen.isAttached, ordering: .releasing) }
  }

  /// Whether a screen was plugged in at the last look.
  public var hasScreen: Bool { isAttached.load(ordering: .acquiring) }

  public var isWanted: Bool { hasScreen || shared.withLock { $0.wish != nil } }

  /// The small picture of now; `nil` if there is none.
  public var preview: PicturePreview? { shared.withLock { $0.preview } }
  public var pictureCounters: PictureCounters { shared.withLock { $0.counters } }
  /// The screen that is taken; `nil` if none is.
  public var screenMode: ScreenMode? { shared.withLock { $0.mode } }

  public func take(_ picture: ProgrammePicture) {
    intake.take(picture)
    wakeUp.call()
  }

  public func restart(isPlaying: Bool) {
    intake.restart(isPlaying: isPlaying)
    wakeUp.call()
  }

  public func follow(_ clock: HeardClock) {
    if intake.follow(clock) { wakeUp.call() }
  }

  public func attach(wake: @escaping @Sendable () -> Void) { wakeUp.set(wake) }

  /// Gives the screen back, after the last step.
  public func close() { rest() }

  // MARK: The lane

  public func step(now: Instant) -> Instant? {
    let news = intake.collect()
    if news.generation != generation {
      generation = news.generation
      line.restart()
      letGo()
      if news.ends != ends { rest(keepsScreen: true) }
      ends = news.ends
    }
    guard news.isPlaying else {
      rest()
      return nil
    }
    var wishes: [Instant] = []
    if let output {
      let wasOpen = output.isOpen
      wishes.append(output.watch(now: now))
      isAttached.store(output.isAttached, ordering: .releasing)
      if output.isOpen != wasOpen { screenChanged() }
    }
    let wish = shared.withLock { $0.wish }
    guard wish != nil || output?.isOpen == true else {
      rest(keepsScreen: true)
      return wishes.min()
    }
    isResting = false
    line.isForPreview = output?.isOpen != true
    line.add(news.pictures)
    if let clock = news.clock, let next = play(clock, wish, now) { wishes.append(next) }
    publish()
    return wishes.min()
  }

  /// Nobody looks, or nothing plays.
  private func rest(keepsScreen: Bool = false) {
    guard !isResting || !keepsScreen else { return }
    let wasResting = isResting && output?.isOpen != true
    isResting = true
    line.close()
    letGo()
    current = nil
    lastPreview = nil
    shownPreview = nil
    if !keepsScreen { output?.close() }
    guard !wasResting else { return }
    let hadPreview = shared.withLock { shared in
      defer {
        shared.preview = nil
        shared.mode = output?.mode
      }
      return shared.preview != nil
    }
    if hadPreview { onPreview() }
  }

  private func letGo() {
    held = nil
    isHeldDrawn = false
    behindSince = nil
    output?.forget()
  }

  private func screenChanged() {
    isHeldDrawn = false
    guard let output, output.isOpen, let current else { return }
    // What is seen while it is paused, say.
    if output.draw(current) { output.show() }
  }

  /// Shows what is due.
  ///
  /// - Returns: when something will be.
  private func play(_ clock: HeardClock, _ wish: PreviewWish?, _ now: Instant) -> Instant? {
    let heard = clock.frame(at: now)
    line.work(heard: heard, isEnding: clock.isEnding, most: Self.work)
    let half = output?.halfPeriod ?? 0
    held = held ?? line.take()
    while held != nil, let next = line.next, Double(next) <= heard + half {
      held.map(line.drop)
      held = line.take()
      isHeldDrawn = false
    }
    if isCatchingUp(heard + half, now), let passed = held {
      // After a jump, say: what lies between is not played in fast motion.
      line.drop(passed)
      held = nil
      isHeldDrawn = false
      return now
    }
    defer {
      makePreview(wish, now)
      // It has been drawn: where there is no room for it, the next one is worth more.
      if line.isTight, wish == nil || shownPreview == current?.time { current = nil }
    }
    guard let picture = held else { return line.hasWork ? now : nil }
    if let output, output.isOpen, !isHeldDrawn { isHeldDrawn = output.draw(picture) }
    let isOnScreen = output?.isOpen == true
    guard Double(picture.time) <= heard + half else {
      if line.hasWork { return now }
      let due = clock.time(of: Double(picture.time) - half)
      return isOnScreen && !isHeldDrawn ? min(now + Self.flipWait, due ?? .distantFuture) : due
    }
    if isOnScreen {
      guard isHeldDrawn else { return now + Self.flipWait }
      output?.show()
    }
    let lateness = isOnScreen ? 3 * half : Self.lateFrames
    if heard - max(Double(picture.time), line.floor ?? 0) > lateness { counters.late += 1 }
    if isOnScreen { counters.shown += 1 }
    current = picture
    held = nil
    isHeldDrawn = false
    // The next one is prepared at once.
    return now
  }

  /// Whether newer pictures that are due have yet to be decoded.
  private func isCatchingUp(_ frame: Double, _ now: Instant) -> Bool {
    guard let held, Double(held.time) <= frame, line.isBehind(held.time, at: frame) else {
      if held != nil { behindSince = nil }
      return false
    }
    let since = behindSince ?? now
    behindSince = now - since < Self.patience ? since : nil
    return behindSince != nil
  }

  private func makePreview(_ wish: PreviewWish?, _ now: Instant) {
    guard let wish, let current, current.time != shownPreview else { return }
    // Pictures of 30 a second come every 33.3 ms: an interval of 66.7 must not take every third.
    if let lastPreview, now - lastPreview < wish.interval * 0.9 { return }
    lastPreview = now
    shownPreview = current.time
    if output?.isOpen != true { counters.shown += 1 }
    let place = current.place(in: wish.width, wish.height)
    let preview = PicturePreview(
      width: place.width, height: place.height, luma: current.grey(width: place.width, height: place.height),
      frame: current.time)
    shared.withLock { $0.preview = preview }
    onPreview()
  }

  private func publish() {
    var told = counters
    told.dropped += line.dropped
    told.damaged = line.damaged
    shared.withLock {
      $0.counters = told
      $0.mode = output?.mode
      if $0.wish == nil { $0.preview = nil }
    }
  }
}
