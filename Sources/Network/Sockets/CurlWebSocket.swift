internal import Hardware
internal import Synchronization

/// A WebSocket as its caller sees it: two bounded queues between the caller's thread and the engine's.
final class CurlWebSocket: WebSocketConnection {
  /// Messages that may wait in one direction.
  static let mostWaiting = 16
  /// Bytes that may wait in one direction, besides one message of whatever size.
  static let mostWaitingBytes = 1 << 20

  private struct Queue {
    var messages: [WebSocketMessage] = []
    var bytes = 0
    var isFull: Bool { messages.count >= CurlWebSocket.mostWaiting || bytes >= CurlWebSocket.mostWaitingBytes }

    mutating func append(_ message: WebSocketMessage) {
      messages.append(message)
      bytes += message.byteCount
    }

    mutating func take() -> WebSocketMessage? {
      guard !messages.isEmpty else { return nil }
      let message = messages.removeFirst()
      bytes -= message.byteCount
      return message
    }
  }

  private struct State {
    var state = WebSocketState.connecting
    var incoming = Queue()
    var outgoing = Queue()
    /// A sender found no room, and waits to be woken.
    var owesRoom = false
    /// With what code and reason its owner wants it closed.
    var goodbye: (code: Int, reason: String)?
  }

  let largestMessage: Int
  private let shared = Mutex(State())
  private let wake: @Sendable () -> Void
  /// Makes the engine's thread look at it.
  private let look: @Sendable (CurlWebSocket) -> Void

  init(
    largestMessage: Int, wake: @escaping @Sendable () -> Void, look: @escaping @Sendable (CurlWebSocket) -> Void
  ) {
    self.largestMessage = largestMessage
    self.wake = wake
    self.look = look
  }

  // MARK: The caller

  var state: WebSocketState { shared.withLock { $0.state } }
  var nextChange: Instant? { nil }

  func send(_ message: WebSocketMessage) -> Bool {
    let isTaken = shared.withLock { shared in
      guard shared.state == .open, shared.goodbye == nil else { return false }
      guard !shared.outgoing.isFull else {
        shared.owesRoom = true
        return false
      }
      shared.outgoing.append(message)
      return true
    }
    if isTaken { look(self) }
    return isTaken
  }

  func receive() -> WebSocketMessage? {
    let (message, hasRoomAgain) = shared.withLock { shared in
      let wasFull = shared.incoming.isFull
      let message = shared.incoming.take()
      return (message, wasFull && !shared.incoming.isFull)
    }
    if hasRoomAgain { look(self) }
    return message
  }

  func close(code: Int, reason: String) {
    let isFirst = shared.withLock { shared in
      guard shared.goodbye == nil, shared.state == .open || shared.state == .connecting else { return false }
      shared.goodbye = (code, reason)
      shared.state = .closed(code: code, reason: "")
      return true
    }
    if isFirst { look(self) }
  }

  // MARK: The engine

  /// With what code and reason the owner has closed it.
  var goodbye: (code: Int, reason: String)? { shared.withLock { $0.goodbye } }
  /// Whether the peer has to wait.
  var isFull: Bool { shared.withLock { $0.incoming.isFull } }

  func opened() {
    let isNews = shared.withLock { shared in
      guard shared.state == .connecting else { return false }
      shared.state = .open
      return true
    }
    if isNews { wake() }
  }

  func arrived(_ message: WebSocketMessage) {
    shared.withLock { $0.incoming.append(message) }
    wake()
  }

  /// The next message to be sent; wakes a sender that waits for room.
  func nextToSend() -> WebSocketMessage? {
    let (message, isNews) = shared.withLock { shared in
      let message = shared.outgoing.take()
      let isNews = shared.owesRoom && !shared.outgoing.isFull
      if isNews { shared.owesRoom = false }
      return (message, isNews)
    }
    if isNews { wake() }
    return message
  }

  /// It is over; the first reason counts. What has arrived can still be received.
  func end(_ final: WebSocketState) {
    let isNews = shared.withLock { shared in
      shared.outgoing = Queue()
      guard shared.state == .open || shared.state == .connecting else { return false }
      shared.state = final
      return true
    }
    if isNews { wake() }
  }
}

extension WebSocketMessage {
  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let bytes): bytes.count
    }
  }
}
