internal import JSON

/// One record of a proof as it is in its file: a JSON object on one line, a tab, the signature in hexadecimal digits.
struct ProofLine {
  /// What every signature begins with, so that it counts for nothing else.
  private static let context = Array("mynah-proof-1\n".utf8)
  /// Longest line; a record of a second with every mark that fits is shorter.
  static let mostBytes = 256 << 10
  static let most = 1 << 20
  private static let tab = UInt8(ascii: "\t")
  static let end = UInt8(ascii: "\n")

  let record: JSONValue
  /// The line without its end.
  let bytes: [UInt8]
  private let payload: [UInt8]
  private let signature: [UInt8]

  /// What the next record names as the one before it.
  var hash: [UInt8] { Digest.of(bytes) }

  init(_ record: JSONValue, signedBy key: DeviceKey) {
    self.record = record
    payload = record.bytes
    signature = key.sign(Self.context + payload)
    bytes = payload + [Self.tab] + Hex.utf8(signature)
  }

  /// - Returns: nil if these bytes are none.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes, let tab = bytes.lastIndex(of: Self.tab),
      let signature = Hex.bytes(bytes[(tab + 1)...], count: PublicKey.signatureBytes),
      let record = try? JSONValue(
        parsing: Array(bytes[..<tab]), limits: JSONLimits(bytes: Self.mostBytes, depth: 8, values: 20_000)),
      case .object = record
    else { return nil }
    (self.record, self.bytes, self.signature, payload) = (record, bytes, signature, Array(bytes[..<tab]))
  }

  func isSigned(by key: PublicKey) -> Bool { key.verifies(signature, of: Self.context + payload) }
}
