/// When to try again after a connection failed or ended: exponential back-off with full jitter.
///
/// The first retry is made at once; after that, delays are uniform in 0…min(cap, base × 2ⁿ⁻¹) ("full jitter": the one
/// that keeps many clients of one server apart best). Only a connection that stayed up for a while makes it begin anew:
/// a server that accepts and hangs up at once is not hammered. Pure: the same seed and calls give the same times.
public struct Backoff: Hashable, Sendable {
  /// How a connection ended.
  public enum Ending: Hashable, Sendable {
    case failed(NetworkError)
    /// A WebSocket was closed by its peer with a code of RFC 6455 section 7.4.
    case closed(code: Int)
  }

  /// The longest delay.
  public let cap: Duration
  /// How long a connection has to stay up until failures before it are forgotten.
  public let healthyAfter: Duration
  /// The upper bound of the second retry's delay.
  public let base: Duration
  /// Attempts that failed in a row.
  public private(set) var failures = 0
  /// When to try next; `nil` while there is a connection, and after an error that trying again does not mend.
  public private(set) var retryAt: Instant?

  private var openedAt: Instant?
  /// Whether the server itself asked for patience: then a link that comes up changes nothing.
  private var isTold = false
  private var random: UInt64

  /// - Parameter seed: decides the jitter; another one on every device.
  public init(
    seed: UInt64, base: Duration = .milliseconds(500), cap: Duration = .seconds(30),
    healthyAfter: Duration = .seconds(5)
  ) {
    self.base = base
    self.cap = cap
    self.healthyAfter = healthyAfter
    random = seed
  }

  /// There is a connection again.
  public mutating func opened(at now: Instant) {
    openedAt = now
    retryAt = nil
  }

  /// A connection, or the attempt to make one, ended.
  ///
  /// Codes 1012 (service restart) and 1013 (try again later) are honoured, as IANA's registry of close codes describes
  /// them: 5 s to `cap` after the one, half of `cap` to `cap` after the other.
  ///
  /// - Returns: when to try again, which may be now; `nil`: not at all, it needs a person.
  public mutating func ended(_ ending: Ending, at now: Instant) -> Instant? {
    if let openedAt, now - openedAt >= healthyAfter { failures = 0 }
    openedAt = nil
    failures = min(failures + 1, 1_000_000)
    isTold = false
    retryAt = nil
    switch ending {
    case .failed(let error):
      guard error.isWorthRetrying else { return nil }
      retryAt = now + nextDelay()
    case .closed(code: 1012):
      isTold = true
      retryAt = now + uniform(from: min(.seconds(5), cap), to: cap)
    case .closed(code: 1013):
      isTold = true
      retryAt = now + uniform(from: cap / 2, to: cap)
    case .closed:
      retryAt = now + nextDelay()
    }
    return retryAt
  }

  /// A link of the machine came up: what waits because of an error is tried at once.
  ///
  /// - Returns: when to try next.
  public mutating func linkCameUp(at now: Instant) -> Instant? {
    if let waiting = retryAt, waiting > now, !isTold { retryAt = now }
    return retryAt
  }

  private mutating func nextDelay() -> Duration {
    // After some 40 doublings every bound is at the cap.
    guard failures > 1 else { return .zero }
    var bound = base
    for _ in 0..<min(failures - 2, 40) where bound < cap { bound = bound * 2 }
    return uniform(from: .zero, to: min(bound, cap))
  }

  private mutating func uniform(from least: Duration, to most: Duration) -> Duration {
    let width = UInt64(max(0, (most - least).nanoseconds))
    // SplitMix64 (Steele, Lea, Flood 2014).
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return least + .nanoseconds(Int64(mixed.multipliedFullWidth(by: width + 1).high))
  }
}
