/// Bech32 (BIP 173), without its limit of length: how keys are written for people.
enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
  private static let sumDigits = 6

  /// The bytes of a text with this prefix (small letters); nil if anything is wrong with it. Letters are all small or all
  /// capital.
  static func decode(_ text: String, prefix: String) -> [UInt8]? {
    guard text.utf8.count <= 200, text == text.lowercased() || text == text.uppercased() else { return nil }
    let letters = Array(text.lowercased().utf8)
    let head = Array(prefix.utf8)
    guard letters.starts(with: head + [UInt8(ascii: "1")]) else { return nil }
    var digits: [UInt8] = []
    for letter in letters.dropFirst(head.count + 1) {
      guard let digit = alphabet.firstIndex(of: letter) else { return nil }
      digits.append(UInt8(digit))
    }
    guard digits.count >= sumDigits, sum(expanded(head) + digits) == 1 else { return nil }
    return bytes(of: digits.dropLast(sumDigits))
  }

  private static func expanded(_ head: [UInt8]) -> [UInt8] { head.map { $0 >> 5 } + [0] + head.map { $0 & 31 } }

  private static func sum(_ digits: [UInt8]) -> UInt32 {
    var sum: UInt32 = 1
    for digit in digits {
      let top = sum >> 25
      sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(digit)
      for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { sum ^= generator[bit] }
    }
    return sum
  }

  private static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8]? {
    var (value, bits): (UInt32, UInt32) = (0, 0)
    var result: [UInt8] = []
    for digit in digits {
      (value, bits) = ((value << 5 | UInt32(digit)) & 0xfff, bits + 5)
      guard bits >= 8 else { continue }
      bits -= 8
      result.append(UInt8(truncatingIfNeeded: value >> bits))
    }
    // What is left of the last digit is padding: less than a digit, and zeros.
    return bits < 5 && value & (1 << bits - 1) == 0 ? result : nil
  }
}
