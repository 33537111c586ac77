internal import CSodium

/// Whom recordings are sealed to: the public half of an X25519 key, as `age-keygen` prints it (`age1…`). A value; any thread.
public struct AgeRecipient: Hashable, Sendable {
  static let bytes = 32
  /// More would have a head of more than a sector or two.
  public static let most = 8

  let key: [UInt8]
  /// As it was written.
  public let text: String

  /// - Returns: nil if it is no such key, or one with which nothing is secret (a point of low order).
  public init?(_ text: String) {
    guard sodium_init() >= 0, let key = Bech32.decode(text, prefix: "age"), key.count == Self.bytes else { return nil }
    self.key = key
    self.text = text
    guard AgeIdentity(.copy([UInt8](repeating: 8, count: Self.bytes))).shared(with: key) != nil else { return nil }
  }

  /// Recipients one after the other, with commas between them; blanks do not count.
  ///
  /// - Returns: nil if any of them is none, or there are too many; an empty text has none.
  public static func list(_ text: String) -> [AgeRecipient]? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    if words.allSatisfy(\.isEmpty), words.count <= 1 { return [] }
    guard words.count <= most else { return nil }
    var recipients: [AgeRecipient] = []
    for word in words {
      guard let recipient = AgeRecipient(word) else { return nil }
      if !recipients.contains(where: { $0.key == recipient.key }) { recipients.append(recipient) }
    }
    return recipients
  }
}

/// The secret half, `AGE-SECRET-KEY-1…`. Any thread.
public struct AgeIdentity: Sendable {
  private let secret: Secret

  init(_ secret: Secret) { self.secret = secret }

  /// - Returns: nil if it is none.
  public init?(_ text: String) {
    guard let key = Bech32.decode(text, prefix: "age-secret-key-"), key.count == AgeRecipient.bytes, sodium_init() >= 0
    else { return nil }
    secret = .copy(key)
  }

  /// All that are in a file of `age-keygen`: one a line, behind `#` is anything.
  ///
  /// - Returns: nil if there is another line, or no key.
  public static func list(_ file: String) -> [AgeIdentity]? {
    var identities: [AgeIdentity] = []
    for line in file.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }) {
      let word = line.drop { $0 == " " || $0 == "\t" }
      if word.isEmpty || word.first == "#" { continue }
      guard let identity = AgeIdentity(String(word)) else { return nil }
      identities.append(identity)
    }
    return identities.isEmpty ? nil : identities
  }

  var publicKey: [UInt8] {
    var key = [UInt8](repeating: 0, count: AgeRecipient.bytes)
    crypto_scalarmult_base(&key, secret.bytes)
    return key
  }

  /// The secret shared with a public key; nil with one of low order.
  func shared(with key: [UInt8]) -> Secret? {
    var status: Int32 = -1
    let shared = Secret(AgeRecipient.bytes) { status = crypto_scalarmult($0, secret.bytes, key) }
    return status == 0 ? shared : nil
  }
}
