internal import Appliance
internal import Hardware

/// What somebody who tests the panel by hand has it show, and the key that is waited for. Control lane only.
///
/// It ends by itself: after its time, and when something is recorded, whose lamps and picture come first.
final class PanelTrial {
  /// What the screen shows instead of the device's picture.
  enum Pattern: String, CaseIterable, Sendable {
    /// Nothing else than the device's own.
    case none
    case white
    case black
    case chess
    /// The outermost dots, and both diagonals.
    case frame
  }

  private var lamps: Set<Lamp>?
  private var pattern = Pattern.none
  private var until = Instant.distantFuture
  private var waiting: (until: Instant, told: (Button?) -> Void)?
  private var measuring: (until: Instant, next: Instant, look: () -> Void, done: () -> Void)?
  /// Keys that were pressed for the test, until they are up again.
  private var held: Set<Button> = []

  /// Lamps that are lit, and no others; `nil`: as the device's state has them.
  var lit: Set<Lamp>? { lamps }

  func show(_ lamps: Set<Lamp>?, _ pattern: Pattern, until: Instant) {
    (self.lamps, self.pattern, self.until) = (lamps, pattern, until)
  }

  /// Waits for the next key; whoever waited before is told that none came.
  func waitForKey(until: Instant, told: @escaping (Button?) -> Void) {
    let before = waiting
    waiting = (until, told)
    before?.told(nil)
  }

  /// Has somebody look at the meters ten times a second. Whoever measured before is done.
  func measure(from now: Instant, until: Instant, look: @escaping () -> Void, done: @escaping () -> Void) {
    let before = measuring
    measuring = (until, now, look, done)
    before?.done()
  }

  /// Takes an edge that is the test's.
  ///
  /// - Returns: whether it was: it means nothing else then.
  func take(_ edge: ButtonEdge) -> Bool {
    if !edge.isPressed { return held.remove(edge.button) != nil }
    guard let waiting else {
      // Somebody else presses what is still held for the test: that counts.
      held.remove(edge.button)
      return false
    }
    held.insert(edge.button)
    self.waiting = nil
    waiting.told(edge.button)
    return true
  }

  /// Ends what has had its time.
  ///
  /// - Returns: when to be called again.
  func settle(isRecording: Bool, now: Instant) -> Instant? {
    if isRecording || now >= until { (lamps, pattern, until) = (nil, .none, .distantFuture) }
    if let waiting, isRecording || now >= waiting.until {
      self.waiting = nil
      waiting.told(nil)
    }
    if let measuring, now >= measuring.next {
      measuring.look()
      self.measuring?.next = min(now + .milliseconds(100), max(measuring.until, now + .milliseconds(1)))
      if isRecording || now >= measuring.until {
        self.measuring = nil
        measuring.done()
      }
    }
    let next = min(until, waiting?.until ?? .distantFuture, measuring?.next ?? .distantFuture)
    return next < .distantFuture ? next : nil
  }

  /// The picture that is shown; `nil`: the device's own.
  var frame: Frame? {
    guard pattern != .none else { return nil }
    var frame = Frame()
    let (right, bottom) = (frame.width - 1, frame.height - 1)
    for y in 0...bottom {
      for x in 0...right {
        frame[x, y] =
          switch pattern {
          case .none, .black: false
          case .white: true
          case .chess: (x / 8 + y / 8) % 2 == 0
          case .frame: x == 0 || y == 0 || x == right || y == bottom || x / 2 == y || (right - x) / 2 == y
          }
      }
    }
    return frame
  }
}
