internal import Hardware

/// Takes the jitter out of the times that a camera's pictures carry.
///
/// The kernel stamps a picture when its interrupt is handled, or a USB packet arrives: a camera of an even rhythm seems
/// to limp by up to some milliseconds. A delay-locked loop of second order follows the rhythm (as `CaptureTimeline`
/// does for sound; F. Adriaensen 2005), and a picture whose own time is near its turn gets the turn's time. What a time
/// is moved by is never more than `largestShift` of a period; where the camera really is out of rhythm (a missed picture,
/// another rate, darkness) its own times count. Times always increase. A pure value; wall clocks are not looked at.
struct PictureClock {
  struct Placement: Equatable {
    var time: Instant
    /// Pictures that are missing before this one by the rhythm.
    var missing = 0
    /// How far the time was moved.
    var shift = Duration.zero
    /// Its own time is out of rhythm.
    var isLate = false
  }

  /// Share of a period within which a picture counts as in rhythm, and by which its time is moved at most.
  static let largestShift = 0.25
  /// Pictures alike in a row that make a new rhythm.
  private static let strayLimit = 3
  private static let longestHole = 1e12

  private var last: Instant?
  private var strays = 0
  private var lastDelta = 0.0
  private var seconds = 0.0
  /// Pictures in a row that came after the same number of turns, without the device having skipped any.
  private var slow = (count: 0, turns: 1.0)
  /// Nanoseconds from picture to picture, as the loop has it.
  private(set) var period: Double

  /// - Parameter nominal: from one picture to the next, as granted.
  init(nominal: Duration) { period = Double(max(1_000_000, nominal.nanoseconds)) }

  /// Loop bandwidth in Hz after so many seconds in rhythm.
  private static func bandwidth(after seconds: Double) -> Double { max(0.05, min(1, 1 / max(seconds, 1e-9))) }

  /// Places the next picture.
  ///
  /// - Parameter skipped: pictures that the device says it has skipped before this one.
  mutating func add(_ measured: Instant, skipped: Int = 0) -> Placement {
    guard let last else {
      self.last = measured
      return Placement(time: measured, missing: skipped)
    }
    let delta = Double((measured - last).nanoseconds)
    let turns = max(1, (min(delta, Self.longestHole) / period).rounded())
    let error = delta - turns * period
    guard delta > 0, abs(error) <= period * Self.largestShift else {
      return stray(measured, after: last, delta: delta, skipped: skipped)
    }
    strays = 0
    if isSlower(turns, skipped: skipped) {
      period = delta
      seconds = 0
      self.last = measured
      return Placement(time: measured)
    }
    let angle = 2 * Double.pi * Self.bandwidth(after: seconds) * period / 1e9
    seconds += turns * period / 1e9
    // A hole says nothing about the rhythm within it that a single picture would not.
    let moved = turns * period + min(1, 2.0.squareRoot() * angle) * error
    period += min(0.1, angle * angle) * error / turns
    let time = last + .nanoseconds(max(1, Int64(moved.rounded())))
    self.last = time
    return Placement(time: time, missing: max(skipped, Int(turns) - 1), shift: time - measured)
  }

  /// Whether it is not pictures that are missing, but the camera's rhythm is slower than it was (in the dark, or from
  /// the start): the same number of turns again and again, and the device knows of nothing skipped.
  private mutating func isSlower(_ turns: Double, skipped: Int) -> Bool {
    guard turns > 1, skipped == 0, turns < 20 else {
      slow = (0, 1)
      return false
    }
    slow = turns == slow.turns ? (slow.count + 1, turns) : (1, turns)
    return slow.count >= Self.strayLimit
  }

  /// A picture out of rhythm: its own time counts, and two alike in a row are a new rhythm.
  private mutating func stray(_ measured: Instant, after last: Instant, delta: Double, skipped: Int) -> Placement {
    strays += 1
    // A clock that goes backwards is none: the picture takes its turn.
    guard delta > 0 else {
      let time = last + .nanoseconds(Int64(period))
      self.last = time
      return Placement(time: time, shift: time - measured, isLate: true)
    }
    if strays >= Self.strayLimit, abs(delta - lastDelta) <= 0.1 * delta, delta < 2e9 {
      period = delta
      seconds = 0
      strays = 0
    }
    lastDelta = delta
    self.last = measured
    let missing = delta > 1.5 * period ? Int(min(delta, Self.longestHole) / period + 0.5) - 1 : 0
    return Placement(time: measured, missing: max(skipped, missing), isLate: true)
  }

  /// The camera was away: the next picture's own time counts, the rhythm is kept.
  mutating func restart() {
    last = nil
    strays = 0
    seconds = 0
  }
}
