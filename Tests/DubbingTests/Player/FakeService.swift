import Dubbing
import Hardware
import JSON
import Synchronization

/// A dubbing service in memory and in virtual time: answers every segment with a voice after a delay, or misbehaves.
final class FakeService: Network, @unchecked Sendable {
  enum Fault {
    case none
    /// Nothing is answered.
    case silent
    /// The connection ends with this code at the next segment.
    case close(Int)
    case wrongSequence
    case text
    /// A type that is its words.
    case unknownType
    case truncated
    case refuse
    /// A rate that no device plays.
    case wrongRate
    /// What is said to be AAC and is none.
    case garbage
  }

  var delay = Duration.milliseconds(800)
  var fault = Fault.none
  var isReachable = true
  var linkUps = 0
  var languages = ["es", "de"]
  /// What it says when it closes, and beside what it refuses.
  var words = ""
  /// The language that it says its voices are in, in place of the one that was asked for.
  var said: String?
  /// The code of what it refuses; with it there is no message.
  var code = ""
  /// Seconds of the voice for an utterance of a request.
  var voice: (ServiceRequestSeen) -> [Float] = { _ in [Float](repeating: 0.25, count: 24_000) }
  private(set) var requests: [ServiceRequestSeen] = []
  private(set) var connections = 0
  private(set) var attempts: [Instant] = []
  var now = Instant.zero
  private var current: FakeSocket?

  struct ServiceRequestSeen {
    var sequence: Int
    var pts: Int64
    var text: String
    var language: String
  }

  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    fatalError("no HTTP here")
  }

  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    connections += 1
    attempts.append(now)
    let socket = FakeSocket(self)
    if !isReachable {
      socket.state = .failed(NetworkError(.unreachable, subject: request.url, reason: "nobody answers"))
    }
    current = socket
    return socket
  }

  /// The link goes: what is connected fails.
  func cut() {
    isReachable = false
    current?.state = .failed(NetworkError(.interrupted, subject: "ws://fake", reason: "the connection ended"))
  }

  func heal() {
    isReachable = true
    linkUps += 1
  }

  /// Answers after half a second, or has a fault by its name while it is faulty.
  func misbehave(_ name: String, isFaulty: Bool) {
    delay = .milliseconds(isFaulty && name == "slow" ? 9000 : 500)
    fault =
      switch isFaulty ? name : "" {
      case "silent": .silent
      case "close": .close(1011)
      case "sequence": .wrongSequence
      case "text": .text
      case "truncated": .truncated
      case "refuse": .refuse
      case "rate": .wrongRate
      case "garbage": .garbage
      default: .none
      }
    if name == "cut" {
      if isFaulty, isReachable { cut() }
      if !isFaulty, !isReachable { heal() }
    }
  }

  func take(_ text: String, from socket: FakeSocket) {
    guard let value = try? JSONValue(parsing: text), let type = value["type"]?.stringValue else { return }
    switch type {
    case "hello":
      let names = languages.map { "\"\($0)\"" }.joined(separator: ",")
      socket.queue(.text(#"{"type":"welcome","version":1,"languages":[\#(names)],"inFlight":2}"#), at: now)
    case "segment":
      let seen = ServiceRequestSeen(
        sequence: value["sequence"]?.integerValue ?? -1, pts: Int64(value["pts"]?.integerValue ?? 0),
        text: value["text"]?.stringValue ?? "", language: value["language"]?.stringValue ?? "")
      requests.append(seen)
      answer(seen, socket)
    default: break
    }
  }

  private func answer(_ seen: ServiceRequestSeen, _ socket: FakeSocket) {
    let samples = voice(seen)
    var sound = ServiceSound(
      codec: .pcm16, channels: 1, sequence: seen.sequence, sampleRate: 48_000, pts: seen.pts,
      duration: samples.count * 15 / 8, language: said ?? seen.language, payload: ServiceSound.pcm(samples))
    let due = max(now + delay, socket.lastDue)
    switch fault {
    case .silent: return
    case .close(let code): socket.state = .closed(code: code, reason: words)
    case .refuse:
      socket.queue(
        .text(
          code.isEmpty
            ? #"{"type":"refused","sequence":\#(seen.sequence),"code":"busy","message":"not now\#(words)"}"#
            : #"{"type":"refused","sequence":\#(seen.sequence),"code":"\#(code)"}"#), at: due)
    case .wrongSequence:
      sound.sequence += 9
      socket.queue(.binary(sound.bytes), at: due)
    case .text: socket.queue(.text("what?"), at: due)
    case .unknownType: socket.queue(.text(#"{"type":"\#(words)"}"#), at: due)
    case .wrongRate:
      sound.sampleRate = 12_345
      socket.queue(.binary(sound.bytes), at: due)
    case .garbage:
      sound.codec = .aac
      sound.payload = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
      socket.queue(.binary(sound.bytes), at: due)
    case .truncated: socket.queue(.binary(Array(sound.bytes.prefix(500))), at: due)
    case .none: socket.queue(.binary(sound.bytes), at: due)
    }
  }
}

final class FakeSocket: WebSocketConnection, @unchecked Sendable {
  var state = WebSocketState.open
  private var inbox: [(at: Instant, message: WebSocketMessage)] = []
  private let service: FakeService
  var lastDue = Instant.zero

  init(_ service: FakeService) { self.service = service }

  func queue(_ message: WebSocketMessage, at time: Instant) {
    inbox.append((time, message))
    lastDue = time
  }

  var nextChange: Instant? { inbox.first?.at }

  func send(_ message: WebSocketMessage) -> Bool {
    guard state == .open else { return false }
    if case .text(let text) = message { service.take(text, from: self) }
    return true
  }

  func receive() -> WebSocketMessage? {
    guard let first = inbox.first, first.at <= service.now else { return nil }
    inbox.removeFirst()
    return first.message
  }

  func close(code: Int, reason: String) { state = .closed(code: code, reason: "closed here") }
}
