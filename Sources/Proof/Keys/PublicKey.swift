internal import CSodium

/// The key by which anybody checks what a device has signed (Ed25519, RFC 8032). A value; any thread.
public struct PublicKey: Hashable, Sendable {
  static let bytes = 32
  static let signatureBytes = 64
  /// How many words stand for a key: 82 bits.
  private static let wordCount = 8

  let bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.bytes else { return nil }
    self.bytes = bytes
  }

  /// - Parameter text: 64 hexadecimal digits, small or large.
  public init?(_ text: String) {
    guard let bytes = Hex.bytes(text.lowercased().utf8, count: Self.bytes) else { return nil }
    self.bytes = bytes
  }

  /// 64 hexadecimal digits.
  public var text: String { Hex.text(bytes) }

  /// Eight words that people compare, from the key's SHA-256: two bytes each choose one of 1296.
  public var words: [String] {
    let sum = Digest.of(bytes)
    return (0..<Self.wordCount).map { place in
      String(WordList.words[(Int(sum[2 * place]) << 8 | Int(sum[2 * place + 1])) % WordList.words.count])
    }
  }

  /// Whether this key's owner has signed `message`.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureBytes else { return false }
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}
