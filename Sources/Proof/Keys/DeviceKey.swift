internal import CSodium
public import Hardware

/// The key with which a device signs. It never leaves the file that it is kept in. A value; any thread.
public struct DeviceKey: Sendable {
  /// In the data directory; only the device's own user can read it.
  public static let path = "device-key"
  private static let head = "mynah device key 1\n"
  private static let seedBytes = 32

  public let publicKey: PublicKey
  private let secret: [UInt8]

  /// - Parameter seed: 32 secret bytes; of another length nothing comes.
  public init?(seed: [UInt8]) {
    var publicBytes = [UInt8](repeating: 0, count: PublicKey.bytes)
    var secret = [UInt8](repeating: 0, count: PublicKey.signatureBytes)
    guard seed.count == Self.seedBytes, sodium_init() >= 0,
      crypto_sign_seed_keypair(&publicBytes, &secret, seed) == 0, let key = PublicKey(publicBytes)
    else { return nil }
    publicKey = key
    self.secret = secret
  }

  func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: PublicKey.signatureBytes)
    crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
    return signature
  }

  /// Bytes that nobody can guess.
  static func random(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    _ = sodium_init()
    randombytes_buf(&bytes, count)
    return bytes
  }

  /// The device's key: read, or made and kept if there is none. Storage lane only; after a stall call again.
  ///
  /// - Throws: also when there is one that cannot be read: another one would make the device a stranger to its own takes.
  public static func load(from storage: any Storage) throws(StorageError) -> DeviceKey {
    do throws(StorageError) {
      let bytes = try storage.read(path, limit: 4096)
      guard bytes.starts(with: head.utf8),
        let seed = Hex.bytes(bytes.dropFirst(head.utf8.count).prefix { $0 != 0x0A }, count: seedBytes),
        let key = DeviceKey(seed: seed)
      else {
        throw StorageError(
          .failed,
          operation: "be read: it is no device key; put it back, or remove this one and another is made",
          path: path)
      }
      return key
    } catch {
      guard error.kind == .notFound else { throw error }
      let seed = random(seedBytes)
      try storage.replace(path, with: Array(head.utf8) + Hex.utf8(seed) + [0x0A], isSecret: true)
      guard let key = DeviceKey(seed: seed) else {
        throw StorageError(.failed, operation: "make a key", path: path)
      }
      return key
    }
  }
}
