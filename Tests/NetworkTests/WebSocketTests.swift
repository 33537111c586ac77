import Hardware
import Testing

@testable import Network

/// Against python3-websockets (Peers/ws_peer.py), and against servers that do it wrong (Peers/raw_ws_peer.py).
struct WebSocketTests {
  static let peer = Result { try Peer("ws_peer.py") }
  static let wrong = Result { try Peer("raw_ws_peer.py") }
  let network = CurlNetwork()

  func client(_ path: String, subprotocol: String? = nil, largest: Int = 100_000) throws -> Client {
    Client(network, try Self.peer.get().ws(path), subprotocol: subprotocol, largest: largest)
  }

  func wrong(
    _ path: String, silence: Duration = .seconds(20), connect: Duration = .seconds(20)
  ) throws -> Client {
    Client(network, try Self.wrong.get().ws(path), silence: silence, connect: connect)
  }

  @Test func whatIsSentComesBackInOrder() throws {
    let client = try client("/echo", subprotocol: "dub.1", largest: 1 << 20)
    try client.open()
    #expect(client.socket.state == .open)
    let messages: [WebSocketMessage] = [
      .text("¿qué tal? 🦜"), .binary([]), .text(""), .binary([UInt8](repeating: 7, count: 125)),
      .binary([UInt8](repeating: 8, count: 126)), .binary([UInt8](repeating: 9, count: 65_536)),
      .binary([UInt8](repeating: 1, count: 1_000_000)),
    ]
    for message in messages { try client.send(message) }
    for message in messages { #expect(try client.message() == message) }
  }

  @Test func fragmentsBecomeOneMessage() throws {
    let client = try client("/fragments")
    #expect(try client.message() == .text("abcd"))
    #expect(try client.message() == .binary([1, 2, 3]))
  }

  @Test func moreMessagesThanMayWaitAllArrive() throws {
    let client = try client("/count")
    for number in 0..<200 { #expect(try client.message() == .text("\(number)")) }
  }

  @Test func whoDoesNotReadMakesOurQueueFull() throws {
    let client = try wrong("/never-reads")
    try client.open()
    let large = WebSocketMessage.binary([UInt8](repeating: 0, count: 1 << 20))
    // What the socket takes, what is on its way, and what may wait.
    #expect((0..<100).contains { _ in !client.socket.send(large) })
  }

  @Test(arguments: [1000, 1001, 1011, 1012, 1013, 3000, 4000])
  func thePeersGoodbyeComesAfterItsLastWords(code: Int) throws {
    let client = try client("/close/\(code)")
    #expect(try client.end() == .closed(code: code, reason: "gone"))
    #expect(try client.message() == .text("last words"))
    #expect(!client.socket.send(.text("too late")))
  }

  @Test func ourGoodbyeReachesThePeer() throws {
    let first = try client("/code")
    try first.open()
    first.socket.close(code: 4001)
    #expect(try first.end() == .closed(code: 4001, reason: ""))
    #expect(try client("/codes").message() == .text("4001"))
  }

  @Test func pingsAreAnswered() throws {
    #expect(try client("/ping").message() == .text("pong"))
  }

  @Test func namesAndPasswordsAreSent() throws {
    let port = try Self.peer.get().port
    let client = Client(network, "ws://anna:s%40cret@127.0.0.1:\(port)/who")
    #expect(try client.message() == .text("Basic YW5uYTpzQGNyZXQ="))
  }

  @Test(arguments: ["/large", "/large-fragments"])
  func aMessageThatIsTooLargeIsRefused(path: String) throws {
    let error = try #require(try client(path).end().error)
    #expect(error.kind == .tooLarge)
  }

  @Test(arguments: [
    ("/wrong-key", NetworkError.Kind.malformed), ("/extension", .malformed), ("/protocol", .malformed),
    ("/not-http", .malformed), ("/404", .status(404)), ("/long-answer", .malformed), ("/bad-text", .malformed),
    ("/masked", .malformed), ("/reserved", .malformed), ("/opcode", .malformed), ("/mid-frame", .interrupted),
    ("/huge-promise", .tooLarge), ("/bad-close", .malformed),
  ])
  func whatIsWrongIsToldAsWhatItIs(path: String, kind: NetworkError.Kind) throws {
    let error = try #require(try wrong(path).end().error)
    #expect(error.kind == kind, "\(error)")
  }

  @Test func aGoodbyeWithoutACodeIs1005() throws {
    #expect(try wrong("/empty-close").end() == .closed(code: 1005, reason: ""))
  }

  @Test func anAnswerThatComesByteByByteIsOne() throws {
    #expect(try wrong("/dribble").message() == .text("first"))
  }

  @Test func aHalfOpenConnectionIsNoticedByAPing() throws {
    let client = try wrong("/half-open", silence: .milliseconds(60))
    try client.open()
    let error = try #require(try client.end().error)
    #expect(error.kind == .timeout && error.reason.hasPrefix("it does not answer a ping"))
  }

  @Test func silenceOfAPeerThatAnswersPingsIsFine() throws {
    let client = Client(network, try Self.peer.get().ws("/echo"), silence: .milliseconds(20))
    try client.open()
    // Long enough for a few pings: each of these takes several.
    let other = try wrong("/half-open", silence: .milliseconds(60))
    _ = try other.end()
    try client.send(.text("still there"))
    #expect(try client.message() == .text("still there"))
  }

  @Test func aServerThatDoesNotAnswerTheHandshakeIsGivenUp() throws {
    #expect(try wrong("/silent-handshake", connect: .milliseconds(100)).end().error?.kind == .timeout)
  }

  @Test func aPortWhereNobodyListensIsUnreachable() throws {
    #expect(try Client(network, "ws://127.0.0.1:1/").end().error?.kind == .unreachable)
    #expect(try Client(network, "ws://no-such-host.invalid/").end().error?.kind == .name)
    #expect(try Client(network, "http://127.0.0.1/").end().error?.kind == .address)
  }

  @Test func aClosedNetworkEndsItsSockets() throws {
    let client = try client("/echo")
    try client.open()
    network.close()
    #expect(try client.end().error?.kind == .unreachable)
  }
}
