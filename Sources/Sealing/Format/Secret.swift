internal import CSodium

/// Secret bytes; overwritten when nobody holds them any more. Any thread.
final class Secret: @unchecked Sendable {
  let bytes: UnsafeMutablePointer<UInt8>
  let count: Int

  /// - Parameter fill: writes all of them.
  init(_ count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    self.count = count
    bytes = .allocate(capacity: count)
    bytes.initialize(repeating: 0, count: count)
    fill(bytes)
  }

  deinit {
    sodium_memzero(bytes, count)
    bytes.deallocate()
  }

  /// Bytes that nobody can guess.
  static func random(_ count: Int) -> Secret {
    _ = sodium_init()
    return Secret(count) { randombytes_buf($0, count) }
  }

  static func copy(_ source: [UInt8]) -> Secret {
    Secret(source.count) { $0.update(from: source, count: source.count) }
  }

  /// 32 bytes by HKDF with SHA-256 (RFC 5869).
  func derived(salt: [UInt8], info: String) -> Secret {
    let extracted = Secret(32) { out in
      var state = crypto_auth_hmacsha256_state()
      // Without a salt the key is as many zeros as the digest has bytes.
      let salt = salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt
      crypto_auth_hmacsha256_init(&state, salt, salt.count)
      crypto_auth_hmacsha256_update(&state, bytes, UInt64(count))
      crypto_auth_hmacsha256_final(&state, out)
    }
    return Secret(32) { out in
      let block = Array(info.utf8) + [1]
      crypto_auth_hmacsha256(out, block, UInt64(block.count), extracted.bytes)
    }
  }

  /// HMAC-SHA-256 of a text by this key of 32 bytes.
  func mac(of text: [UInt8]) -> [UInt8] {
    var sum = [UInt8](repeating: 0, count: 32)
    crypto_auth_hmacsha256(&sum, text, UInt64(text.count), bytes)
    return sum
  }
}
