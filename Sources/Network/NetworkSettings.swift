internal import Glibc

/// How the network is reached.
public struct NetworkSettings: Hashable, Sendable {
  /// `http://[user:password@]host:port` or `socks5://…`, or none. The environment's variables are not looked at.
  public var proxy: String?
  /// PEM file of the authorities whose certificates are trusted; `nil`: the system's.
  public var authorities: String?
  /// Connections at the same time; more wait.
  public var connections: Int

  /// Where Debian's ca-certificates puts all authorities.
  public static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

  public init(proxy: String? = nil, authorities: String? = nil, connections: Int = 6) {
    self.proxy = proxy
    self.authorities = authorities
    self.connections = connections
  }

  /// The file that is to be used; `nil`: there is none.
  var authoritiesFile: String? {
    guard let authorities else { return access(Self.systemAuthorities, R_OK) == 0 ? Self.systemAuthorities : nil }
    var status = stat()
    // Whoever opens a pipe waits, and with it all that is under way: it is told as a file with no authority in it.
    let isPipe = stat(authorities, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    return isPipe ? "/dev/null" : authorities
  }
}
