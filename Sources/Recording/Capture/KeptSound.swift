internal import Hardware

/// From when on what was heard may be in a take: not what was heard while that was off, nor what the device itself has
/// said. Pure; the caller knows which frame was heard at an instant.
struct KeptSound {
  /// `nil`: nothing is kept at all.
  private var keptFrom: Instant? = .zero
  private var quietFrom = Instant.zero

  /// What is heard from `instant` on is kept; of before, what was kept already.
  mutating func keep(from instant: Instant) { keptFrom = min(keptFrom ?? instant, instant) }

  /// Nothing that has been heard so far, or will be, is kept until `keep(from:)`.
  mutating func forget() { keptFrom = nil }

  /// The device speaks until `instant`, which may be to come; sooner than was said before, if a key has ended it.
  mutating func hush(until instant: Instant) { quietFrom = instant }

  /// The first frame that has nothing of what the device has said; it may be one to come.
  func firstQuiet(_ frame: (Instant) -> Int) -> Int { quietFrom == .zero ? 0 : frame(quietFrom) }

  /// The first frame of before `limit` that a take may begin with; a later one if the device is still speaking.
  ///
  /// - Parameter oldest: the first frame that is held.
  func first(before limit: Int, oldest: Int, _ frame: (Instant) -> Int) -> Int {
    max(oldest, firstQuiet(frame), min(keptFrom.map(frame) ?? limit, limit))
  }
}
