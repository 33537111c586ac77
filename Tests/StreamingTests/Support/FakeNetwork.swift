import Hardware
import Synchronization

/// A network in virtual time, whose servers are closures.
final class FakeNetwork: Network, @unchecked Sendable {
  /// What a server answers.
  struct Answer {
    var bytes: [UInt8] = []
    var error: NetworkError.Kind?
    var delay = Duration.milliseconds(20)

    static func bytes(_ bytes: [UInt8]) -> Answer { Answer(bytes: bytes) }
    static func text(_ text: String) -> Answer { Answer(bytes: Array(text.utf8)) }
    static func status(_ code: Int) -> Answer { Answer(error: .status(code)) }
  }

  // Only touched by the test's one thread.
  var now = Instant.zero
  var linkUps = 0
  /// Bits a second.
  var bandwidth = 20_000_000.0
  /// Path (without host) and time → answer; `nil` is 404.
  var server: (String, Instant) -> Answer? = { _, _ in nil }
  private(set) var requests: [(path: String, at: Instant)] = []
  private(set) var running = 0
  private(set) var mostRunning = 0

  static let host = "http://stream.test/"

  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    let path = String(request.url.dropFirst(Self.host.count))
    requests.append((path, now))
    guard request.url.hasPrefix(Self.host) else {
      return Transfer(self, .failed(NetworkError(.name, subject: request.url, reason: "no such host")), now)
    }
    func failed(_ kind: NetworkError.Kind) -> HTTPProgress {
      .failed(NetworkError(kind, subject: request.url, reason: "\(kind)"))
    }
    guard let answer = server(path, now) else { return Transfer(self, failed(.status(404)), now + .milliseconds(20)) }
    if let error = answer.error { return Transfer(self, failed(error), now + answer.delay) }
    var bytes = answer.bytes
    if let range = request.range {
      guard range.upperBound <= bytes.count else { return Transfer(self, failed(.status(416)), now + answer.delay) }
      bytes = Array(bytes[range])
    }
    let isTooLarge = bytes.count > request.largest && !request.isOpenEnded
    guard !isTooLarge else { return Transfer(self, failed(.tooLarge), now + answer.delay) }
    let first = now + answer.delay
    let end = first + .nanoseconds(Int64(Double(bytes.count) * 8e9 / bandwidth))
    let response = HTTPResponse(
      status: 200, url: request.url, body: bytes, requested: now, firstByte: first, finished: end)
    return Transfer(self, .finished(response), end)
  }

  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    fatalError("no WebSocket in these tests")
  }

  fileprivate func count(_ change: Int) {
    running += change
    mostRunning = max(mostRunning, running)
  }

  final class Transfer: HTTPTransfer, @unchecked Sendable {
    private let network: FakeNetwork
    private let result: HTTPProgress
    private let end: Instant
    private var isCounted = true

    init(_ network: FakeNetwork, _ result: HTTPProgress, _ end: Instant) {
      self.network = network
      self.result = result
      self.end = end
      network.count(1)
    }

    var progress: HTTPProgress {
      guard network.now >= end else { return .running(receivedBytes: 0) }
      finish()
      return result
    }

    var nextChange: Instant? { network.now >= end ? nil : end }
    func cancel() { finish() }

    private func finish() {
      if isCounted { network.count(-1) }
      isCounted = false
    }
  }
}
