import Hardware
import Synchronization

/// A network in virtual time whose servers do what a test has written down, one transfer after the other.
final class ScriptedNetwork: Network {
  /// What a server does with a request.
  struct Answer {
    var content: [UInt8]
    /// What it says of the whole's length; nil: nothing.
    var says: Int?
    /// Bytes a second.
    var rate = 100_000
    /// It sends no more than so many bytes.
    var most = Int.max
    /// What comes then; nil: silence, until the request's patience is over.
    var end: End? = .finished

    enum End { case finished, failed(NetworkError.Kind) }

    init(_ content: [UInt8], says: Int? = nil) { (self.content, self.says) = (content, says ?? content.count) }

    static func failing(_ kind: NetworkError.Kind) -> Answer {
      var answer = Answer([])
      answer.end = .failed(kind)
      return answer
    }
  }

  private let clock: any DeviceClock
  private let state: Mutex<(answers: [Answer], requests: [HTTPRequest], times: [Instant])>

  /// - Parameter answers: the last one stays.
  init(clock: any DeviceClock, _ answers: [Answer]) {
    self.clock = clock
    state = Mutex((answers, [], []))
  }

  var requests: [HTTPRequest] { state.withLock { $0.requests } }
  var times: [Instant] { state.withLock { $0.times } }
  var linkUps: Int { 0 }

  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    let answer = state.withLock { state in
      state.requests.append(request)
      state.times.append(clock.now)
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }
    return ScriptedTransfer(answer, to: request, clock: clock)
  }

  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    NoSocket()
  }
}

/// Nobody answers.
private final class NoSocket: WebSocketConnection {
  let state = WebSocketState.failed(NetworkError(.unreachable, subject: "wss://host", reason: "as the test says"))
  let nextChange: Instant? = nil
  func send(_ message: WebSocketMessage) -> Bool { false }
  func receive() -> WebSocketMessage? { nil }
  func close(code: Int, reason: String) {}
}

private final class ScriptedTransfer: HTTPTransfer {
  private let answer: ScriptedNetwork.Answer
  private let request: HTTPRequest
  private let clock: any DeviceClock
  private let begun: Instant
  private let bytes: [UInt8]
  private let state = Mutex((taken: 0, isCancelled: false))

  init(_ answer: ScriptedNetwork.Answer, to request: HTTPRequest, clock: any DeviceClock) {
    self.answer = answer
    self.request = request
    self.clock = clock
    begun = clock.now
    bytes = Array(answer.content.dropFirst(request.range?.lowerBound ?? 0).prefix(answer.most))
  }

  private var come: Int {
    min(bytes.count, Int((clock.now - begun).nanoseconds / 1000) * answer.rate / 1_000_000)
  }
  private var last: Instant { begun + .nanoseconds(Int64(bytes.count) * 1_000_000_000 / Int64(answer.rate) + 1000) }
  private var finish: Instant { answer.end == nil ? last + request.stallTimeout : last }

  var progress: HTTPProgress {
    guard clock.now >= finish else { return .running(receivedBytes: come) }
    switch answer.end {
    case .finished:
      return .finished(
        HTTPResponse(status: 200, url: request.url, body: [], requested: begun, firstByte: begun, finished: finish))
    case .failed(let kind): return .failed(NetworkError(kind, subject: "https://host/file", reason: "as the test says"))
    case nil: return .failed(NetworkError(.timeout, subject: "https://host/file", reason: "it sent nothing"))
    }
  }

  var nextChange: Instant? {
    let next = clock.now + .milliseconds(250)
    return clock.now < last ? min(next, last) : finish
  }

  var head: HTTPHead? {
    guard come > 0 else { return nil }
    var head = HTTPHead(url: request.url)
    head.length = answer.says
    return head
  }

  func take() -> [UInt8] {
    state.withLock { state in
      guard !state.isCancelled else { return [] }
      let end = min(come, state.taken + request.largest)
      defer { state.taken = end }
      return Array(bytes[state.taken..<end])
    }
  }

  func cancel() { state.withLock { $0.isCancelled = true } }
}
