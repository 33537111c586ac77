internal import Hardware

/// Takes the jitter out of the times that a camera's pictures carry.
///
/// The kernel stamps a picture when its interrupt is handled, or a USB packet arrives: a camera of an even rhythm seems
/// to limp by up to some milliseconds. A delay-locked loop of second order follows the rhythm (as `CaptureTimeline` does
/// for sound; F. Adriaensen, "Using a DLL to filter time", 2005), and a picture gets the time of its turn, but never one
/// that is more than `largestShift` of a period away from its own. Holes are whole turns, and of a
/// device that numbers its pictures as many as its numbers say; another rate, as of a camera in the dark, is a new rhythm
/// after four pictures. Times always increase. A pure value; wall clocks are not looked at.
struct PictureClock {
  struct Placement: Equatable {
    var time: Instant
    /// Pictures that are missing before this one.
    var missing = 0
    /// How far the time was moved.
    var shift = Duration.zero
    /// Its own time is out of rhythm.
    var isLate = false
  }

  /// Share of a period within which a picture is in rhythm, and by which its time is moved at most.
  static let largestShift = 0.25
  /// Intervals alike in a row that make a new rhythm.
  private static let patience = 4
  /// Beyond this the rhythm is not counted on.
  private static let longestHole = 1e12

  /// The time of the last turn, as the loop has it.
  private var turn: Instant?
  private var last = Instant(nanoseconds: .min / 2)
  private var lastMeasured = Instant.zero
  private var seconds = 0.0
  /// Intervals in a row that are alike and not the rhythm's.
  private var others = (count: 0, interval: 0.0)
  /// Nanoseconds from picture to picture, as the loop has it.
  private(set) var period: Double

  /// - Parameter nominal: from one picture to the next, as granted.
  init(nominal: Duration) { period = Double(max(1_000_000, nominal.nanoseconds)) }

  /// Loop bandwidth in Hz after so many seconds in rhythm.
  private static func bandwidth(after seconds: Double) -> Double { max(0.05, min(1, 1 / max(seconds, 1e-9))) }

  /// Places the next picture.
  ///
  /// - Parameters:
  ///   - skipped: pictures that are known to be absent before this one.
  ///   - isCounted: whether the device numbers its pictures. Then exactly `skipped` are missing and a picture that is out
  ///     of rhythm is late, however late it is; else every whole turn without a picture is a missing one.
  mutating func add(_ measured: Instant, skipped: Int = 0, isCounted: Bool = false) -> Placement {
    guard let turn else { return begin(at: measured, missing: skipped) }
    let interval = Double((measured - lastMeasured).nanoseconds) / Double(max(0, skipped) + 1)
    lastMeasured = measured
    if isNewRhythm(interval) {
      period = interval
      seconds = 0
      return begin(at: measured, missing: skipped)
    }
    let delta = Double((measured - turn).nanoseconds)
    guard delta < Self.longestHole else { return begin(at: measured, missing: skipped) }
    // A clock that goes backwards is none: the picture takes its turn.
    guard delta > -period else {
      let next = turn + .nanoseconds(Int64(period))
      self.turn = next
      return place(next, measured, missing: skipped, isLate: true)
    }
    let turns = isCounted ? Double(max(0, skipped) + 1) : max(1, (delta / period).rounded())
    let error = delta - turns * period
    if isCounted, abs(error) > period / 2 { return begin(at: measured, missing: skipped, isLate: true) }
    // One too many, far ahead of the next turn.
    guard error >= -period / 2 else { return place(measured, measured, missing: skipped, isLate: true) }
    let angle = 2 * Double.pi * Self.bandwidth(after: seconds) * period / 1e9
    seconds += turns * period / 1e9
    let reached = turn + .nanoseconds(Int64((turns * period + min(1, 2.0.squareRoot() * angle) * error).rounded()))
    // A hole says nothing about the rhythm within it that a single picture would not.
    period += min(0.1, angle * angle) * error / turns
    self.turn = reached
    let limit = Int64(period * Self.largestShift)
    let shift = min(limit, max(-limit, (reached - measured).nanoseconds))
    return place(
      measured + .nanoseconds(shift), measured, missing: max(skipped, Int(turns) - 1),
      isLate: abs(error) > period * Self.largestShift)
  }

  private mutating func begin(at measured: Instant, missing: Int, isLate: Bool = false) -> Placement {
    turn = measured
    lastMeasured = measured
    if !isLate { others = (0, 0) }
    return place(measured, measured, missing: missing, isLate: isLate)
  }

  private mutating func place(_ time: Instant, _ measured: Instant, missing: Int, isLate: Bool) -> Placement {
    let kept = max(time, last + .microseconds(1))
    last = kept
    return Placement(time: kept, missing: missing, shift: kept - measured, isLate: isLate)
  }

  /// Whether the intervals have for some time been alike, but not those of the rhythm.
  private mutating func isNewRhythm(_ interval: Double) -> Bool {
    guard interval > 1e6, interval < 2e9, abs(interval - period) > 0.1 * period else {
      others = (0, 0)
      return false
    }
    let isAlike = abs(interval - others.interval) <= 0.1 * interval
    others = (isAlike ? others.count + 1 : 1, interval)
    return others.count >= Self.patience
  }

  /// The camera was away: the next picture's own time counts, the rhythm is kept.
  mutating func restart() {
    turn = nil
    seconds = 0
  }
}
