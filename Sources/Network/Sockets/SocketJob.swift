internal import CCurl
internal import CLinux
internal import Hardware

/// A WebSocket on the engine's thread: connected by libcurl (name, proxy, TLS), then a handshake, then frames.
final class SocketJob {
  enum Phase {
    case connecting
    case upgrading(Upgrade)
    case open(WebSocketFrames)
    /// We, or it, have said goodbye; at `until` the rest is not waited for.
    case parting(WebSocketFrames, until: Instant)
    case over
  }

  /// How long the peer has to answer a goodbye.
  private static let partingTime = Duration.seconds(1)
  /// What is read in one go, so that one peer cannot keep the thread for itself.
  private static let mostRead = 256 * 1024

  let easy: EasyHandle
  let request: WebSocketRequest
  let address: WebAddress
  let socket: CurlWebSocket
  private let usesProxy: Bool
  private let began: Instant
  private var phase = Phase.connecting
  private var descriptor: Int32 = -1
  private var lastHeard: Instant
  private var pinged: Instant?
  /// Bytes on their way, and how many of them libcurl has to be given again in one piece (TLS wants the same ones).
  private var sending: [UInt8] = []
  private var retry = 0
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)
  /// libcurl may hold bytes that poll does not report: the last read did not drain it.
  private var mayHaveMore = false

  init?(_ request: WebSocketRequest, at address: WebAddress, socket: CurlWebSocket, options: ConnectionOptions) {
    guard let easy = EasyHandle() else { return nil }
    self.easy = easy
    self.request = request
    self.address = address
    self.socket = socket
    usesProxy = options.settings.proxy != nil
    began = Instant(nanoseconds: mynah_now())
    lastHeard = began
    easy.apply(options, to: address.transport, connectTimeout: request.connectTimeout)
    easy.set(CURLOPT_CONNECT_ONLY, 1)
    easy.set(CURLOPT_HTTPPROXYTUNNEL, 1)
  }

  // MARK: What the engine asks and tells

  /// What to wait for, besides libcurl's own sockets.
  var interest: curl_waitfd? {
    guard descriptor >= 0 else { return nil }
    var events: Int32 = 0
    if isReading { events |= CURL_WAIT_POLLIN }
    if !sending.isEmpty { events |= CURL_WAIT_POLLOUT }
    // With nothing to wait for, poll would still tell of a hang-up, again and again.
    guard events != 0 else { return nil }
    return curl_waitfd(fd: descriptor, events: Int16(events), revents: 0)
  }

  /// When to be called at the latest.
  var deadline: Instant? {
    if mayHaveMore, isReading { return .zero }
    return switch phase {
    case .connecting, .over: nil
    case .upgrading: began + request.connectTimeout
    case .open: isReading ? (pinged ?? lastHeard) + request.silenceTimeout : nil
    case .parting(_, let until): until
    }
  }

  /// libcurl has a connection, or none.
  func connected(_ code: CURLcode) {
    guard code == CURLE_OK else {
      fail(easy.errors(subject: address.subject, usesProxy: usesProxy).error(code))
      return
    }
    descriptor = mynah_curl_socket(easy.pointer)
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let upgrade = Upgrade(
      to: address, subprotocol: request.subprotocol, bearerToken: request.bearerToken, nonce: nonce)
    sending = upgrade.request
    phase = .upgrading(upgrade)
  }

  /// The old way may be gone: ask at once whether the peer is still there.
  func linkCameUp() {
    if case .open(let frames) = phase, pinged == nil {
      frames.ping()
      pinged = Instant(nanoseconds: mynah_now())
    }
  }

  /// Does everything that can be done without waiting.
  ///
  /// - Returns: false when it is over.
  func step(now: Instant) -> Bool {
    if let goodbye = socket.goodbye { part(code: goodbye.code, reason: goodbye.reason, now: now) }
    if isReading { read(now: now) }
    fill()
    write()
    check(now: now)
    if case .over = phase { return false }
    return true
  }

  /// The program ends.
  func abandon() {
    fail(NetworkError(.unreachable, subject: address.subject, reason: "the network is closed: the program is ending"))
  }

  // MARK: Bytes

  private var isReading: Bool {
    switch phase {
    case .connecting, .over: false
    case .upgrading, .parting: true
    case .open(let frames): !socket.isFull && !frames.owesMuch
    }
  }

  private func read(now: Instant) {
    mayHaveMore = true
    for _ in 0..<Self.mostRead / buffer.count {
      var count = 0
      let code = curl_easy_recv(easy.pointer, &buffer, buffer.count, &count)
      if code == CURLE_AGAIN {
        mayHaveMore = false
        return
      }
      guard code == CURLE_OK, count > 0 else {
        mayHaveMore = false
        ended()
        return
      }
      lastHeard = now
      pinged = nil
      take(buffer[..<count], now: now)
      guard isReading else { return }
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>, now: Instant) {
    switch phase {
    case .upgrading(var upgrade):
      let answer = upgrade.feed(Array(bytes))
      phase = .upgrading(upgrade)
      switch answer {
      case .incomplete: break
      case .refused(let kind, let reason): fail(NetworkError(kind, subject: address.subject, reason: reason))
      case .accepted(let rest): open(rest, now: now)
      }
    case .open(let frames):
      frames.feed(bytes)
      deliver(frames, now: now)
    case .parting(let frames, _):
      frames.feed(bytes)
      frames.arrived = []
    case .connecting, .over: break
    }
  }

  private func open(_ rest: [UInt8], now: Instant) {
    guard let frames = WebSocketFrames(largestMessage: request.largestMessage) else {
      fail(NetworkError(.interrupted, subject: address.subject, reason: "there is not enough memory for a connection"))
      return
    }
    phase = .open(frames)
    socket.opened()
    frames.feed(rest)
    deliver(frames, now: now)
  }

  private func deliver(_ frames: WebSocketFrames, now: Instant) {
    for message in frames.arrived { socket.arrived(message) }
    frames.arrived = []
    switch frames.ending {
    case nil: return
    case .closed(let code, let reason): socket.end(.closed(code: code, reason: reason))
    case .broken(let kind, let reason):
      socket.end(.failed(NetworkError(kind, subject: address.subject, reason: reason)))
    }
    // The goodbye is still to be sent.
    phase = .parting(frames, until: now + Self.partingTime)
  }

  /// Turns messages into bytes, as many as there is room for.
  private func fill() {
    let frames: WebSocketFrames
    switch phase {
    case .open(let open):
      frames = open
      while !frames.isBusy, let message = socket.nextToSend() {
        frames.send(message)
        frames.produce()
      }
    case .parting(let parting, _): frames = parting
    case .connecting, .upgrading, .over: return
    }
    frames.produce()
    if sending.isEmpty { swap(&sending, &frames.outgoing) }
  }

  private func write() {
    while !sending.isEmpty, descriptor >= 0 {
      var count = 0
      let wanted = retry > 0 ? retry : min(sending.count, 16 * 1024)
      let code = sending.withUnsafeBytes { curl_easy_send(easy.pointer, $0.baseAddress, wanted, &count) }
      if code == CURLE_AGAIN {
        retry = wanted
        return
      }
      guard code == CURLE_OK else {
        ended()
        return
      }
      retry = 0
      sending.removeFirst(count)
      if sending.isEmpty { fill() }
    }
  }

  // MARK: How it ends: by a close frame of either side, by silence, or with the connection

  private func check(now: Instant) {
    switch phase {
    case .upgrading:
      if now >= began + request.connectTimeout {
        fail(
          NetworkError(
            .timeout, subject: address.subject, reason: "it does not answer the handshake: is this a WebSocket server?")
        )
      }
    case .open(let frames):
      guard isReading else {
        // While we do not listen, silence means nothing.
        lastHeard = now
        pinged = nil
        return
      }
      if let pinged {
        guard now >= pinged + request.silenceTimeout else { return }
        fail(
          NetworkError(
            .timeout, subject: address.subject,
            reason:
              "it does not answer a ping for \(request.silenceTimeout.inSeconds) s: the network or the server is gone"))
      } else if now >= lastHeard + request.silenceTimeout {
        pinged = now
        frames.ping()
        fill()
        write()
      }
    case .parting(let frames, let until):
      let isDone = frames.hasParted || frames.ending.map { if case .broken = $0 { true } else { false } } == true
      if now >= until || (isDone && sending.isEmpty && !frames.wantsToSend) { phase = .over }
    case .connecting, .over: break
    }
  }

  func part(code: Int, reason: String, now: Instant) {
    switch phase {
    case .connecting, .upgrading: phase = .over
    case .open(let frames):
      while let message = socket.nextToSend() { frames.send(message) }
      frames.close(code: code, reason: reason)
      phase = .parting(frames, until: now + Self.partingTime)
    case .parting, .over: break
    }
  }

  /// The connection is gone without a close frame.
  private func ended() {
    switch phase {
    case .parting, .over: phase = .over
    case .connecting, .upgrading, .open:
      fail(
        NetworkError(.interrupted, subject: address.subject, reason: "the connection ended without a goodbye"))
    }
  }

  private func fail(_ error: NetworkError) {
    phase = .over
    sending = []
    socket.end(.failed(error))
  }
}
