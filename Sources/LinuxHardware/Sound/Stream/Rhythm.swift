/// Two watches over a stream's rhythm: a device that stands still, and one that has no clock at all.
///
/// Pure: times come from the caller, in ns on CLOCK_MONOTONIC.
struct Rhythm {
  /// A device that moves no frame for this long is taken for lost.
  static var patience: Int64 {
    @_noLocks @_noAllocation get { 2_000_000_000 }
  }

  /// ns that `frames` frames last.
  @_noLocks @_noAllocation
  static func duration(ofFrames frames: Int, rate: Int) -> Int64 {
    Int64(frames) &* 1_000_000_000 / Int64(rate)
  }

  private let rate: Int
  /// ns of sound that a real device cannot be ahead of the clock by.
  private let allowance: Int64
  private var lastMove: Int64
  private var lastCount: Int64
  /// ns of sound moved beyond what the clock explains.
  private var surplus: Int64 = 0

  @_noLocks @_noAllocation
  init(rate: Int, periodFrames: Int, bufferFrames: Int, now: Int64) {
    self.rate = rate
    allowance = Self.duration(ofFrames: 2 * bufferFrames + periodFrames, rate: rate)
    lastMove = now
    lastCount = now
  }

  /// Whether the device has stood still for too long.
  @_noLocks @_noAllocation
  func isStuck(now: Int64) -> Bool { now &- lastMove >= Self.patience }

  /// Takes note of frames that were moved.
  ///
  /// - Returns: ns to sleep: 0 for a device that keeps time; for one that takes or gives at any speed (ALSA's `null`
  ///   and `file`) what holds it back to its own rate. The surplus leaks a sixteenth faster than time passes, so that
  ///   no crystal's drift can add up.
  @_noLocks @_noAllocation
  mutating func moved(frames: Int, now: Int64) -> Int64 {
    let elapsed = max(0, now &- lastCount)
    let length = Self.duration(ofFrames: frames, rate: rate)
    lastMove = now
    lastCount = now
    surplus = max(0, surplus &- elapsed &- elapsed / 16) &+ length
    return surplus > allowance ? length : 0
  }
}
