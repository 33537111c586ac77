internal import Hardware

/// The client's side of a WebSocket's opening handshake (RFC 6455 section 4.1). Pure: bytes in, bytes out.
struct Upgrade {
  /// What an answer that is not complete yet, and one that is, come to.
  enum Answer: Equatable {
    case incomplete
    /// The connection is a WebSocket; bytes that came after the answer are its first frames.
    case accepted(rest: [UInt8])
    case refused(NetworkError.Kind, reason: String)
  }

  /// A longer answer is refused.
  static let largestAnswer = 16 * 1024

  let request: [UInt8]
  private let expected: String
  private let subprotocol: String?
  private let sendsToken: Bool
  private var answer: [UInt8] = []

  /// - Parameters:
  ///   - bearerToken: printable ASCII without blanks; anything else is not sent.
  ///   - nonce: 16 random bytes.
  init(to address: WebAddress, subprotocol: String?, bearerToken: String? = nil, nonce: [UInt8]) {
    let key = Base64.encode(nonce)
    expected = Self.acceptance(of: key)
    // Another one could not be told from a header of its own.
    self.subprotocol = subprotocol.flatMap { $0.utf8.allSatisfy(Self.isToken) && !$0.isEmpty ? $0 : nil }
    var lines = [
      "GET \(address.target) HTTP/1.1", "Host: \(address.authority)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13", "User-Agent: mynah",
    ]
    if let subprotocol = self.subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
    let token = bearerToken.flatMap { token in
      !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? token : nil
    }
    sendsToken = token != nil
    if let token {
      lines.append("Authorization: Bearer \(token)")
    } else if let credentials = address.basicCredentials {
      lines.append("Authorization: Basic \(Base64.encode(credentials))")
    }
    request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// What the server has to answer to a key (section 4.2.2, step 5.4).
  static func acceptance(of key: String) -> String {
    Base64.encode(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  /// Takes more of the answer.
  mutating func feed(_ bytes: [UInt8]) -> Answer {
    // The end may be split between two pieces.
    let from = max(0, answer.count - 3)
    answer += bytes
    guard let end = Self.endOfHeader(in: answer, from: from) else {
      return answer.count > Self.largestAnswer
        ? .refused(.malformed, reason: "the answer to the handshake does not end; is this a WebSocket server?")
        : .incomplete
    }
    guard end <= Self.largestAnswer else {
      return .refused(.malformed, reason: "the answer to the handshake is too long; is this a WebSocket server?")
    }
    if let (kind, reason) = problem(in: answer[..<end]) { return .refused(kind, reason: reason) }
    return .accepted(rest: Array(answer[end...]))
  }

  private func problem(in header: ArraySlice<UInt8>) -> (NetworkError.Kind, String)? {
    let lines = header.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
      (100...599).contains(status)
    else { return (.malformed, "the answer to the handshake is not HTTP; is this a WebSocket server?") }
    let fields = Self.fields(lines.dropFirst())
    guard status == 101 else { return (.status(status), refusal(status, fields["location"] ?? "")) }
    guard Self.tokens(fields["upgrade"]).contains("websocket"), Self.tokens(fields["connection"]).contains("upgrade")
    else { return (.malformed, "the server switched to something that is not a WebSocket") }
    guard fields["sec-websocket-accept"] == expected else {
      return (.malformed, "the server's Sec-WebSocket-Accept is not the one of our key: something in between answered")
    }
    guard fields["sec-websocket-extensions"] == nil else {
      return (.malformed, "the server uses an extension that was not asked for")
    }
    if let chosen = fields["sec-websocket-protocol"], chosen != subprotocol {
      return (.malformed, "the server chose a sub-protocol that was not asked for")
    }
    return nil
  }

  /// Why there is no WebSocket. It is not looked for elsewhere: the token is for whom it was given to.
  private func refusal(_ status: Int, _ elsewhere: String) -> String {
    switch status {
    case 300..<400 where !elsewhere.isEmpty:
      "the server answered \(status): it is elsewhere, at \(HiddenAddress.text(String(elsewhere.prefix(200)).shown))"
    case 401 where sendsToken: "the server answered 401: it does not accept the token"
    case 401:
      "the server answered 401: it wants a token (dub.serviceToken), or a user name and a password in its address"
    default: StatusText.reason(status)
    }
  }

  /// Header fields by lower-case name; those that come again are joined (RFC 9110 section 5.3).
  private static func fields(_ lines: some Sequence<String>) -> [String: String] {
    var fields: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[..<colon].lowercased()
      let value = trimmed(line[line.index(after: colon)...])
      fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    }
    return fields
  }

  private static func tokens(_ value: String?) -> [String] {
    (value ?? "").split(separator: ",").map { trimmed($0).lowercased() }
  }

  private static func trimmed(_ text: Substring) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    let from = text.drop(while: isSpace)
    return String(from.reversed().drop(while: isSpace).reversed())
  }

  /// A character of RFC 9110's tokens.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func endOfHeader(in bytes: [UInt8], from: Int) -> Int? {
    var index = from
    while index + 4 <= bytes.count {
      if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 { return index + 4 }
      index += 1
    }
    return nil
  }
}

/// What an HTTP status means for a fetch.
enum StatusText {
  static func reason(_ status: Int) -> String {
    let meaning: String? =
      switch status {
      case 304: "it says that nothing is new, which it was not asked"
      case 300..<400: "it is elsewhere, and the server does not say where"
      case 400: "the server does not understand what it is asked"
      case 401: "a user name and a password are needed: https://user:password@host/…"
      case 403: "the server does not let us have it"
      case 404: "there is no such thing there; check the address"
      case 407: "the proxy wants a user name and a password: http://user:password@proxy:port"
      case 410: "it is no longer there"
      case 416: "the server has no such range of it"
      case 426: "the server wants another protocol"
      case 429: "the server is asked too often"
      case 500, 502, 503, 504: "the server is in trouble"
      default: nil
      }
    return meaning.map { "the server answered \(status): \($0)" } ?? "the server answered \(status)"
  }
}
