import Foundation
import Hardware
import Testing

@testable import Network

/// Against a real server on loopback: Peers/http_peer.py.
struct HTTPTests {
  static let peer = Result { try Peer("http_peer.py") }
  let network = CurlNetwork()
  let body = (0..<100_000).map { UInt8($0 * 7 % 251) }

  func url(_ path: String) throws -> String { try Self.peer.get().http(path) }

  @Test func aBodyComesWithItsTimes() throws {
    let response = try #require(try network.outcome(try url("/ok")).response)
    #expect(response.status == 200 && response.body == Array("hello".utf8))
    #expect(response.requested <= response.firstByte && response.firstByte <= response.finished)
    #expect(response.url == (try url("/ok")))
  }

  @Test func aLargeBodyComesWhole() throws {
    #expect(try network.outcome(try url("/body")).response?.body == body)
  }

  @Test(arguments: ["/body", "/no-ranges"])
  func aRangeComesWhetherTheServerKnowsRangesOrNot(path: String) throws {
    #expect(try network.outcome(try url(path), range: 1000..<1500).response?.body == Array(body[1000..<1500]))
    #expect(try network.outcome(try url(path), range: 0..<1).response?.body == [body[0]])
    #expect(try network.outcome(try url(path), range: 99_990..<100_100).response?.body == Array(body[99_990...]))
  }

  /// Takes an open-ended resource in part, and the rest behind it.
  @Test(arguments: ["/breaks", "/breaks-no-ranges"])
  func whatBreaksOffGoesOnAtItsPlace(path: String) throws {
    var found: [UInt8] = []
    for round in 0..<2 {
      let range = round == 0 ? nil : found.count..<body.count
      var request = HTTPRequest(url: try url(path), range: range, largest: 8192)
      request.isOpenEnded = true
      let waker = Waker()
      let transfer = network.fetch(request, wake: waker.wake)
      let ending = try waker.wait {
        found += transfer.take()
        if case .running = transfer.progress { return nil as HTTPProgress? }
        found += transfer.take()
        return transfer.progress
      }
      #expect(transfer.head?.length == body.count && transfer.head?.isStation == false)
      #expect(found == Array(body.prefix(found.count)))
      if round == 0 { #expect(ending.error?.kind == .interrupted && found.count < body.count) }
    }
    #expect(found == body)
  }

  /// What a station plays has no part, whatever length it claims; a file has, whoever serves it.
  @Test(arguments: [("/station", true), ("/no-ranges", false), ("/body", false)])
  func ofAStationNothingIsPassedOver(path: String, isAnew: Bool) throws {
    var request = HTTPRequest(url: try url(path), range: 90_000..<body.count, largest: 1 << 20)
    request.isOpenEnded = true
    let waker = Waker()
    let transfer = network.fetch(request, wake: waker.wake)
    var found: [UInt8] = []
    let ending = try waker.wait {
      found += transfer.take()
      if case .running = transfer.progress { return nil as HTTPProgress? }
      found += transfer.take()
      return transfer.progress
    }
    #expect(ending.error == nil)
    #expect(transfer.head?.isAnew == isAnew && transfer.head?.isStation == isAnew)
    #expect(found == (isAnew ? body : Array(body[90_000...])))
    // It is one where nothing but a part is asked for.
    #expect(try network.outcome(try url(path), range: 10..<20).response?.body == Array(body[10..<20]))
  }

  /// A server that knows its visitors by a cookie gets it back, and no other server does.
  @Test func cookiesGoToWhoeverSetThem() throws {
    #expect(try network.body(try url("/cookie")) == "seen=yes")
    #expect(try network.body(try url("/jar")) == "seen=yes")
    let other = try url("/jar").split(separator: "127.0.0.1").joined(separator: "localhost")
    #expect(try network.body(other) == "none")
    #expect(try CurlNetwork().body(try url("/jar")) == "none")
  }

  /// A server that sets them without end has two hundred with all others, and does not drive out theirs.
  @Test func cookiesAreNotKeptWithoutEnd() throws {
    let network = CurlNetwork()
    let other = try url("/cookie").split(separator: "127.0.0.1").joined(separator: "localhost")
    #expect(try network.body(other) == "seen=yes")
    var kept = 0
    for folder in 0..<20 { #expect(try network.outcome(try url("/many/\(folder)")).response != nil) }
    for folder in 0..<20 {
      let jar = try #require(try network.body(try url("/many/\(folder)/jar")))
      kept += jar == "none" ? 0 : jar.split(separator: ";").count
    }
    #expect((1...200).contains(kept), "\(kept)")
    #expect(try network.body(other.split(separator: "/cookie").joined() + "/jar") == "seen=yes")
  }

  @Test func aRangeBeyondTheEndIsAnError() throws {
    #expect(try network.outcome(try url("/body"), range: 200_000..<200_010).error?.kind == .status(416))
    #expect(try network.outcome(try url("/no-ranges"), range: 200_000..<200_010).error?.kind == .status(416))
    #expect(try network.outcome(try url("/wrong-range"), range: 100..<110).error?.kind == .malformed)
    #expect(try network.outcome(try url("/body"), range: 5..<5).error?.kind == .address)
  }

  /// Who closes the connection at the end has not said where that is: it may have broken.
  @Test func whetherTheServerSaidItsLengthIsTold() throws {
    for (path, hasLength) in [("/body", true), ("/chunked", true), ("/gzip", true), ("/until-closed", false)] {
      #expect(try network.outcome(try url(path)).response?.hasLength == hasLength, "\(path)")
    }
    #expect(try network.outcome(try url("/until-closed"), range: 10..<20).response?.body == Array(body[10..<20]))
    #expect(try network.outcome(try url("/until-closed"), range: 100_000..<100_010).error?.kind == .interrupted)
  }

  /// Whatever was asked for, a part is not the whole.
  @Test func aPartIsNotTakenForTheWhole() throws {
    #expect(try network.outcome(try url("/part")).error?.kind == .interrupted)
    #expect(try network.outcome(try url("/part"), range: 0..<50_000).error?.kind == .interrupted)
    #expect(try network.outcome(try url("/part"), range: 0..<20_000).response?.body == Array(body.prefix(20_000)))
    #expect(try network.outcome(try url("/part"), range: 0..<100).response?.body == Array(body.prefix(100)))
  }

  @Test(arguments: [400, 401, 403, 404, 408, 410, 429, 500, 502, 503, 304])
  func aStatusIsAnErrorOfItsOwn(status: Int) throws {
    let error = try #require(try network.outcome(try url("/status/\(status)")).error)
    #expect(error.kind == .status(status))
    #expect(error.isWorthRetrying == (status == 408 || status == 429 || status >= 500))
    #expect(error.reason.hasPrefix("the server answered \(status)"))
    #expect(error.reason.contains("elsewhere") == false)
  }

  /// A libcurl that turns such names into ASCII looks for it.
  @Test func anAddressInAnotherAlphabetIsToldAsOne() throws {
    let error = try #require(try network.outcome(try url("/to-umlaut")).error)
    #expect(error.kind == .name || error.reason.contains("xn--"), "\(error)")
  }

  @Test func theWordsOfAnErrorAreNotReadForEver() throws {
    #expect(try network.outcome(try url("/long-404")).error?.kind == .status(404))
    #expect(try network.outcome(try url("/bomb-404")).error?.kind == .status(404))
  }

  /// A proxy was set while something was under way: it is told, and does not wait for ever.
  @Test func whatIsUnderWayEndsWithItsNetwork() throws {
    let waker = Waker()
    var network: CurlNetwork? = CurlNetwork()
    let wanted = HTTPRequest(url: try url("/stall-in-body"), largest: 1000)
    let transfer = try #require(network?.fetch(wanted, wake: waker.wake))
    let begun = try waker.wait {
      if case .running(let bytes) = transfer.progress { bytes > 0 ? true : nil } else { true }
    }
    #expect(begun)
    network = nil
    let ending = try waker.wait {
      if case .running = transfer.progress { nil as HTTPProgress? } else { transfer.progress }
    }
    #expect(ending.error?.kind == .interrupted)
  }

  @Test func redirectsAreFollowedTenTimes() throws {
    let response = try #require(try network.outcome(try url("/hop/10")).response)
    #expect(response.url == (try url("/ok")))
    #expect(try network.outcome(try url("/hop/11")).error?.kind == .redirects)
    #expect(try network.outcome(try url("/loop")).error?.kind == .redirects)
    #expect(try network.outcome(try url("/deep/relative")).response?.url == (try url("/ok")))
  }

  @Test func noRedirectLeadsToAFile() throws {
    #expect(try network.outcome(try url("/to-file")).error?.kind == .address)
  }

  @Test(arguments: ["/stall", "/stall-in-body"])
  func silenceEndsAtTheStallTimeout(path: String) throws {
    let error = try #require(try network.outcome(try url(path), stall: .milliseconds(100)).error)
    #expect(error.kind == .timeout && error.isWorthRetrying)
    #expect(try network.outcome(try url(path), timeout: .milliseconds(100)).error?.kind == .timeout)
  }

  @Test func aSlowBodyIsNoSilence() throws {
    #expect(try network.outcome(try url("/slow"), stall: .seconds(5)).response?.body.count == 20)
  }

  @Test(arguments: ["/cut", "/cut-chunk", "/nothing"])
  func aConnectionThatEndsInTheMiddleIsAnError(path: String) throws {
    #expect(try network.outcome(try url(path)).error?.kind == .interrupted)
  }

  /// Of what has a rest that can be asked for.
  @Test(
    arguments: [("/cut", "some"), ("/cut-chunk", "some"), ("/stall-in-body", "some"), ("/part", nil), ("/ok", nil)]
      as [(String, String?)])
  func whatHasComeIsGivenWhereItIsWanted(path: String, text: String?) throws {
    var request = HTTPRequest(
      url: try url(path), largest: 1 << 20, connectTimeout: .seconds(20), stallTimeout: .seconds(2),
      timeout: .seconds(40))
    request.takesParts = true
    let response = try #require(try network.outcome(request).response)
    #expect(response.isBroken == (path != "/ok"))
    if let text { #expect(response.body == Array(text.utf8)) }
    if path == "/part" { #expect(!response.body.isEmpty && body.starts(with: response.body)) }
    if path == "/stall-in-body" { #expect(response.finished - response.firstByte < .seconds(2)) }
    for path in ["/nothing", "/stall", "/bad-gzip", "/status/404"] {
      request.url = try url(path)
      #expect(try network.outcome(request).error != nil, "\(path)")
    }
  }

  /// What has no end is not inflated; that it is compressed is told, and so what is a list can be asked for as one.
  @Test(arguments: [("/packed", true), ("/gzip", false), ("/ok", false)])
  func whatIsCompressedUnaskedIsTold(path: String, isCompressed: Bool) throws {
    var request = HTTPRequest(url: try url(path), largest: 8192)
    request.isOpenEnded = true
    let waker = Waker()
    let transfer = network.fetch(request, wake: waker.wake)
    let head = try waker.wait { transfer.head }
    #expect(head.isCompressed == isCompressed)
    #expect(transfer.take().starts(with: [0x1F, 0x8B]) == isCompressed)
    transfer.cancel()
    #expect(try network.outcome(try url("/packed")).response?.body.count == 8000)
  }

  @Test func gzipIsDecoded() throws {
    #expect(try network.outcome(try url("/gzip")).response?.body.count == 8000)
    #expect(try network.outcome(try url("/gzip"), range: 0..<17).text == "asked for no gzip")
    #expect(try network.outcome(try url("/bad-gzip")).error?.kind == .malformed)
  }

  /// Of what is compressed no part can be had, and none is made of it.
  @Test func whetherItCameCompressedIsTold() throws {
    for (path, isCompressed) in [("/packed", true), ("/gzip", true), ("/ok", false), ("/encoded/utf-8", false)] {
      #expect(try network.outcome(try url(path)).response?.isCompressed == isCompressed, "\(path)")
    }
    #expect(try network.outcome(try url("/packed"), range: 10..<20).error?.kind == .status(416))
    #expect(try network.outcome(try url("/body"), range: 10..<20).response?.isCompressed == false)
  }

  /// Servers also name encodings that are none.
  @Test(arguments: ["utf-8", "binary", "aws-chunked", "UTF-8", "8bit"])
  func anEncodingThatIsNoneIsPassedOver(name: String) throws {
    let response = try network.outcome(try url("/encoded/\(name)")).response
    #expect(response?.body == body && response?.hasLength == true)
    #expect(try network.outcome(try url("/to//encoded/\(name)")).response?.body == body)
    #expect(try network.outcome(try url("/encoded/\(name)"), range: 10..<20).response?.body == Array(body[10..<20]))
    #expect(try network.outcome(try url("/encoded/\(name)"), largest: 1000).error?.kind == .tooLarge)
    #expect(try network.outcome(try url("/encoded-404/\(name)")).error?.kind == .status(404))
    var request = HTTPRequest(url: try url("/encoded/\(name)"), largest: 1 << 20)
    request.isOpenEnded = true
    let waker = Waker()
    let transfer = network.fetch(request, wake: waker.wake)
    let head = try waker.wait { transfer.head }
    #expect(!head.isCompressed)
    transfer.cancel()
  }

  /// What says that it is compressed, and is not, cannot be had.
  @Test(arguments: ["gzip", "br", "deflate"])
  func anEncodingThatIsNotTrueIsMalformed(name: String) throws {
    #expect(try network.outcome(try url("/encoded/\(name)")).error?.kind == .malformed)
  }

  @Test func whatIsTooLargeEndsAtTheLimit() throws {
    #expect(try network.outcome(try url("/bomb"), largest: 1 << 22).error?.kind == .tooLarge)
    #expect(try network.outcome(try url("/endless"), largest: 1 << 22).error?.kind == .tooLarge)
    #expect(try network.outcome(try url("/body"), largest: 99_999).error?.kind == .tooLarge)
    #expect(try network.outcome(try url("/body"), largest: 100_000).response != nil)
    #expect(try network.outcome(try url("/headers")).error != nil)
  }

  @Test func whatIsNotHTTPIsMalformed() throws {
    let error = try #require(try network.outcome(try url("/garbage")).error)
    #expect(error.kind == .malformed)
  }

  /// Old stations have the numbers of HTTP without its name.
  @Test(
    arguments: [
      ("ICY 404 Resource Not Found", .status(404)), ("ICY 401 Service Unavailable", .status(401)),
      ("icy 503", .status(503)), ("ICY 302 Found", .status(302)), ("ICY 200 OK", nil), ("ICY 200", nil),
      ("ICY is cold", .malformed), ("ICY 7", .malformed), ("ICY -40 x", .malformed),
    ] as [(String, NetworkError.Kind?)])
  func aStationsStatusIsTold(line: String, kind: NetworkError.Kind?) throws {
    let path = "/icy/" + line.split(separator: " ").joined(separator: "%20")
    for address in [try url(path), try url("/to/" + url(path))] {
      var request = HTTPRequest(url: address, largest: 8192)
      request.isOpenEnded = true
      let waker = Waker()
      let transfer = network.fetch(request, wake: waker.wake)
      let ending = try waker.wait {
        if case .running = transfer.progress { nil as HTTPProgress? } else { transfer.progress }
      }
      #expect(ending.error?.kind == kind, "\(ending)")
      if kind == nil {
        #expect(transfer.take() == Array("sound".utf8))
        #expect(transfer.head?.isStation == true)
      }
    }
  }

  @Test func aPortWhereNobodyListensIsUnreachable() throws {
    let error = try #require(try network.outcome("http://127.0.0.1:1/x").error)
    #expect(error.kind == .unreachable)
    #expect(error.reason.hasPrefix("nothing listens there"))
  }

  @Test func anUnknownNameSaysSo() throws {
    #expect(try network.outcome("http://no-such-host.invalid/").error?.kind == .name)
  }

  @Test(arguments: [
    "", "x", "ftp://host/", "http://", "http://:80/", "http://h:0/", "http://h:99999/", "http://h\r\nX: y/",
    "http://h/a\nb", "ws://host/", "http://[::1", "http://hö.example/", "file:///etc/passwd",
  ])
  func addressesThatAreNoneAreRefusedAtOnce(url: String) {
    let transfer = network.fetch(HTTPRequest(url: url, largest: 1), wake: {})
    #expect(transfer.progress.error?.kind == .address)
  }

  @Test func namesAndPasswordsAreSentButNeverTold() throws {
    let port = try Self.peer.get().port
    #expect(try network.body("http://anna:s%40cret@127.0.0.1:\(port)/who") == "Basic YW5uYTpzQGNyZXQ=")
    let error = try #require(try network.outcome("http://anna:s%40cret@127.0.0.1:\(port)/status/404?key=1").error)
    #expect(error.subject == "http://127.0.0.1:\(port)/status/404")
    let bad = network.fetch(HTTPRequest(url: "ftp://anna:secret@host/x?key=1", largest: 1), wake: {})
    #expect(bad.progress.error?.subject == "host/x")
  }

  @Test func connectionsAreUsedAgain() throws {
    let peer = try Peer("http_peer.py")
    for _ in 0..<20 { _ = try network.outcome(peer.http("/ok")) }
    _ = try network.outcome(peer.http("/status/404"))
    #expect(try network.body(peer.http("/connections")) == "1")
  }

  @Test func noMoreConnectionsThanAllowed() throws {
    let peer = try Peer("http_peer.py")
    let network = CurlNetwork(NetworkSettings(connections: 2))
    let waker = Waker()
    let transfers = (0..<12).map { _ in
      network.fetch(HTTPRequest(url: peer.http("/body"), largest: 1 << 20), wake: waker.wake)
    }
    for transfer in transfers {
      let response = try waker.wait { transfer.progress.response }
      #expect(response.body == body)
    }
    let count = try #require(Int(try network.body(peer.http("/connections")) ?? ""))
    #expect(count <= 2)
  }

  @Test func whatIsCancelledIsNotHeardOfAgain() throws {
    let waker = Waker()
    let transfer = network.fetch(HTTPRequest(url: try url("/stall"), largest: 10), wake: waker.wake)
    transfer.cancel()
    _ = try network.outcome(try url("/ok"))
    #expect(transfer.progress == .running(receivedBytes: 0) && waker.wakes == 0)
  }

  @Test func aNetworkThatIsClosedSaysSo() throws {
    let waker = Waker()
    let stalled = network.fetch(HTTPRequest(url: try url("/stall"), largest: 10), wake: waker.wake)
    network.close()
    #expect(try network.outcome(try url("/ok")).error?.kind == .unreachable)
    #expect(stalled.progress.response == nil)
  }

  @Test func aProxyIsUsedWhereOneIsSet() throws {
    let peer = try Self.peer.get()
    // Whatever it is asked for, a server that takes absolute addresses answers like a proxy.
    let proxied = CurlNetwork(NetworkSettings(proxy: "http://127.0.0.1:\(peer.port)"))
    #expect(try proxied.outcome("http://nowhere.invalid/ok").error?.kind == .status(404))
    let missing = CurlNetwork(NetworkSettings(proxy: "http://127.0.0.1:1"))
    let error = try #require(try missing.outcome(peer.http("/ok")).error)
    #expect(error.kind == .unreachable && error.reason.hasSuffix("the proxy in the settings"))
  }
}
