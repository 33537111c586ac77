internal import CSodium

/// The two keys of a sealed file: that of what is final, as age has it, and that of drafts, which are there only while the file
/// grows. No nonce is ever used twice with one of them. Any thread.
final class SealKeys: Sendable {
  static let tagBytes = 16
  /// Text in a chunk, and what it takes in the file.
  static let chunkBytes = 64 << 10
  static let slotBytes = chunkBytes + tagBytes

  private let payload: Secret
  private let draft: Secret

  init(_ fileKey: Secret, nonce: [UInt8]) {
    payload = fileKey.derived(salt: nonce, info: "payload")
    draft = fileKey.derived(salt: nonce, info: "mynah/draft")
  }

  /// What is sealed by a key, and so its nonce.
  enum Place: Hashable {
    /// A chunk of the finished file.
    case chunk(Int, isLast: Bool)
    /// The first chunk as it is when it is whole; later changes of it are in the log.
    case draftOfFirst
    /// A record of the log; numbers are given once.
    case record(UInt64)

    fileprivate var isFinal: Bool { if case .chunk = self { true } else { false } }

    fileprivate var nonce: [UInt8] {
      switch self {
      case .chunk(let index, let isLast):
        [0, 0, 0] + SealKeys.big64(UInt64(index)) + [isLast ? 1 : 0]
      case .draftOfFirst: [UInt8](repeating: 0xFF, count: 12)
      case .record(let number): [0, 0, 0, 1] + SealKeys.big64(number)
      }
    }
  }

  /// - Parameter head: in the clear, and vouched for.
  func seal(_ text: UnsafeRawBufferPointer, _ place: Place, head: [UInt8] = []) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: text.count + Self.tagBytes) { buffer, count in
      guard let target = buffer.baseAddress else { return }
      crypto_aead_chacha20poly1305_ietf_encrypt(
        target, nil, text.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(text.count), head,
        UInt64(head.count), nil, place.nonce, (place.isFinal ? payload : draft).bytes)
      count = text.count + Self.tagBytes
    }
  }

  /// - Returns: nil if it was not sealed so.
  func open(_ sealed: ArraySlice<UInt8>, _ place: Place, head: [UInt8] = []) -> [UInt8]? {
    guard sealed.count >= Self.tagBytes else { return nil }
    var status: Int32 = -1
    let text = [UInt8](unsafeUninitializedCapacity: sealed.count) { buffer, count in
      sealed.withUnsafeBufferPointer { bytes in
        guard let target = buffer.baseAddress, let source = bytes.baseAddress else { return }
        status = crypto_aead_chacha20poly1305_ietf_decrypt(
          target, nil, nil, source, UInt64(bytes.count), head, UInt64(head.count), place.nonce,
          (place.isFinal ? payload : draft).bytes)
      }
      count = status == 0 ? sealed.count - Self.tagBytes : 0
    }
    return status == 0 ? text : nil
  }

  static func big64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
}
