import Hardware
import Synchronization

/// A network in virtual time, whose servers are closures.
final class FakeNetwork: Network, @unchecked Sendable {
  /// What a server answers.
  struct Answer {
    var bytes: [UInt8] = []
    var error: NetworkError.Kind?
    /// It breaks off after so many bytes, of more that were promised.
    var breaksAfter: Int?
    var delay = Duration.milliseconds(20)
    /// What an open-ended request is told of it.
    var contentType = ""
    /// It is told how long it is.
    var hasLength = true
    /// The connection breaks after so many bytes, and nobody knows who was told no length.
    var endsAfter: Int?
    /// A part is sent as the whole, of which what stands before it is passed over.
    var hasRanges = true
    /// In place of a part it sends what it plays now.
    var isOnAir = false
    /// It comes compressed, whatever was asked for.
    var isPacked = false
    var isStation = false
    /// A title stands behind every so many of the bytes.
    var titleInterval: Int?
    /// Of an open-ended request so many bytes come at once, and so many a second behind them.
    var pace: (first: Int, rate: Double)?
    /// So many bytes of what an open-ended request asks for come, in order.
    var most: Int?
    /// What an open-ended request gets in place of the bytes: it has not said that it understands what is compressed.
    var packed: [UInt8]?

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
    // As the driver says it.
    if request.range != nil, answer.isPacked { return Transfer(self, failed(.status(416)), now + answer.delay) }
    if let range = request.range, !answer.isOnAir {
      guard range.lowerBound < bytes.count else {
        // As the driver says it, of a server that knows no parts.
        let kind: NetworkError.Kind = answer.hasRanges || answer.hasLength ? .status(416) : .interrupted
        return Transfer(self, failed(kind), now + answer.delay)
      }
      if !answer.hasRanges, let end = answer.endsAfter { bytes = Array(bytes.prefix(end)) }
      bytes = Array(bytes[range.clamped(to: 0..<bytes.count)])
      // As the driver says it.
      if bytes.isEmpty { return Transfer(self, failed(.interrupted), now + answer.delay) }
    }
    if let end = answer.endsAfter { bytes = Array(bytes.prefix(end)) }
    if request.isOpenEnded {
      var head = HTTPHead(url: request.url)
      head.length = answer.hasLength ? (answer.packed ?? answer.bytes).count : nil
      head.isStation = answer.isStation
      head.isAnew = answer.isOnAir && request.range != nil
      head.titleInterval = answer.titleInterval
      head.contentType = answer.contentType
      head.isCompressed = answer.packed != nil
      let content = Array((answer.packed ?? bytes).prefix(answer.breaksAfter ?? answer.most ?? .max))
      let slow = answer.pace.map { Double(max(0, content.count - $0.first)) / $0.rate } ?? 0
      let transfer = Transfer(
        self, answer.breaksAfter == nil ? .finished(response(request, now, now, [])) : failed(.interrupted),
        now + answer.delay + .milliseconds(50) + .nanoseconds(Int64(slow * 1e9)))
      transfer.head = head
      transfer.waiting = content
      if let (first, rate) = answer.pace { transfer.pace = (first, rate, now + answer.delay) }
      return transfer
    }
    let isBroken = answer.breaksAfter.map { $0 < bytes.count } ?? false
    if isBroken, let end = answer.breaksAfter {
      bytes = Array(bytes.prefix(end))
      // As the driver says it.
      guard request.takesParts, !bytes.isEmpty else { return Transfer(self, failed(.interrupted), now + answer.delay) }
    }
    let isTooLarge = bytes.count > request.largest
    guard !isTooLarge else { return Transfer(self, failed(.tooLarge), now + answer.delay) }
    let first = now + answer.delay
    let end = first + .nanoseconds(Int64(Double(bytes.count) * 8e9 / bandwidth))
    var response = self.response(request, first, end, bytes)
    response.hasLength = answer.hasLength
    response.isCompressed = answer.isPacked
    response.isBroken = isBroken
    return Transfer(self, .finished(response), end)
  }

  private func response(
    _ request: HTTPRequest, _ first: Instant, _ end: Instant, _ bytes: [UInt8]
  ) -> HTTPResponse {
    HTTPResponse(status: 200, url: request.url, body: bytes, requested: now, firstByte: first, finished: end)
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
    // Of an open-ended request.
    var head: HTTPHead?
    var waiting: [UInt8] = []
    var pace: (first: Int, rate: Double, from: Instant)?
    private var taken = 0

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

    var nextChange: Instant? {
      if pace != nil { return network.now >= end ? nil : network.now + .milliseconds(20) }
      return network.now >= end ? nil : waiting.isEmpty ? end : max(network.now, end - .milliseconds(50))
    }
    func cancel() { finish() }

    func take() -> [UInt8] {
      if let pace, network.now < end {
        guard network.now >= pace.from else { return [] }
        let due = pace.first + Int((network.now - pace.from).inSeconds * pace.rate)
        let found = Array(waiting.prefix(max(0, due - taken)))
        waiting.removeFirst(found.count)
        taken += found.count
        return found
      }
      // The bytes are there before their end is.
      guard network.now + .milliseconds(50) >= end else { return [] }
      defer { waiting = [] }
      return waiting
    }

    private func finish() {
      if isCounted { network.count(-1) }
      isCounted = false
    }
  }
}
