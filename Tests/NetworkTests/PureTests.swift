import Hardware
import TestSupport
import Testing

@testable import Network

struct HashTests {
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
  ])
  func sha1IsThatOfFIPS180(text: String, digest: String) {
    let hex = SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hex == digest)
  }

  @Test func aMillionLettersToo() {
    let hex = SHA1.digest([UInt8](repeating: 0x61, count: 1_000_000)).map {
      ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }
    #expect(hex.joined() == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
  ])
  func base64IsThatOfRFC4648(text: String, encoded: String) { #expect(Base64.encode(Array(text.utf8)) == encoded) }

  @Test func theKeyOfRFC6455IsAccepted() {
    #expect(Upgrade.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}

struct UpgradeTests {
  let good = Array(
    "HTTP/1.1 101 Switching Protocols\r\nUPGRADE: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo= \r\n\r\nrest"
      .utf8)

  func upgrade() throws -> Upgrade {
    Upgrade(
      to: try WebAddress("ws://host:81/chat?a=b#c"), subprotocol: nil, nonce: Array("the sample nonce".utf8))
  }

  @Test func theRequestIsTheOneOfTheStandard() throws {
    let lines = String(decoding: try upgrade().request, as: UTF8.self).split(separator: "\r\n").map(String.init)
    #expect(lines.first == "GET /chat?a=b HTTP/1.1")
    #expect(lines.contains("Host: host:81") && lines.contains("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
  }

  @Test func aTokenGoesWithTheRequestInPlaceOfAPassword() throws {
    func request(_ token: String?) throws -> String {
      let address = try WebAddress("wss://me:word@host/")
      return String(
        decoding: Upgrade(to: address, subprotocol: nil, bearerToken: token, nonce: Array("the sample nonce".utf8))
          .request,
        as: UTF8.self)
    }
    #expect(try request("abc.def").contains("\r\nAuthorization: Bearer abc.def\r\n"))
    #expect(try !request("abc.def").contains("Basic"))
    #expect(try request(nil).contains("\r\nAuthorization: Basic "))
    #expect(try !request("a\r\nX: y").contains("X: y"))
  }

  @Test func whatIsElsewhereAndATokenThatIsNotTakenAreSaid() throws {
    func reason(_ answer: String, token: String? = nil) throws -> String {
      var upgrade = Upgrade(
        to: try WebAddress("ws://host/"), subprotocol: nil, bearerToken: token, nonce: Array("the sample nonce".utf8))
      let got = upgrade.feed(Array((answer + "\r\n\r\n").utf8))
      guard case .refused(_, let reason) = got else { return "" }
      return reason
    }
    let moved = try reason("HTTP/1.1 301 Moved\r\nLocation: wss://me:word@other/dub?key=abc")
    #expect(moved.contains("wss://***@other/dub") && !moved.contains("word") && !moved.contains("abc"), "\(moved)")
    #expect(try !reason("HTTP/1.1 302 Found\r\nLocation: /a\u{1B}[2J").contains("\u{1B}"))
    #expect(try reason("HTTP/1.1 301 Moved").contains("does not say where"))
    #expect(try reason("HTTP/1.1 401 No", token: "abc").contains("token"))
    #expect(try !reason("HTTP/1.1 401 No", token: "abc").contains("password"))
    #expect(try reason("HTTP/1.1 401 No").contains("password"))
    #expect(try reason("HTTP/1.1 401 No").contains("dub.serviceToken"))
    // One that was not sent was not refused either.
    #expect(try reason("HTTP/1.1 401 No", token: "a b").contains("password"))
  }

  @Test func theAnswerIsTheSameHoweverItIsCut() throws {
    for cut in 0..<good.count {
      var upgrade = try upgrade()
      let first = upgrade.feed(Array(good[..<cut]))
      if case .accepted(let rest) = first {
        #expect(rest == Array(good[(good.count - 4)..<cut]))
      } else {
        #expect(first == .incomplete)
        #expect(upgrade.feed(Array(good[cut...])) == .accepted(rest: Array("rest".utf8)))
      }
    }
  }

  @Test func noAnswerTraps() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
        default: bytes.remove(at: at)
        }
      }
      var upgrade = try upgrade()
      _ = upgrade.feed(bytes)
    }
  }
}

struct WebAddressTests {
  @Test func anAddressIsTakenApart() throws {
    let address = try WebAddress("HTTPS://Anna:s@cret@Example.COM:8443/a b/ü?q=1#part")
    #expect(address.scheme == "https" && address.host == "example.com" && address.port == 8443)
    #expect(address.credentials == "Anna:s@cret" && address.target == "/a%20b/%C3%BC?q=1")
    #expect(address.subject == "https://example.com:8443/a%20b/%C3%BC")
    #expect(try WebAddress("wss://[::1]:9/").transport == "https://[::1]:9/")
    #expect(try WebAddress("http://host?x").target == "/?x")
  }

  @Test func noTextTrapsAndNoSecretIsTold() {
    var random = SeededGenerator(seed: 9)
    let pieces = [
      "http", "wss", "://", ":", "/", "@", "[", "]", "::1", "host", "80", "99999", "?", "#", "%4", "ü", " ", "\r\n",
    ]
    for _ in 0..<50_000 {
      var text = Bool.random(using: &random) ? "http://user:hunter2@" : ""
      for _ in 0..<Int.random(in: 0...9, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
      #expect(WebAddress.subject(of: text).firstRange(of: "hunter2") == nil)
      guard let address = try? WebAddress(text) else { continue }
      #expect(!address.host.isEmpty && address.target.hasPrefix("/"))
      #expect(!address.transport.utf8.contains { $0 <= 0x20 || $0 >= 0x7F })
    }
  }
}

struct ContentRangeTests {
  @Test func aRangeIsRead() {
    let known = ContentRange.parse(Array("Content-Range: bytes 100-199/1000\r\n".utf8))
    #expect(known?.range == 100..<200 && known?.total == 1000)
    let unknown = ContentRange.parse(Array("content-range:bytes 0-0/*\r\n".utf8))
    #expect(unknown?.range == 0..<1 && unknown?.total == nil)
    for wrong in ["Content-Range: bytes */1000", "Content-Range: bytes 5-4/9", "Content-Length: 5", "", ":"] {
      #expect(ContentRange.parse(Array(wrong.utf8)) == nil)
    }
  }

  @Test func noLineTraps() {
    var random = SeededGenerator(seed: 2)
    let line = Array("Content-Range: bytes 100-99999999999999999999/1000\r\n".utf8)
    for _ in 0..<50_000 {
      var bytes = line
      for _ in 0..<4 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = ContentRange.parse(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
    }
  }
}

struct FramesTests {
  /// A frame as a server sends it.
  func frame(_ opcode: UInt8, _ payload: [UInt8], final: Bool = true) -> [UInt8] {
    [(final ? 0x80 : 0) | opcode, UInt8(payload.count)] + payload
  }

  @Test func framesAreTheSameHoweverTheyAreCut() throws {
    let bytes =
      frame(1, [0x61], final: false) + frame(9, [1]) + frame(0, [0x62]) + frame(2, [1, 2, 3]) + frame(8, [3, 0xF4])
    for size in 1...bytes.count {
      let frames = try #require(WebSocketFrames(largestMessage: 100))
      for start in stride(from: 0, to: bytes.count, by: size) {
        frames.feed(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(frames.arrived == [.text("ab"), .binary([1, 2, 3])])
      #expect(frames.ending == .closed(code: 1012, reason: ""))
    }
  }

  @Test func whoAsksWithoutReadingIsNotListenedToForEver() throws {
    let frames = try #require(WebSocketFrames(largestMessage: 100))
    #expect(!frames.owesMuch)
    for _ in 0..<100 { frames.feed(frame(9, [1])) }
    #expect(frames.owesMuch)
    frames.produce()
    #expect(!frames.owesMuch)
  }

  @Test func noFramesTrapOrGrow() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      let frames = try #require(WebSocketFrames(largestMessage: 1000))
      var bytes = frame(1, Array("héllo".utf8)) + frame(2, [9, 9]) + frame(8, [3, 0xE8] + Array("bye".utf8))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      frames.feed(bytes)
      frames.produce()
      #expect(frames.arrived.allSatisfy { $0.byteCount <= 1000 })
    }
  }
}
