import Hardware
import Network

/// The way from this machine to others.
enum HostNetwork {
  /// Through a proxy, and with authorities of the user's own, or empty texts.
  static func open(proxy: String, authorities: String) -> any Hardware.Network {
    CurlNetwork(
      NetworkSettings(
        proxy: proxy.isEmpty ? nil : proxy, authorities: authorities.isEmpty ? nil : authorities))
  }
}
