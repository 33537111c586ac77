import Hardware

/// A network on which every address answers at once, with whatever `server` says.
final class FuzzNetwork: Network, @unchecked Sendable {
  /// Address → bytes; `nil` is 404.
  private let server: (String) -> [UInt8]?
  let linkUps = 0

  init(server: @escaping (String) -> [UInt8]?) { self.server = server }

  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    func failed(_ kind: NetworkError.Kind) -> Done {
      Done(.failed(NetworkError(kind, subject: request.url, reason: "\(kind)")))
    }
    guard var bytes = server(request.url) else { return failed(.status(404)) }
    if let range = request.range {
      guard range.upperBound <= bytes.count else { return failed(.status(416)) }
      bytes = Array(bytes[range])
    }
    guard bytes.count <= request.largest else { return failed(.tooLarge) }
    return Done(
      .finished(
        HTTPResponse(status: 200, url: request.url, body: bytes, requested: .zero, firstByte: .zero, finished: .zero)))
  }

  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    Closed()
  }

  private final class Done: HTTPTransfer {
    let progress: HTTPProgress
    var nextChange: Instant? { nil }

    init(_ progress: HTTPProgress) { self.progress = progress }

    func cancel() {}
  }

  private final class Closed: WebSocketConnection {
    var state: WebSocketState { .closed(code: 1000, reason: "") }
    var nextChange: Instant? { nil }
    func send(_ message: WebSocketMessage) -> Bool { false }
    func receive() -> WebSocketMessage? { nil }
    func close(code: Int, reason: String) {}
  }
}
