internal import CCurl
internal import Glibc
internal import Hardware

/// What libcurl's codes mean, and what to do about them, in the order in which they are met.
struct TransferErrors {
  /// Without user name and password.
  var subject: String
  /// libcurl's own words; only looked at, never shown: they may hold parts of the address.
  var detail: String
  /// errno of connect(2), or 0.
  var systemCode: Int
  /// How far it came.
  var hasName: Bool
  var isConnected: Bool
  /// Whether the server's first line has been understood.
  var hasStatus: Bool
  var usesProxy: Bool
  /// What a proxy answered that was asked to lead on to a server; 0: none was.
  var proxyStatus = 0

  private static let clockHint = "check the date of this machine, and the server's certificate"

  func error(_ code: CURLcode) -> NetworkError {
    if proxyStatus >= 300 {
      let refused = "the proxy does not let us through: check the proxy in the settings"
      return NetworkError(
        .status(proxyStatus), subject: subject, reason: proxyStatus == 407 ? StatusText.reason(407) : refused)
    }
    let (kind, reason) = meaning(code)
    return NetworkError(kind, subject: subject, reason: reason)
  }

  private func meaning(_ code: CURLcode) -> (NetworkError.Kind, String) {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
      if isConnected, !hasStatus { return (.malformed, "what the server answers is not HTTP; check the port") }
      if code == CURLE_URL_MALFORMAT {
        return (.address, "the address, or the one it leads to, is none: names of hosts are in ASCII (xn--…)")
      }
      return (.address, "the address, or the one it leads to, is not one of http or https, or leads from https to http")
    case CURLE_COULDNT_RESOLVE_HOST:
      return (.name, "its name has no address: check the spelling, and the network's name server")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return (.name, "the proxy's name has no address: check the proxy in the settings")
    case CURLE_COULDNT_CONNECT: return (.unreachable, unreachable)
    case CURLE_PROXY: return (.unreachable, "the proxy does not let us through: check the proxy in the settings")
    case CURLE_OPERATION_TIMEDOUT:
      if !hasName { return (.name, "the name server does not answer: check the network") }
      if !isConnected { return (.unreachable, "it does not answer: check the network\(proxyClause)") }
      return (.timeout, "it took too long: the network or the server is slow")
    case CURLE_TOO_MANY_REDIRECTS:
      return (
        .redirects, "it leads to other addresses more than \(HTTPJob.mostRedirects) times in a row; check the address"
      )
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: return (.certificate, certificate)
    case CURLE_SSL_CACERT_BADFILE:
      return (
        .certificate,
        "the file of trusted authorities cannot be read: install ca-certificates, or check it in the settings"
      )
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_CERTPROBLEM,
      CURLE_USE_SSL_FAILED:
      return certificateWords ?? (.security, "no common way to encrypt: is there TLS on this port?")
    case CURLE_FILESIZE_EXCEEDED: return (.tooLarge, "it is larger than anything we take from there")
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      return certificateWords ?? (.interrupted, "the connection ended before everything had come")
    case CURLE_BAD_CONTENT_ENCODING, CURLE_WEIRD_SERVER_REPLY, CURLE_WRITE_ERROR:
      return (.malformed, "what came is not what HTTP says")
    case CURLE_OUT_OF_MEMORY: return (.interrupted, "there is not enough memory for it")
    default: return (.interrupted, "it failed for a reason of libcurl's, number \(code.rawValue)")
    }
  }

  private var proxyClause: String { usesProxy ? ", and the proxy in the settings" : "" }

  private var unreachable: String {
    let what: String =
      switch Int32(systemCode) {
      case ECONNREFUSED: "nothing listens there: check the port, and whether the server runs"
      case ENETUNREACH, ENETDOWN: "there is no network: check the cable or the wireless link"
      case EHOSTUNREACH: "nobody has that address: check it, and whether the server is up"
      default: "no connection: check the network"
      }
    return what + proxyClause
  }

  private var certificate: String {
    certificateWords?.1
      ?? "its certificate comes from nobody we trust: name your authority's file in the settings, if it is one of your own"
  }

  /// What libcurl's words of OpenSSL and mbedTLS say of a certificate.
  private var certificateWords: (NetworkError.Kind, String)? {
    if says("expired") { return (.certificate, "its certificate has expired: \(Self.clockHint)") }
    if says("not yet valid") || says("in the future") {
      return (.certificate, "its certificate is not valid yet: \(Self.clockHint)")
    }
    if says("subject name") || says("not match") {
      return (.certificate, "its certificate is another server's: check the name in the address")
    }
    if says("revoked") { return (.certificate, "its certificate was revoked: do not trust it") }
    return nil
  }

  /// Searched byte by byte: Swift's search of strings brings a megabyte with it.
  private func says(_ words: String) -> Bool {
    let text = Array(detail.utf8), wanted = Array(words.utf8)
    guard text.count >= wanted.count else { return false }
    return (0...text.count - wanted.count).contains { start in
      wanted.indices.allSatisfy { text[start + $0] | 0x20 == wanted[$0] | 0x20 }
    }
  }
}
