import Glibc
import Hardware
import Testing

@testable import Network

/// Against real TLS with certificates that openssl made in the test.
struct TLSTests {
  func certificates() throws -> Certificates { try Certificates.shared.get() }

  func outcome(server: String, authority: String?) throws -> HTTPProgress {
    let files = try certificates()
    let peer = try Peer("http_peer.py", files.pair(server))
    let network = CurlNetwork(NetworkSettings(authorities: authority.map { files.file($0) }))
    return try network.outcome(peer.https("/ok"))
  }

  @Test func anAuthorityOfOnesOwnIsTrusted() throws {
    #expect(try outcome(server: "good", authority: "authority").text == "hello")
  }

  @Test func aRedirectNeverLeadsFromSecretToOpen() throws {
    let files = try certificates()
    let secret = try Peer("http_peer.py", files.pair("good"))
    let open = try Peer("http_peer.py")
    let network = CurlNetwork(NetworkSettings(authorities: files.file("authority")))
    #expect(try network.outcome(secret.https("/to/" + secret.https("/ok"))).text == "hello")
    #expect(try network.outcome(open.http("/to/" + secret.https("/ok"))).text == "hello")
    let error = try #require(try network.outcome(secret.https("/to/" + open.http("/ok"))).error)
    #expect(error.kind == .address && !error.isWorthRetrying)
  }

  /// libcurl looks at what may follow when it follows: what is set while an answer comes holds for its redirect.
  @Test(arguments: [false, true])
  func aRedirectLeadsIntoSecretAndNotOutOfIt(isOpenEnded: Bool) throws {
    let files = try certificates()
    let secret = try Peer("http_peer.py", files.pair("good"))
    let open = try Peer("http_peer.py")
    let network = CurlNetwork(NetworkSettings(authorities: files.file("authority")))
    func outcome(_ address: String) throws -> HTTPProgress {
      var request = HTTPRequest(url: address, largest: 1 << 20)
      request.isOpenEnded = isOpenEnded
      return try network.outcome(request)
    }
    let out = open.http("/to/" + secret.https("/to/" + open.http("/ok")))
    let error = try #require(try outcome(out).error)
    #expect(error.kind == .address && !error.isWorthRetrying)
    #expect(try outcome(open.http("/to/" + secret.https("/to/" + secret.https("/ok")))).response?.status == 200)
    // What was secret once concerns no other request.
    #expect(try outcome(open.http("/to/" + open.http("/ok"))).response?.status == 200)
  }

  @Test func connectionsWithTLSAreUsedAgain() throws {
    let files = try certificates()
    let peer = try Peer("http_peer.py", files.pair("good"))
    let network = CurlNetwork(NetworkSettings(authorities: files.file("authority")))
    for _ in 0..<5 { #expect(try network.outcome(peer.https("/body")).response?.body.count == 100_000) }
    #expect(try network.body(peer.https("/connections")) == "1")
  }

  @Test(arguments: [
    ("good", "stranger", "its certificate comes from nobody we trust"),
    ("good", nil, "its certificate comes from nobody we trust"),
    ("expired", "authority", "its certificate has expired"),
    ("future", "authority", "its certificate is not valid yet"),
    ("other", "authority", "its certificate is another server's"),
    ("good", "missing", "the file of trusted authorities cannot be read"),
  ])
  func certificatesThatAreNotToBeTrustedNeedAPerson(server: String, authority: String?, reason: String) throws {
    let error = try #require(try outcome(server: server, authority: authority).error)
    #expect(error.kind == .certificate && !error.isWorthRetrying)
    #expect(error.reason.hasPrefix(reason), "\(error)")
  }

  @Test func aPipeInThePlaceOfAuthoritiesHoldsNothingUp() throws {
    mkfifo(try certificates().file("pipe"), 0o600)
    let error = try #require(try outcome(server: "good", authority: "pipe").error)
    #expect(error.reason.hasPrefix("the file of trusted authorities cannot be read"), "\(error)")
  }

  @Test func aServerWithoutTLSIsAnErrorOfSecurity() throws {
    let peer = try Peer("http_peer.py")
    let error = try #require(try CurlNetwork().outcome(peer.https("/ok")).error)
    #expect(error.kind == .security)
  }

  @Test func aWebSocketWithTLSEchoes() throws {
    let files = try certificates()
    let peer = try Peer("ws_peer.py", files.pair("good"))
    let network = CurlNetwork(NetworkSettings(authorities: files.file("authority")))
    let client = Client(network, peer.wss("/echo"), largest: 4 << 20)
    try client.open()
    // Larger than what TLS and the socket take at once.
    let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try client.send(.binary(large))
    #expect(try client.message() == .binary(large))
    let stranger = CurlNetwork(NetworkSettings(authorities: files.file("stranger")))
    #expect(try Client(stranger, peer.wss("/echo")).end().error?.kind == .certificate)
  }
}
