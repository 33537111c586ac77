internal import Hardware
internal import Synchronization

/// The way to other machines, made anew when proxy or authorities are set differently: what is under way ends on the
/// old one, what is asked for from then on takes the new one. Any thread.
final class SwitchedNetwork: Network {
  private struct Inner {
    var network: any Network
    var proxy: String
    var authorities: String
    /// Links that had come up on those before.
    var linkUpsBefore = 0
  }

  private let open: @Sendable (_ proxy: String, _ authorities: String) -> any Network
  private let inner: Mutex<Inner>

  init(
    proxy: String, authorities: String,
    open: @escaping @Sendable (_ proxy: String, _ authorities: String) -> any Network
  ) {
    self.open = open
    inner = Mutex(Inner(network: open(proxy, authorities), proxy: proxy, authorities: authorities))
  }

  /// Goes through this proxy, and trusts these authorities, from now on.
  func configure(proxy: String, authorities: String) {
    inner.withLock {
      guard $0.proxy != proxy || $0.authorities != authorities else { return }
      // Another way is a reason to try at once.
      let ups = $0.linkUpsBefore + $0.network.linkUps + 1
      $0 = Inner(network: open(proxy, authorities), proxy: proxy, authorities: authorities, linkUpsBefore: ups)
    }
  }

  private var current: any Network { inner.withLock { $0.network } }

  func fetch(_ request: HTTPRequest, wake: @escaping @Sendable () -> Void) -> any HTTPTransfer {
    current.fetch(request, wake: wake)
  }

  func connect(_ request: WebSocketRequest, wake: @escaping @Sendable () -> Void) -> any WebSocketConnection {
    current.connect(request, wake: wake)
  }

  var linkUps: Int { inner.withLock { $0.linkUpsBefore + $0.network.linkUps } }
}
