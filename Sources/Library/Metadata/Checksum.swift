/// Small hashes for identity and for noticing damage; not against an adversary.
enum Checksum {
  /// FNV-1a, 64 bits.
  static func fnv64(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }

  /// FNV-1a of 64 bits folded to 32.
  static func fnv32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    let hash = fnv64(bytes)
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }

  static func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
