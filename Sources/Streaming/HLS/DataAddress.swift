internal import Hardware

/// Addresses that hold what they lead to (RFC 2397): keys, mostly.
enum DataAddress {
  /// What a request brings: from the network, or out of its own address.
  static func fetch(
    _ request: HTTPRequest, _ network: any Network, wake: @escaping @Sendable () -> Void
  ) -> any HTTPTransfer {
    guard request.url.prefix(5).lowercased() == "data:" else { return network.fetch(request, wake: wake) }
    guard let bytes = bytes(of: request.url), bytes.count <= request.largest else {
      return Held(.failed(NetworkError(.address, subject: "data:", reason: "what it holds cannot be read")))
    }
    let range = request.range?.clamped(to: 0..<bytes.count) ?? 0..<bytes.count
    return Held(
      .finished(
        HTTPResponse(
          status: 200, url: request.url, body: Array(bytes[range]), requested: .zero, firstByte: .zero, finished: .zero)
      ))
  }

  /// `nil` if it is not written as it must be.
  static func bytes(of address: String) -> [UInt8]? {
    let content = Array(address.utf8.dropFirst(5))
    guard let comma = content.firstIndex(of: 0x2C) else { return nil }
    let head = String(decoding: content[..<comma], as: UTF8.self).lowercased()
    guard let plain = unescaped(content[(comma + 1)...]) else { return nil }
    return head.hasSuffix(";base64") ? base64(plain) : plain
  }

  /// With its `%` escapes resolved (RFC 3986 section 2.1); `nil` if one of them is none.
  static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// RFC 4648 sections 4 and 5.
  private static func base64(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var held: UInt32 = 0
    var bits = 0
    for byte in text where byte != 0x3D && byte > 0x20 {
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case 0x2B, 0x2D: value = 62
      case 0x2F, 0x5F: value = 63
      default: return nil
      }
      held = held << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    return bytes
  }

  private final class Held: HTTPTransfer {
    let progress: HTTPProgress
    init(_ progress: HTTPProgress) { self.progress = progress }
    var nextChange: Instant? { nil }
    func cancel() {}
  }
}
