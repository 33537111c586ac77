import Hardware
import Synchronization
import Testing

@testable import SimulatedHardware

/// A network without any: answers are there at once, or never.
final class FakeNetwork: Network {
  final class Transfer: HTTPTransfer {
    let state: Mutex<HTTPProgress>
    init(_ progress: HTTPProgress) { state = Mutex(progress) }
    var progress: HTTPProgress { state.withLock { $0 } }
    var nextChange: Instant? { nil }
    func cancel() {}
  }

  /// Answers each message with itself, as often as asked.
  final class Socket: WebSocketConnection {
    let echoes: Int
    let inner = Mutex((state: WebSocketState.open, waiting: [WebSocketMessage](), sent: 0))
    let wake: @Sendable () -> Void

    init(echoes: Int, wake: @escaping @Sendable () -> Void) {
      self.echoes = echoes
      self.wake = wake
    }

    var state: WebSocketState { inner.withLock { $0.state } }
    var nextChange: Instant? { nil }
    func send(_ message: WebSocketMessage) -> Bool {
      inner.withLock {
        $0.sent += 1
        $0.waiting += Array(repeating: message, count: echoes)
      }
      wake()
      return true
    }
    func receive() -> WebSocketMessage? { inner.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() } }
    func close(code: Int, reason: String) { end(.closed(code: code, reason: "")) }
    func end(_ state: WebSocketState) { inner.withLock { $0.state = state } }
  }

  let answer: HTTPProgress
  let echoes: Int
  let sockets = Mutex<[Socket]>([])

  init(_ answer: HTTPProgress = .running(receivedBytes: 0), echoes: Int = 1) {
    self.answer = answer
    self.echoes = echoes
  }

  var linkUps: Int { 0 }
  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer { Transfer(answer) }
  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    let socket = Socket(echoes: echoes, wake: wake)
    sockets.withLock { $0.append(socket) }
    return socket
  }
}

struct SimulatedNetworkTests {
  let clock = VirtualClock(start: Instant(nanoseconds: 1_000_000_000))
  let link = SimulatedLink()
  let patience = SimulatedNetwork.Patience(silence: .milliseconds(30), quiet: .milliseconds(1))
  let start = Instant(nanoseconds: 1_000_000_000)

  func network(_ answer: HTTPProgress = .running(receivedBytes: 0), echoes: Int = 1) -> (SimulatedNetwork, FakeNetwork)
  {
    let fake = FakeNetwork(answer, echoes: echoes)
    return (SimulatedNetwork(wrapping: fake, clock: clock, link: link, patience: patience), fake)
  }

  func response(_ bytes: Int) -> HTTPProgress {
    .finished(
      HTTPResponse(
        status: 200, url: "http://host/", body: [UInt8](repeating: 1, count: bytes), requested: .zero, firstByte: .zero,
        finished: .zero))
  }

  func fetch(_ network: SimulatedNetwork, timeout: Duration = .seconds(30)) -> any HTTPTransfer {
    network.fetch(HTTPRequest(url: "http://user:word@host/x?key", largest: 1 << 20, timeout: timeout), wake: {})
  }

  func error(_ transfer: any HTTPTransfer) -> NetworkError? {
    if case .failed(let error) = transfer.progress { error } else { nil }
  }

  @Test func aResultAppearsAfterLatencyAndWhatItsBytesTake() throws {
    link.setLatency(.milliseconds(500))
    link.setBandwidth(200_000)
    let (network, _) = network(response(25_000))
    let transfer = fetch(network)
    #expect(transfer.progress == .running(receivedBytes: 0))
    #expect(transfer.nextChange == start + .milliseconds(1500))
    clock.advance(to: start + .milliseconds(1000))
    #expect(transfer.progress == .running(receivedBytes: 12_500))
    clock.advance(to: start + .milliseconds(1500))
    guard case .finished(let response) = transfer.progress else {
      throw DeviceError(.failed, device: "", operation: "")
    }
    #expect(response.requested == start && response.firstByte == start + .milliseconds(500))
    #expect(response.finished == start + .milliseconds(1500) && transfer.nextChange == nil)
  }

  @Test func twoTransfersShareTheLink() {
    link.setBandwidth(200_000)
    let (network, _) = network(response(25_000))
    #expect(fetch(network).nextChange == start + .seconds(1))
    let second = fetch(network)
    #expect(second.nextChange == start + .seconds(2))
    second.cancel()
    #expect(fetch(network).nextChange != nil)
  }

  @Test func timeoutsHoldInSimulatedTime() {
    link.setBandwidth(1000)
    let (network, _) = network(response(25_000))
    let transfer = fetch(network, timeout: .seconds(3))
    #expect(transfer.nextChange == start + .seconds(3))
    clock.advance(to: start + .seconds(3))
    #expect(error(transfer)?.kind == .timeout && error(transfer)?.subject == "host/x")
    link.setLatency(.seconds(6))
    let late = fetch(network)
    clock.advance(to: start + .seconds(9))
    #expect(error(late)?.kind == .unreachable || error(late)?.kind == .timeout)
  }

  @Test func whatDoesNotAnswerIsGivenUpInSimulatedTime() {
    let (network, _) = network()
    let transfer = fetch(network)
    #expect(transfer.nextChange == start + .seconds(5))
    clock.advance(to: start + .seconds(5))
    #expect(error(transfer)?.kind == .timeout)
  }

  @Test func aCutLinkStopsWhatIsUnderWayAndRefusesWhatIsNew() {
    link.setBandwidth(200_000)
    let (network, _) = network(response(50_000))
    let kept = fetch(network)
    clock.advance(to: start + .seconds(1))
    link.goDown(at: clock.now)
    let refused = fetch(network)
    clock.advance(to: start + .seconds(4))
    #expect(error(refused)?.kind == .unreachable)
    #expect(kept.progress == .running(receivedBytes: 25_000))
    link.comeUp(at: clock.now)
    #expect(network.linkUps == 1 && kept.nextChange == start + .seconds(5))
    clock.advance(to: start + .seconds(5))
    if case .finished = kept.progress {} else { Issue.record("it did not finish") }

    let lost = fetch(network)
    link.goDown(at: clock.now)
    #expect(lost.nextChange == start + .seconds(10))
    clock.advance(to: start + .seconds(10))
    #expect(error(lost)?.kind == .timeout)
  }

  func connect(_ network: SimulatedNetwork) -> any WebSocketConnection {
    network.connect(WebSocketRequest(url: "ws://host/", largestMessage: 1000), wake: {})
  }

  @Test func messagesAppearAfterTheLatencyInOrder() {
    link.setLatency(.milliseconds(100))
    let (network, _) = network(echoes: 2)
    let socket = connect(network)
    #expect(socket.state == .connecting && !socket.send(.text("early")))
    #expect(socket.nextChange == start + .milliseconds(100))
    clock.advance(to: start + .milliseconds(100))
    #expect(socket.state == .open)
    #expect(socket.send(.text("a")) && socket.send(.binary([1])))
    #expect(socket.nextChange == start + .milliseconds(200))
    #expect(socket.receive() == nil)
    clock.advance(to: start + .milliseconds(200))
    #expect((0..<5).map { _ in socket.receive() } == [.text("a"), .text("a"), .binary([1]), .binary([1]), nil])
  }

  @Test func aServiceThatDoesNotAnswerLetsTheClockGoOn() {
    let (network, _) = network(echoes: 0)
    let socket = connect(network)
    #expect(socket.state == .open && socket.send(.text("a")))
    #expect(socket.nextChange == nil)
  }

  @Test func aGoodbyeComesAfterTheLatency() throws {
    link.setLatency(.milliseconds(50))
    let (network, fake) = network()
    let socket = connect(network)
    clock.advance(to: start + .milliseconds(50))
    #expect(socket.state == .open)
    try #require(fake.sockets.withLock { $0.first }).end(.closed(code: 1012, reason: "restart"))
    #expect(socket.state == .open && socket.nextChange == start + .milliseconds(100))
    clock.advance(to: start + .milliseconds(100))
    #expect(socket.state == .closed(code: 1012, reason: "restart"))
  }

  @Test func aCutLinkIsNoticedByThePingAndASocketSurvivesAShortOne() {
    let (network, fake) = network()
    let socket = connect(network)
    #expect(socket.state == .open)
    link.goDown(at: clock.now)
    #expect(socket.send(.text("kept")) && socket.nextChange == start + .seconds(8))
    clock.advance(to: start + .seconds(3))
    link.comeUp(at: clock.now)
    #expect(fake.sockets.withLock { $0.first?.inner.withLock { $0.sent } } == 1)
    #expect(socket.nextChange == clock.now || socket.receive() == .text("kept"))
    link.goDown(at: clock.now)
    clock.advance(to: start + .seconds(11))
    if case .failed(let error) = socket.state {
      #expect(error.kind == .timeout)
    } else {
      Issue.record("still \(socket.state)")
    }
  }

  @Test func theSameRunIsTheSameAgain() {
    func run() -> [Instant?] {
      let clock = VirtualClock()
      let link = SimulatedLink()
      let network = SimulatedNetwork(
        wrapping: FakeNetwork(response(1234), echoes: 1), clock: clock, link: link, patience: patience)
      var random: UInt64 = 7
      return (0..<200).map { step in
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        switch random >> 60 {
        case 0: link.goDown(at: clock.now)
        case 1...2: link.comeUp(at: clock.now)
        case 3: link.setBandwidth(Int(random >> 40 & 0xFFFF) + 1)
        case 4: link.setLatency(.milliseconds(Int(random >> 40 & 0x3FF)))
        default: break
        }
        let transfer = network.fetch(HTTPRequest(url: "http://h/", largest: 10_000), wake: {})
        clock.advance(to: clock.now + .milliseconds(step * 3))
        return transfer.nextChange
      }
    }
    #expect(run() == run())
  }
}
