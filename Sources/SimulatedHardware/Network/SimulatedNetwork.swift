internal import CLinux
public import Hardware
internal import Threads

/// A real network in virtual time.
///
/// What is asked for is really carried out, while the virtual clock stands still: `fetch`, `connect`, and a WebSocket's
/// `nextChange` after something was sent, hold their caller until the peer has answered. The answer then appears at its
/// virtual time: the link's latency later, plus what its bytes take. So a run with real servers is the same every time,
/// as long as they answer within `patience` of real time; from a server that does not, nothing ever comes, and the
/// time-outs of the request hold in virtual time.
///
/// With the system's clock nothing is held back: latency and bandwidth come on top of the real ones.
public final class SimulatedNetwork: Network {
  /// How much is waited for, in real time.
  public struct Patience: Hashable, Sendable {
    /// How long nothing at all may come until the clock goes on.
    public var silence: Duration
    /// An answer is complete when nothing more has come for this long.
    public var quiet: Duration

    public init(silence: Duration = .seconds(1), quiet: Duration = .milliseconds(20)) {
      self.silence = silence
      self.quiet = quiet
    }
  }

  private let network: any Network
  private let clock: any SimulatorClock
  private let link: SimulatedLink
  private let patience: Patience
  private let holdsClock: Bool
  private let expectedReplies: @Sendable (WebSocketMessage) -> Int

  /// - Parameters:
  ///   - network: what carries it out: a real driver.
  ///   - expectedReplies: how many messages a message that is sent brings back at least. Too many cost real time, too
  ///     few the certainty that two runs are the same.
  public init(
    wrapping network: any Network, clock: any SimulatorClock, link: SimulatedLink, patience: Patience = Patience(),
    expectedReplies: @escaping @Sendable (WebSocketMessage) -> Int = { _ in 1 }
  ) {
    self.network = network
    self.clock = clock
    self.link = link
    self.patience = patience
    self.expectedReplies = expectedReplies
    holdsClock = clock is VirtualClock
  }

  public var linkUps: Int { holdsClock ? link.ups : link.ups + network.linkUps }

  public func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    let answer = RealAnswer(forwardsTo: holdsClock ? nil : wake)
    let transfer = SimulatedTransfer(request, clock: clock, link: link, wake: wake)
    guard !link.isDown else {
      transfer.refuse()
      return transfer
    }
    link.add(transfer)
    var real = request
    // Real time is not what the request's patience is about.
    real.stallTimeout = max(request.stallTimeout, patience.silence * 4)
    transfer.begin(network.fetch(real, wake: answer.wake))
    guard holdsClock else { return transfer }
    var received = 0
    answer.hold(silence: patience.silence) {
      switch transfer.realProgress {
      case .running(let bytes):
        defer { received = bytes }
        return bytes > received ? .progress : .nothing
      case .finished, .failed: return .done
      }
    }
    transfer.conclude()
    return transfer
  }

  public func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    let answer = RealAnswer(forwardsTo: holdsClock ? nil : wake)
    let socket = SimulatedWebSocket(
      request, clock: clock, link: link, holding: holdsClock ? (answer, patience, expectedReplies) : nil, wake: wake)
    guard !link.isDown else {
      socket.refuse()
      return socket
    }
    link.add(socket)
    let real = network.connect(request, wake: answer.wake)
    if holdsClock { answer.hold(silence: patience.silence) { real.state == .connecting ? .nothing : .done } }
    socket.begin(real)
    return socket
  }
}

/// Lets a caller wait in real time until a real peer has answered. `wake` is for any thread, `hold` for one at a time.
final class RealAnswer: Sendable {
  enum Look { case nothing, progress, done }

  private let wakeup = Wakeup()
  private let forward: (@Sendable () -> Void)?

  init(forwardsTo forward: (@Sendable () -> Void)?) { self.forward = forward }

  var wake: @Sendable () -> Void {
    { [self] in
      wakeup.signal()
      forward?()
    }
  }

  /// Looks again and again until it is done, or nothing has come for `silence`.
  func hold(silence: Duration, _ look: () -> Look) {
    // Progress in between is not always told: look now and then.
    let glance: Int64 = 50_000_000
    var end = mynah_now() &+ silence.nanoseconds
    while true {
      switch look() {
      case .done: return
      case .progress: end = mynah_now() &+ silence.nanoseconds
      case .nothing:
        let now = mynah_now()
        if now >= end { return }
        wakeup.wait(until: min(end, now &+ glance))
      }
    }
  }
}
