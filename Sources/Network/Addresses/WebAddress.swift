/// An absolute address of the schemes http, https, ws and wss, taken apart (RFC 3986 section 3).
///
/// Pure. What people and playlists write is taken as it is meant: spaces and letters beyond ASCII in the path become
/// %-escapes. What could change the request (control characters, a backslash in the authority) is refused.
struct WebAddress: Hashable {
  var scheme: String
  /// `user:password` as it was written, or none.
  var credentials: String?
  /// Lower case; IPv6 addresses with their brackets.
  var host: String
  /// Where one was written.
  var port: Int?
  /// Path and query, beginning with `/`; without the fragment, which is not sent.
  var target: String

  /// Why a text is none, as a clause.
  struct Problem: Error, Hashable { var reason: String }

  init(_ text: String) throws(Problem) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 8192 else { throw Problem(reason: "the address is longer than 8192 bytes") }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw Problem(reason: "the address has a control character in it")
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      throw Problem(reason: "the address does not begin with http://, https://, ws:// or wss://")
    }
    scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard ["http", "https", "ws", "wss"].contains(scheme) else {
      throw Problem(reason: "the address is neither http, https, ws nor wss")
    }
    let rest = bytes[(colon + 3)...]
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    var authority = rest[..<(end ?? rest.endIndex)]
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      credentials = String(decoding: authority[..<at], as: UTF8.self)
      authority = authority[(at + 1)...]
    }
    (host, port) = try Self.hostAndPort(authority)
    target = Self.target(rest[(end ?? rest.endIndex)...])
  }

  /// Whether TLS is used.
  var isSecure: Bool { scheme == "https" || scheme == "wss" }
  var isWebSocket: Bool { scheme == "ws" || scheme == "wss" }

  /// For error texts: no user name, no password, no query (which may hold a key), not too long.
  var subject: String {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    return "\(scheme)://\(authority)\(String(decoding: path.prefix(200), as: UTF8.self))"
  }

  /// For libcurl, which knows http and https: with user name and password.
  var transport: String {
    let scheme = isSecure ? "https" : "http"
    return "\(scheme)://\(credentials.map { Self.escaped($0.utf8) + "@" } ?? "")\(authority)\(target)"
  }

  /// `host:port` as the header Host has it (RFC 9110 section 7.2).
  var authority: String { port.map { "\(host):\($0)" } ?? host }

  /// The address in words for a text that may be none: without what is before an `@`.
  static func subject(of text: String) -> String {
    if let address = try? WebAddress(text) { return address.subject }
    let printable = text.utf8.filter { $0 >= 0x20 && $0 != 0x7F }
    let shown = printable.lastIndex(of: UInt8(ascii: "@")).map { printable[($0 + 1)...] } ?? printable[...]
    return String(decoding: shown.prefix { $0 != UInt8(ascii: "?") }.prefix(200), as: UTF8.self)
  }

  private static func hostAndPort(_ authority: ArraySlice<UInt8>) throws(Problem) -> (String, Int?) {
    var host = authority
    var port: Int?
    let closing = authority.lastIndex(of: UInt8(ascii: "]"))
    if let colon = authority.lastIndex(of: UInt8(ascii: ":")), colon > (closing ?? -1) {
      host = authority[..<colon]
      let digits = authority[(colon + 1)...]
      if !digits.isEmpty {
        guard digits.count <= 5, digits.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(number)
        else { throw Problem(reason: "the port is no number of 1 to 65535") }
        port = number
      }
    }
    guard !host.isEmpty else { throw Problem(reason: "the address names no host") }
    guard host.count <= 255 else { throw Problem(reason: "the host's name is too long") }
    guard host.allSatisfy({ $0 < 0x80 }) else {
      throw Problem(reason: "the host's name has letters beyond ASCII: write it in its xn-- form")
    }
    let isAddress = host.first == UInt8(ascii: "[")
    let isFine = (isAddress ? host.dropFirst().dropLast() : host).allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      case UInt8(ascii: ":"), UInt8(ascii: "%"): isAddress
      default: false
      }
    }
    guard isFine, !isAddress || (host.count > 2 && host.last == UInt8(ascii: "]")) else {
      throw Problem(reason: "the host's name has a character in it that no name has")
    }
    return (String(decoding: host, as: UTF8.self).lowercased(), port)
  }

  private static func target(_ text: ArraySlice<UInt8>) -> String {
    let sent = text.prefix { $0 != UInt8(ascii: "#") }
    let escaped = escaped(sent)
    return sent.first == UInt8(ascii: "/") ? escaped : "/" + escaped
  }

  /// Spaces and what is not ASCII as %XX; what is escaped already stays.
  private static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    let hex = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in bytes {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "<"), byte != UInt8(ascii: ">") {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}

extension WebAddress {
  /// User name and password as a header of RFC 7617 wants them: %-escapes resolved.
  var basicCredentials: [UInt8]? {
    guard let credentials else { return nil }
    let bytes = Array(credentials.utf8)
    var out: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Self.digit(bytes[index + 1]), let low = Self.digit(bytes[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
      } else {
        out.append(bytes[index])
        index += 1
      }
    }
    return out.contains(UInt8(ascii: ":")) ? out : out + [UInt8(ascii: ":")]
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
