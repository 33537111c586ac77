public import Hardware
internal import Synchronization

/// What a link to the network is like: up or down, how late and how fast. All simulated networks of a run share one.
///
/// Any thread may call.
public final class SimulatedLink: Sendable {
  private struct State {
    var isDown = false
    var latency = Duration.zero
    /// `nil`: as fast as can be.
    var bitsPerSecond: Int?
    var ups = 0
    /// Until when bytes that are on their way keep the link busy: they come one after the other.
    var busyUntil = Instant.zero
    var members: [Member] = []
  }

  private struct Member {
    weak var object: (any SimulatedLinkMember)?
  }

  private let state = Mutex(State())

  public init() {}

  /// Nothing gets through from now on: what is under way stops where it is, what is asked for anew is refused.
  public func goDown(at now: Instant) {
    let members = state.withLock { state in
      guard !state.isDown else { return [any SimulatedLinkMember]() }
      state.isDown = true
      return state.members.compactMap(\.object)
    }
    for member in members { member.linkWentDown(at: now) }
  }

  /// Transfers that waited for the link go on.
  public func comeUp(at now: Instant) {
    let members = state.withLock { state in
      guard state.isDown else { return [any SimulatedLinkMember]() }
      state.isDown = false
      state.ups += 1
      return state.members.compactMap(\.object)
    }
    for member in members { member.linkCameUp(at: now) }
  }

  /// From asking to the first byte, and from sending to the answer; for what is asked for from now on.
  public func setLatency(_ latency: Duration) { state.withLock { $0.latency = max(.zero, latency) } }

  /// Bits per second received from now on, over all transfers; `nil`: no limit.
  public func setBandwidth(_ bitsPerSecond: Int?) {
    state.withLock { $0.bitsPerSecond = bitsPerSecond.map { max(1, $0) } }
  }

  var isDown: Bool { state.withLock { $0.isDown } }
  var latency: Duration { state.withLock { $0.latency } }
  var ups: Int { state.withLock { $0.ups } }

  func add(_ member: any SimulatedLinkMember) {
    state.withLock { state in
      state.members.removeAll { $0.object == nil }
      state.members.append(Member(object: member))
    }
  }

  /// When bytes that are sent at `now` begin to come, and when the last one is there.
  func carry(_ bytes: Int, at now: Instant) -> (first: Instant, last: Instant) {
    state.withLock { state in
      guard let rate = state.bitsPerSecond else { return (now + state.latency, now + state.latency) }
      let first = max(now + state.latency, state.busyUntil)
      // Whole nanoseconds, and the same everywhere; a day at most, so that nothing overflows.
      let (seconds, rest) = (Int64(bytes) * 8).quotientAndRemainder(dividingBy: Int64(rate))
      let length = Duration.seconds(min(seconds, 86_400)) + .nanoseconds(rest * 1_000_000_000 / Int64(rate))
      state.busyUntil = first + length
      return (first, first + length)
    }
  }

  /// Bytes that would have come last until `last` are not wanted any more.
  func release(until last: Instant, at now: Instant) {
    state.withLock { if $0.busyUntil == last { $0.busyUntil = now } }
  }
}

/// Something that stops when the link goes down.
protocol SimulatedLinkMember: AnyObject, Sendable {
  func linkWentDown(at now: Instant)
  func linkCameUp(at now: Instant)
}
