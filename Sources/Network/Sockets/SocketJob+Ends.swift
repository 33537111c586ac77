internal import Hardware

/// How a WebSocket ends: by a goodbye of either side, by silence, or because the way to the peer is gone.
extension SocketJob {
  func check(now: Instant) {
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

  func part(code: Int, now: Instant) {
    switch phase {
    case .connecting, .upgrading: phase = .over
    case .open(let frames):
      while let message = socket.nextToSend() { frames.send(message) }
      frames.close(code: code)
      phase = .parting(frames, until: now + Self.partingTime)
    case .parting, .over: break
    }
  }

  /// The peer, or the way to it, is gone without a word.
  func ended() {
    switch phase {
    case .parting, .over: phase = .over
    case .connecting, .upgrading, .open:
      fail(
        NetworkError(.interrupted, subject: address.subject, reason: "the connection ended without a goodbye"))
    }
  }

  func fail(_ error: NetworkError) {
    phase = .over
    sending = []
    socket.end(.failed(error))
  }
}
