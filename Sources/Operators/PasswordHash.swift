internal import CSodium

/// Passwords as they are kept: Argon2id of libsodium, in one text that names its own cost. Any thread, but slow by intent:
/// not for the control loop.
public enum PasswordHash {
  /// What a guess costs: 8 MiB of memory, gone over eight times; some half a second of a small board's core.
  public static let memoryBytes = 8 << 20
  static let passes = 8
  /// Bytes of a password.
  public static let lengths = 8...128
  /// A file that asks for more than this is not ours: no login is to cost a board its memory.
  private static let mostMemoryKiB = 32 * 1024
  private static let mostPasses = 64

  private static let isReady = sodium_init() >= 0

  /// A new password as it is to be kept.
  ///
  /// - Returns: nil if there is no memory for it.
  public static func make(_ password: String) -> String? {
    guard isReady else { return nil }
    var text = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    let result = crypto_pwhash_str_alg(
      &text, bytes, UInt64(bytes.count), UInt64(passes), memoryBytes, crypto_pwhash_alg_argon2id13())
    guard result == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether this is the password that was kept so. Takes as long whether it is or not.
  public static func matches(_ password: String, _ kept: String) -> Bool {
    guard isReady, isUsable(kept) else { return false }
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    return crypto_pwhash_str_verify(kept, bytes, UInt64(bytes.count)) == 0
  }

  /// A hash that no password has, which costs as much: for names that there are not.
  public static let ofNobody =
    "$argon2id$v=19$m=8192,t=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

  /// Whether a kept text has the form, and asks for no more than a board has.
  public static func isUsable(_ kept: String) -> Bool {
    let parts = kept.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    guard kept.utf8.count < 128, parts.count == 6, parts[0].isEmpty, parts[1].elementsEqual("argon2id".utf8),
      parts[2].elementsEqual("v=19".utf8), isBase64(parts[4], bytes: 16), isBase64(parts[5], bytes: 32)
    else { return false }
    let costs = parts[3].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard costs.count == 3, let memory = number(costs[0], "m="), let times = number(costs[1], "t="),
      number(costs[2], "p=") == 1
    else { return false }
    return (8...mostMemoryKiB).contains(memory) && (1...mostPasses).contains(times)
  }

  /// A number of at most six digits behind its name.
  private static func number(_ text: Substring.UTF8View, _ name: String) -> Int? {
    guard text.starts(with: name.utf8) else { return nil }
    let digits = text.dropFirst(name.utf8.count)
    guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(String(digits) ?? "")
  }

  private static func isBase64(_ text: Substring.UTF8View, bytes: Int) -> Bool {
    let isOfAlphabet = text.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
      default: false
      }
    }
    return isOfAlphabet && text.count == (bytes * 8 + 5) / 6
  }
}
