/// Why a transfer or a connection failed.
public struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The name has no address, or no name server answers. Retried.
    case name
    /// No connection: refused, unreachable, timed out while connecting. Retried.
    case unreachable
    /// The certificate is not to be trusted: unknown authority, expired, another name. Not retried: it needs a person.
    case certificate
    /// TLS failed otherwise. Retried.
    case security
    /// The server answered with this status. 4xx is not retried but 408 and 429; 5xx is.
    case status(Int)
    /// More bytes than allowed.
    case tooLarge
    /// Too many redirects. Not retried.
    case redirects
    /// Nothing came for too long, or the whole took too long. Retried.
    case timeout
    /// The connection ended in the middle. Retried.
    case interrupted
    /// What came is not what the protocol says. Retried.
    case malformed
    /// The address is none that can be used. Not retried.
    case address
  }

  public var kind: Kind
  /// What was being reached, without user name and password: `https://host/live.m3u8`.
  public var subject: String
  /// What happened, in words.
  public var reason: String

  public init(_ kind: Kind, subject: String, reason: String) {
    self.kind = kind
    self.subject = subject
    self.reason = reason
  }

  /// Whether trying again later has a chance.
  public var isWorthRetrying: Bool {
    switch kind {
    case .certificate, .redirects, .address, .tooLarge: false
    case .status(let code): code == 408 || code == 429 || code >= 500
    case .name, .unreachable, .security, .timeout, .interrupted, .malformed: true
    }
  }

  public var description: String { "\(subject): \(reason)" }
}
