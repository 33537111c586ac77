internal import CSodium

/// SHA-256 (FIPS 180-4), a piece at a time. One thread.
struct Digest {
  static let bytes = 32

  private var state = crypto_hash_sha256_state()

  /// - Parameter first: what comes before everything that is added.
  init(_ first: [UInt8] = []) {
    crypto_hash_sha256_init(&state)
    add(first)
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    crypto_hash_sha256_update(&state, base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
  }

  mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  /// The sum of all that was added.
  func sum() -> [UInt8] {
    var copy = state
    var result = [UInt8](repeating: 0, count: Self.bytes)
    crypto_hash_sha256_final(&copy, &result)
    return result
  }

  static func of(_ bytes: [UInt8]) -> [UInt8] { Digest(bytes).sum() }
}

/// BLAKE2b of 32 bytes (RFC 7693), a piece at a time: for media, at a fifth of what SHA-256 costs where no instruction helps it.
/// One thread.
final class MediaDigest {
  /// Of the library's own layout, at an address that it asks for.
  private let state: UnsafeMutableRawPointer
  private static let alignment = 64

  init() {
    state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: Self.alignment)
    crypto_generichash_init(OpaquePointer(state), nil, 0, Digest.bytes)
  }

  deinit { state.deallocate() }

  func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    crypto_generichash_update(OpaquePointer(state), base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
  }

  /// The sum of all that was added.
  func sum() -> [UInt8] {
    let count = crypto_generichash_statebytes()
    let copy = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: Self.alignment)
    defer { copy.deallocate() }
    copy.copyMemory(from: state, byteCount: count)
    var result = [UInt8](repeating: 0, count: Digest.bytes)
    crypto_generichash_final(OpaquePointer(copy), &result, Digest.bytes)
    return result
  }
}

/// Bytes as hexadecimal digits, small letters.
enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: [UInt8]) -> String { String(decoding: utf8(bytes), as: UTF8.self) }

  static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
    return result
  }

  /// - Returns: nil if it is anything but two small digits for each of `count` bytes.
  static func bytes(_ text: some Sequence<UInt8>, count: Int) -> [UInt8]? {
    var result: [UInt8] = []
    var high: UInt8?
    for digit in text {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x61...0x66: value = digit - 0x57
      default: return nil
      }
      if let first = high {
        guard result.count < count else { return nil }
        result.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil && result.count == count ? result : nil
  }
}
