internal import Hardware
internal import Synchronization

/// A transfer whose result appears at its simulated time.
final class SimulatedTransfer: HTTPTransfer, SimulatedLinkMember {
  private enum Phase {
    /// What really happens is not known yet, or never will be.
    case open
    /// How it ends is known, and when.
    case due(HTTPProgress, first: Instant, last: Instant)
    case over(HTTPProgress)
  }

  private struct State {
    var phase = Phase.open
    var real: (any HTTPTransfer)?
    var frozen: Instant?
    /// When it is given up, if nothing comes.
    var deadline: Instant?
    // Of an open-ended request.
    var head: HTTPHead?
    var rest: [UInt8] = []
  }

  private let state = Mutex(State())
  private let request: HTTPRequest
  private let requested: Instant
  private let clock: any SimulatorClock
  private let link: SimulatedLink
  private let wake: @Sendable () -> Void

  init(_ request: HTTPRequest, clock: any SimulatorClock, link: SimulatedLink, wake: @escaping @Sendable () -> Void) {
    self.request = request
    self.clock = clock
    self.link = link
    self.wake = wake
    requested = clock.now
  }

  // MARK: The caller

  var progress: HTTPProgress {
    let now = clock.now
    return state.withLock { state in
      settle(&state, now)
      switch state.phase {
      case .over(let progress): return progress
      case .open: return .running(receivedBytes: 0)
      case .due(let progress, let first, let last):
        let shown = state.frozen ?? now
        guard case .finished(let response) = progress, shown >= first, last > first else {
          return .running(receivedBytes: 0)
        }
        let share = (shown - first).inSeconds / (last - first).inSeconds
        return .running(receivedBytes: Int(Double(response.body.count) * min(1, share)))
      }
    }
  }

  var nextChange: Instant? {
    let now = clock.now
    return state.withLock { state in
      settle(&state, now)
      switch state.phase {
      case .over: return nil
      case .open: return state.deadline
      case .due(_, _, let last): return state.frozen == nil ? min(last, state.deadline ?? last) : state.deadline
      }
    }
  }

  var head: HTTPHead? { state.withLock { $0.real?.head ?? $0.head } }

  func take() -> [UInt8] {
    state.withLock { state in
      guard state.frozen == nil else { return [] }
      defer { state.rest = [] }
      return state.rest + (state.real?.take() ?? [])
    }
  }

  func cancel() {
    let now = clock.now
    state.withLock { state in
      if case .due(_, _, let last) = state.phase { link.release(until: last, at: now) }
      if case .over = state.phase { return }
      state.phase = .over(.running(receivedBytes: 0))
      state.real?.cancel()
      state.real = nil
    }
  }

  // MARK: The network

  var realProgress: HTTPProgress {
    state.withLock { $0.real?.progress } ?? .running(receivedBytes: 0)
  }

  func begin(_ real: any HTTPTransfer) { state.withLock { $0.real = real } }

  /// There is no link.
  func refuse() {
    let error = NetworkError(
      .unreachable, subject: Self.subject(request.url), reason: "there is no network: the link is down")
    state.withLock { $0.phase = .due(.failed(error), first: requested, last: requested + .milliseconds(1)) }
  }

  /// It has really ended, or nothing more will come.
  func conclude() {
    state.withLock { state in
      settle(&state, requested)
      guard case .open = state.phase, !request.isOpenEnded else { return }
      state.real?.cancel()
      state.real = nil
      state.deadline = requested + min(request.stallTimeout, request.timeout)
    }
  }

  // MARK: The link

  func linkWentDown(at now: Instant) {
    let isNews = state.withLock { state in
      settle(&state, now)
      if case .over = state.phase { return false }
      state.frozen = now
      state.deadline = min(now + request.stallTimeout, requested + request.timeout)
      return true
    }
    if isNews { wake() }
  }

  func linkCameUp(at now: Instant) {
    let isNews = state.withLock { state in
      settle(&state, now)
      guard let frozen = state.frozen else { return false }
      state.frozen = nil
      state.deadline = nil
      switch state.phase {
      case .over: return false
      case .open: if state.real == nil { state.deadline = now + request.stallTimeout }
      case .due(let progress, let first, let last):
        state.phase = .open
        schedule(&state, progress, first: first + (now - frozen), last: last + (now - frozen))
      }
      return true
    }
    if isNews { wake() }
  }

  // MARK: Inside

  private func settle(_ state: inout State, _ now: Instant) {
    if case .open = state.phase, state.frozen == nil, let real = state.real {
      let progress = real.progress
      if request.isOpenEnded {
        state.head = real.head
        if case .running = progress {} else { state.rest += real.take() }
      }
      switch progress {
      case .running: break
      case .failed(let error):
        state.real = nil
        // Without the fault, it would have come after the latency.
        let at = max(now, requested + link.latency)
        schedule(&state, .failed(error), first: at, last: at)
      case .finished(let response):
        state.real = nil
        // Its patience is over already; what has come is given, as the network does.
        guard !response.isBroken else { return end(&state, .finished(response)) }
        let (first, last) = link.carry(response.body.count, at: requested)
        schedule(&state, .finished(response), first: max(now, first), last: max(now, last))
      }
    }
    if let deadline = state.deadline, deadline <= now, !isDue(state, by: deadline) {
      end(
        &state,
        .failed(timeout("nothing came for \(request.stallTimeout.inSeconds) s: the network or the server is stuck")))
    } else if case .due(let progress, _, let last) = state.phase, state.frozen == nil, last <= now {
      end(&state, progress)
    }
  }

  private func isDue(_ state: State, by deadline: Instant) -> Bool {
    if case .over = state.phase { return true }
    if case .due(_, _, let last) = state.phase, state.frozen == nil { return last <= deadline }
    return false
  }

  /// The request's time-outs hold in simulated time, too.
  private func schedule(_ state: inout State, _ progress: HTTPProgress, first: Instant, last: Instant) {
    let limits: [(at: Instant, isBroken: Bool, error: NetworkError)] = [
      (
        requested + request.connectTimeout, link.latency > request.connectTimeout,
        NetworkError(.unreachable, subject: Self.subject(request.url), reason: "it does not answer: check the network")
      ),
      (
        requested + request.stallTimeout, first - requested > request.stallTimeout,
        timeout("nothing came for \(request.stallTimeout.inSeconds) s: the network or the server is stuck")
      ),
      (
        requested + request.timeout, last - requested > request.timeout,
        timeout("it took longer than \(request.timeout.inSeconds) s: the network or the server is slow")
      ),
    ]
    // What has no end has been heard of all the time.
    if !request.isOpenEnded, let broken = limits.filter(\.isBroken).min(by: { $0.at < $1.at }) {
      link.release(until: last, at: broken.at)
      state.phase = .due(.failed(broken.error), first: broken.at, last: broken.at)
    } else if case .finished(var response) = progress {
      response.requested = requested
      response.firstByte = first
      response.finished = last
      state.phase = .due(.finished(response), first: first, last: last)
    } else {
      state.phase = .due(progress, first: first, last: last)
    }
  }

  private func end(_ state: inout State, _ progress: HTTPProgress) {
    state.phase = .over(progress)
    state.real?.cancel()
    state.real = nil
    state.deadline = nil
  }

  private func timeout(_ reason: String) -> NetworkError {
    NetworkError(.timeout, subject: Self.subject(request.url), reason: reason)
  }

  /// An address without what is secret in it.
  static func subject(_ url: String) -> String {
    let visible = url.utf8.prefix { $0 != UInt8(ascii: "?") }
    let rest = visible.lastIndex(of: UInt8(ascii: "@")).map { visible[visible.index(after: $0)...] } ?? visible
    return String(decoding: rest, as: UTF8.self)
  }
}
