internal import CSodium
internal import Hardware

/// The head of an age file (age-encryption.org/v1): for whom it is, and what its key is wrapped in.
enum AgeHead {
  static let fileKeyBytes = 16
  static let nonceBytes = 16
  /// What a reader takes of one; ours are some hundred bytes.
  static let mostBytes = 64 << 10

  private static let version = "age-encryption.org/v1"
  private static let wrapInfo = "age-encryption.org/v1/X25519"
  private static let wrapNonce = [UInt8](repeating: 0, count: 12)
  private static let tagBytes = 16

  /// A head as it was read.
  struct Reading {
    /// One recipient's part of it.
    struct Stanza {
      var words: [String]
      var body: [UInt8]
    }

    var stanzas: [Stanza]
    /// What the sum at its end is of, and the sum.
    var summed: [UInt8]
    var mac: [UInt8]
    /// Bytes of all of it.
    var count: Int
  }

  // MARK: Writing

  static func bytes(_ fileKey: Secret, for recipients: [AgeRecipient]) -> [UInt8] {
    var text = "\(version)\n"
    for recipient in recipients {
      let ephemeral = AgeIdentity(.random(AgeRecipient.bytes))
      let share = ephemeral.publicKey
      // Recipients with which there is no shared secret are refused where they are read.
      guard let shared = ephemeral.shared(with: recipient.key) else { continue }
      let wrap = shared.derived(salt: share + recipient.key, info: wrapInfo)
      var body = [UInt8](repeating: 0, count: fileKeyBytes + tagBytes)
      crypto_aead_chacha20poly1305_ietf_encrypt(
        &body, nil, fileKey.bytes, UInt64(fileKeyBytes), nil, 0, nil, wrapNonce, wrap.bytes)
      text += "-> X25519 \(unpadded(share))\n\(unpadded(body))\n"
    }
    text += "---"
    let mac = fileKey.derived(salt: [], info: "header").mac(of: Array(text.utf8))
    return Array("\(text) \(unpadded(mac))\n".utf8)
  }

  // MARK: Reading

  /// - Parameter bytes: the beginning of a file.
  /// - Returns: nil if it is no head of this version.
  static func read(_ bytes: [UInt8]) -> Reading? {
    var lines = Lines(bytes: bytes)
    guard lines.next() == version else { return nil }
    var stanzas: [Reading.Stanza] = []
    while let line = lines.next() {
      if line.hasPrefix("--- ") {
        guard let mac = decoded(line.dropFirst(4)), mac.count == 32, !stanzas.isEmpty else { return nil }
        let start = lines.place - line.utf8.count - 1
        return Reading(stanzas: stanzas, summed: Array(bytes[..<(start + 3)]), mac: mac, count: lines.place)
      }
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count >= 2, words[0] == "->", !words.contains("") else { return nil }
      var body: [UInt8] = []
      while true {
        guard let part = lines.next(), part.utf8.count <= 64, let piece = decoded(part[...]) else { return nil }
        body += piece
        if part.utf8.count < 64 { break }
      }
      stanzas.append(Reading.Stanza(words: Array(words.dropFirst()), body: body))
    }
    return nil
  }

  /// The file's key, if one of these can unwrap it.
  static func fileKey(of head: Reading, _ identities: [AgeIdentity]) -> Secret? {
    for stanza in head.stanzas where stanza.words.first == "X25519" && stanza.words.count == 2 {
      guard let share = decoded(stanza.words[1][...]), share.count == AgeRecipient.bytes,
        stanza.body.count == fileKeyBytes + tagBytes
      else { continue }
      for identity in identities {
        guard let shared = identity.shared(with: share) else { continue }
        let wrap = shared.derived(salt: share + identity.publicKey, info: wrapInfo)
        var status: Int32 = -1
        let key = Secret(fileKeyBytes) {
          status = crypto_aead_chacha20poly1305_ietf_decrypt(
            $0, nil, nil, stanza.body, UInt64(stanza.body.count), nil, 0, wrapNonce, wrap.bytes)
        }
        if status == 0 { return key }
      }
    }
    return nil
  }

  /// Whether the sum of a head is that of this key.
  static func isGenuine(_ head: Reading, _ fileKey: Secret) -> Bool {
    let mac = fileKey.derived(salt: [], info: "header").mac(of: head.summed)
    return crypto_verify_32(mac, head.mac) == 0
  }

  private struct Lines {
    let bytes: [UInt8]
    var place = 0

    /// The next line; nil at the end, or if it is not ASCII that can be seen.
    mutating func next() -> String? {
      guard let end = bytes[place...].firstIndex(of: 0x0A) else { return nil }
      let line = bytes[place..<end]
      guard line.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
      place = end + 1
      return String(decoding: line, as: UTF8.self)
    }
  }

  private static func unpadded(_ bytes: [UInt8]) -> String {
    String(Base64.encode(bytes).prefix { $0 != "=" })
  }

  /// Only what this program would write itself, so that nothing is read in two ways.
  private static func decoded(_ text: Substring) -> [UInt8]? {
    let bytes = Base64.decode(String(text))
    return unpadded(bytes) == text ? bytes : nil
  }
}
