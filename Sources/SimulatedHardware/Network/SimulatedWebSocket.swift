internal import Hardware
internal import Synchronization

/// A WebSocket on which things appear at their simulated time.
final class SimulatedWebSocket: WebSocketConnection, SimulatedLinkMember {
  private enum Arrival {
    case state(WebSocketState)
    case message(WebSocketMessage)
  }

  private struct State {
    var real: (any WebSocketConnection)?
    var shown = WebSocketState.connecting
    /// What has really come, and when it appears; in order.
    var arrivals: [(at: Instant, what: Arrival)] = []
    var inbox: [WebSocketMessage] = []
    /// What could not be sent because the link is down.
    var outbox: [WebSocketMessage] = []
    var hasOpened = false
    var hasEnded = false
    /// Messages that have to come until the clock may go on.
    var awaited = 0
    var frozen: Instant?
    var deadline: Instant?

    var isOver: Bool {
      switch shown {
      case .connecting, .open: false
      case .closed, .failed: true
      }
    }
  }

  /// What may wait in one direction, as with the real ones.
  private static let mostWaiting = 64

  private let shared = Mutex(State())
  private let request: WebSocketRequest
  private let began: Instant
  private let clock: any SimulatorClock
  private let link: SimulatedLink
  private let holding: (RealAnswer, SimulatedNetwork.Patience, @Sendable (WebSocketMessage) -> Int)?
  private let wake: @Sendable () -> Void

  /// - Parameter holding: how a caller is held while the peer answers; `nil` where the clock is not held.
  init(
    _ request: WebSocketRequest, clock: any SimulatorClock, link: SimulatedLink,
    holding: (RealAnswer, SimulatedNetwork.Patience, @Sendable (WebSocketMessage) -> Int)?,
    wake: @escaping @Sendable () -> Void
  ) {
    self.request = request
    self.clock = clock
    self.link = link
    self.holding = holding
    self.wake = wake
    began = clock.now
  }

  // MARK: The caller

  var state: WebSocketState { look { $0.shown } }

  func receive() -> WebSocketMessage? { look { $0.inbox.isEmpty ? nil : $0.inbox.removeFirst() } }

  func send(_ message: WebSocketMessage) -> Bool {
    let (real, isTaken) = look { state -> ((any WebSocketConnection)?, Bool) in
      guard state.shown == .open else { return (nil, false) }
      guard state.frozen != nil else { return (state.real, true) }
      guard state.outbox.count < 16 else { return (nil, false) }
      state.outbox.append(message)
      return (nil, true)
    }
    guard isTaken, let real else { return isTaken }
    guard let (answer, patience, replies) = holding else { return real.send(message) }
    var hasGone = false
    answer.hold(silence: patience.silence) {
      hasGone = real.send(message)
      return hasGone || real.state != .open ? .done : .nothing
    }
    if hasGone { shared.withLock { $0.awaited += replies(message) } }
    return hasGone
  }

  var nextChange: Instant? {
    awaitReplies()
    return look { state in
      guard !state.isOver || !state.arrivals.isEmpty else { return nil }
      let next = state.frozen == nil ? state.arrivals.first?.at : nil
      return [next, state.deadline].compactMap { $0 }.min()
    }
  }

  func close(code: Int, reason: String) {
    look { state in
      guard !state.isOver else { return }
      state.real?.close(code: code, reason: reason)
      state.real = nil
      state.arrivals = []
      state.shown = .closed(code: code, reason: "")
    }
  }

  // MARK: The network

  func begin(_ real: any WebSocketConnection) {
    shared.withLock { $0.real = real }
    look { state in
      // A peer that does not answer the handshake while the clock stands still never will.
      if holding != nil, real.state == .connecting { state.deadline = began + request.connectTimeout }
    }
  }

  /// There is no link.
  func refuse() {
    let error = NetworkError(
      .unreachable, subject: SimulatedTransfer.subject(request.url), reason: "there is no network: the link is down")
    shared.withLock { $0.arrivals = [(began + .milliseconds(1), .state(.failed(error)))] }
  }

  // MARK: The link

  func linkWentDown(at now: Instant) {
    let isNews = look { state in
      guard !state.isOver else { return false }
      state.frozen = now
      // What a ping without an answer takes, and what a handshake without one does.
      state.deadline = state.shown == .open ? now + request.silenceTimeout * 2 : began + request.connectTimeout
      return true
    }
    if isNews { wake() }
  }

  func linkCameUp(at now: Instant) {
    let isNews = look { state in
      guard let frozen = state.frozen else { return false }
      state.frozen = nil
      guard !state.isOver else { return false }
      state.deadline = nil
      for index in state.arrivals.indices { state.arrivals[index].at = state.arrivals[index].at + (now - frozen) }
      for message in state.outbox where state.real?.send(message) == true {
        state.awaited += holding?.2(message) ?? 0
      }
      state.outbox = []
      return true
    }
    if isNews { wake() }
  }

  // MARK: Inside

  /// Lets everything appear that is due, and works on what is then there.
  private func look<Result>(_ body: (inout State) -> Result) -> Result {
    let now = clock.now
    return shared.withLock { state in
      pull(&state, now)
      settle(&state, now)
      return body(&state)
    }
  }

  /// Takes what has really come.
  private func pull(_ state: inout State, _ now: Instant) {
    guard state.frozen == nil, !state.hasEnded, let real = state.real else { return }
    let there = real.state
    if !state.hasOpened, there != .connecting {
      state.hasOpened = true
      state.deadline = nil
      // A handshake that failed never was open; one that was ended at once was.
      if case .failed = there {} else { state.arrivals.append((now + link.latency, .state(.open))) }
    }
    while state.arrivals.count + state.inbox.count < Self.mostWaiting, let message = real.receive() {
      state.awaited = max(0, state.awaited - 1)
      // Never before what came before it.
      state.arrivals.append((max(link.carry(message.byteCount, at: now).last, latest(state)), .message(message)))
    }
    switch there {
    case .connecting, .open: break
    case .closed, .failed:
      guard state.arrivals.count + state.inbox.count < Self.mostWaiting else { return }
      state.hasEnded = true
      state.awaited = 0
      state.arrivals.append((max(now + link.latency, latest(state)), .state(there)))
    }
  }

  private func latest(_ state: State) -> Instant { state.arrivals.last?.at ?? .zero }

  private func settle(_ state: inout State, _ now: Instant) {
    if let deadline = state.deadline, deadline <= now, !state.isOver {
      state.deadline = nil
      state.arrivals = []
      state.real?.close(code: 1001)
      state.real = nil
      let reason =
        state.shown == .open
        ? "it does not answer a ping for \(request.silenceTimeout.inSeconds) s: the network or the server is gone"
        : "it does not answer: check the network"
      state.shown = .failed(
        NetworkError(
          state.shown == .open ? .timeout : .unreachable, subject: SimulatedTransfer.subject(request.url),
          reason: reason))
    }
    guard state.frozen == nil else { return }
    while let next = state.arrivals.first, next.at <= now {
      state.arrivals.removeFirst()
      switch next.what {
      case .message(let message): state.inbox.append(message)
      case .state(let new): if !state.isOver { state.shown = new }
      }
    }
  }

  /// Holds the caller, and with it the clock, until what was sent has been answered.
  private func awaitReplies() {
    guard let (answer, patience, _) = holding, look({ $0.awaited > 0 && $0.frozen == nil && !$0.isOver }) else {
      return
    }
    var before = look { $0.awaited }
    answer.hold(silence: patience.silence) {
      let left = look { $0.awaited }
      defer { before = left }
      return left == 0 ? .done : left < before ? .progress : .nothing
    }
    // What belongs to the answer follows at once, or is late.
    var arrived = look { $0.arrivals.count }
    answer.hold(silence: patience.quiet) {
      let now = look { $0.arrivals.count }
      defer { arrived = now }
      return now > arrived ? .progress : .nothing
    }
    shared.withLock { $0.awaited = 0 }
  }
}

extension WebSocketMessage {
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let bytes): bytes.count
    }
  }
}
