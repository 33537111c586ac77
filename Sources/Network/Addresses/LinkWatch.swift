internal import CLinux
internal import Glibc

/// Watches for links that come up or get an address (rtnetlink(7)). The engine's thread only.
final class LinkWatch {
  let descriptor: Int32
  private var running: [Int32: Bool] = [:]
  private var addresses: Set<[UInt8]> = []
  /// The kernel lists the present links first; they do not count as changes.
  private var hasList = false

  /// `nil` where the kernel has no such sockets: then nothing is ever heard.
  init?() {
    descriptor = mynah_open_links()
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Takes what the kernel has told since, without waiting.
  ///
  /// - Returns: how often a link came up, or got a new address.
  func read() -> Int {
    var ups = 0
    var links = [mynah_link](repeating: mynah_link(), count: 64)
    // As many as a machine with very many links has; the rest comes with the next call.
    for _ in 0..<64 {
      let count = mynah_read_links(descriptor, &links, Int32(links.count))
      // Messages were lost, perhaps one about a link that came up.
      if count == -ENOBUFS { ups += 1 }
      guard count >= 0 else { return ups }
      for link in links.prefix(Int(count)) { ups += take(link) }
    }
    return ups
  }

  private func take(_ link: mynah_link) -> Int {
    switch link.kind {
    case mynah_link_listed: hasList = true
    case mynah_link_state:
      let was = running.updateValue(link.is_running != 0, forKey: link.index)
      if hasList, link.is_running != 0, was != true { return 1 }
      if link.is_running == 0 { addresses = addresses.filter { $0.first.map(Int32.init) != link.index & 0xFF } }
    case mynah_link_address:
      let key = [UInt8(truncatingIfNeeded: link.index)] + withUnsafeBytes(of: link.address) { Array($0) }
      // Known ones are told again whenever they are renewed.
      if addresses.count < 256, addresses.insert(key).inserted { return 1 }
    default: break
    }
    return 0
  }
}
