internal import Hardware

/// Keeps the connection to a dubbing service: connects, retries with back-off, and carries what the session says.
///
/// One thread; nothing blocks. It is stepped by the player, and woken by the network.
final class ServiceLink {
  /// What changed about the connection.
  enum Event: Hashable {
    case up
    case down(reason: String)
  }

  private let network: any Network
  private let url: String
  private let token: String
  private let wake: @Sendable () -> Void
  private var connection: (any WebSocketConnection)?
  private var isOpen = false
  private var backoff: Backoff
  private var retryAt: Instant?
  private var linkUps: Int
  private var unsent: [WebSocketMessage] = []
  private var wasUp = false
  private var hasTold = false
  private(set) var session: ServiceSession
  private var news: [Event] = []

  /// Messages handled a step: a flood must not hold up the sound.
  private static let messagesAStep = 16
  /// Certificates expire and clocks are wrong at start: even what needs a person is looked at again.
  private static let patience = Duration.seconds(30)

  init(
    network: any Network, url: String, token: String = "", language: String, codecs: [String], seed: UInt64,
    wake: @escaping @Sendable () -> Void
  ) {
    self.network = network
    self.url = url
    self.token = token
    self.wake = wake
    backoff = Backoff(seed: seed)
    linkUps = network.linkUps
    session = ServiceSession(language: language, codecs: codecs)
    retryAt = .zero
  }

  deinit { connection?.close(code: 1000) }

  /// The service has said welcome on this connection.
  var isUp: Bool { session.isUp }

  func submit(_ request: ServiceRequest, now: Instant) -> Bool { session.submit(request, now: now) }

  func cancelAll() { session.cancelAll() }

  func setLanguage(_ language: String) { session.language = language }

  func reject(_ fault: ServiceFault) { session.reject(fault) }

  func accept() { session.accept() }

  func takeNews() -> [Event] {
    defer { news = [] }
    return news
  }

  func takeOutcomes() -> [ServiceSession.Outcome] { session.takeOutcomes() }

  func close() {
    connection?.close(code: 1000)
    connection = nil
  }

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    if network.linkUps != linkUps {
      linkUps = network.linkUps
      if connection == nil { retryAt = backoff.linkCameUp(at: now) ?? now }
    }
    if connection == nil, let due = retryAt, due <= now { connect() }
    if let connection { serve(connection, now) }
    let wish = session.tick(now: now)
    if let connection { carry(connection, now) }
    if session.isUp, !wasUp {
      wasUp = true
      hasTold = true
      backoff.opened(at: now)
      news.append(.up)
    }
    return [wish, connection?.nextChange, connection == nil ? retryAt : nil].compactMap { $0 }.min()
  }

  private func connect() {
    retryAt = nil
    isOpen = false
    unsent = []
    connection = network.connect(
      WebSocketRequest(
        url: url, subprotocol: ServiceSession.subprotocol, bearerToken: token.isEmpty ? nil : token,
        largestMessage: ServiceSound.largestMessage), wake: wake)
  }

  private func serve(_ connection: any WebSocketConnection, _ now: Instant) {
    let state = connection.state
    if state == .open, !isOpen {
      isOpen = true
      session.opened(now: now)
    }
    // What arrived before the end still counts.
    for _ in 0..<Self.messagesAStep {
      guard let message = connection.receive() else { break }
      session.received(message, now: now)
    }
    switch state {
    case .connecting, .open: break
    case .closed(let code, let reason):
      end(.closed(code: code), "the dubbing service hung up (\(code)\(reason.isEmpty ? "" : ": " + reason.shown))", now)
    case .failed(let error):
      end(.failed(error), error.reason, now)
    }
  }

  private func carry(_ connection: any WebSocketConnection, _ now: Instant) {
    for action in session.takeActions() {
      switch action {
      case .send(let message): unsent.append(message)
      case .close(let code, let reason):
        connection.close(code: code, reason: reason)
        unsent = []
        let what =
          code == 1001 ? "the dubbing service does not answer" : "the dubbing service does not keep to its protocol"
        let error = NetworkError(.malformed, subject: url, reason: "\(what): \(reason)")
        end(.failed(error), error.reason, now)
        return
      }
    }
    while let message = unsent.first, connection.send(message) { unsent.removeFirst() }
  }

  private func end(_ ending: Backoff.Ending, _ reason: String, _ now: Instant) {
    connection = nil
    isOpen = false
    unsent = []
    session.lost(now: now)
    if wasUp || !hasTold { news.append(.down(reason: reason)) }
    wasUp = false
    hasTold = true
    retryAt = backoff.ended(ending, at: now) ?? now + Self.patience
  }
}
