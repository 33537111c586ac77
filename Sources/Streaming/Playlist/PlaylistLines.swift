/// The lines of a playlist (RFC 8216 section 4.1), one after the other, without copying. They end with CR, LF or NUL,
/// as other players have it; blanks around them do not count.
struct PlaylistLines {
  let subject: String
  private let bytes: [UInt8]
  private let limits: PlaylistLimits
  private var place = 0
  /// Number of the line that `next` returned last, from 1.
  private(set) var number = 0

  /// - Throws: if it is too large, or no playlist.
  init(_ bytes: [UInt8], subject: String, limits: PlaylistLimits) throws(PlaylistError) {
    guard bytes.count <= limits.bytes else {
      throw PlaylistError(
        .tooLarge, subject: subject, line: 0,
        reason: "a playlist of \(bytes.count) bytes; at most \(limits.bytes) are read")
    }
    self.bytes = bytes
    self.subject = subject
    self.limits = limits
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    // Some lists have attributes behind the word.
    guard Self.isHeader(next()) else {
      throw PlaylistError(
        .notPlaylist, subject: subject, line: 1, reason: "no playlist: it does not begin with #EXTM3U")
    }
  }

  private static func isHeader(_ line: ArraySlice<UInt8>?) -> Bool {
    guard let line else { return false }
    // Capitals differ in one bit.
    return line.prefix(7).map { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 } == Array("#EXTM3U".utf8)
  }

  /// The next line that is not blank, without its end; `nil` after the last.
  mutating func next() -> ArraySlice<UInt8>? {
    while place < bytes.count {
      var start = place
      var end = start
      while end < bytes.count, !Self.endsLine(bytes[end]) { end += 1 }
      place = end + 1
      if end < bytes.count, bytes[end] == 0x0D, place < bytes.count, bytes[place] == 0x0A { place += 1 }
      number += 1
      while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
      while end > start, Self.isBlank(bytes[start]) { start += 1 }
      if end > start { return bytes[start..<end] }
    }
    return nil
  }

  private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  func error(_ kind: PlaylistError.Kind, _ reason: String) -> PlaylistError {
    PlaylistError(kind, subject: subject, line: number, reason: reason)
  }

  /// A tag's name and what stands behind its colon; `nil` for addresses and comments.
  static func tag(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
    guard line.starts(with: "#EXT".utf8) else { return nil }
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    let name = line[line.startIndex + 1..<colon]
    // Longer words are nobody's tag.
    guard name.count <= 64 else { return nil }
    return (String(decoding: name, as: UTF8.self), line[min(colon + 1, line.endIndex)...])
  }

  static func isAddress(_ line: ArraySlice<UInt8>) -> Bool { line.first != 0x23 }

  /// An address with its variables put in; `nil` if it cannot be one, which is remarked.
  func address(
    _ line: ArraySlice<UInt8>, _ variables: PlaylistVariables, _ remarks: inout PlaylistRemarks
  ) -> String? {
    guard !isTooLong(line, &remarks) else { return nil }
    guard !line.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      remarks.add(number, "an address with control characters in it; left out")
      return nil
    }
    return variables.expand(Self.text(line), &remarks)
  }

  /// A line that has an address in it. Bytes of some older encoding are escaped: the server knows them as they are.
  static func text(_ line: ArraySlice<UInt8>) -> String {
    if let text = String(validating: line, as: UTF8.self) { return text }
    let hex = Array("0123456789ABCDEF".utf8)
    var escaped: [UInt8] = []
    for byte in line { escaped += byte < 0x80 ? [byte] : [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]] }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// Whether a line is longer than any that is read, which is remarked.
  func isTooLong(_ line: ArraySlice<UInt8>, _ remarks: inout PlaylistRemarks) -> Bool {
    guard line.count > limits.lineBytes else { return false }
    remarks.add(number, "\(line.count) bytes long; at most \(limits.lineBytes) are read")
    return true
  }
}

/// Numbers as playlists write them (RFC 8216 section 4.2). Pure.
enum PlaylistNumbers {
  /// Sizes and places of bytes: 0…2^53. Sums of some thousand of them fit.
  static let mostBytes = 1 << 53
  /// RFC 8216 allows 2^64 − 1 for sequence numbers; some servers count nanoseconds.
  static let mostSequence = 1 << 62

  /// Decimal digits, and nothing else.
  static func integer(_ digits: some Collection<UInt8>, most: Int = mostBytes) -> Int? {
    guard !digits.isEmpty, digits.count <= 20 else { return nil }
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      guard !isTooLarge, product <= most else { return nil }
      number = product + Int(digit - 0x30)
    }
    return number <= most ? number : nil
  }

  /// The whole number that a text begins with, as other players read it; blanks, a fraction or a word behind it are
  /// passed over.
  static func leadingInteger(_ text: some Collection<UInt8>, most: Int = mostBytes) -> Int? {
    integer(text.drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) }, most: most)
  }

  /// Seconds with an optional fraction, as nanoseconds; more digits than nine are cut off.
  static func nanoseconds(_ text: some Collection<UInt8>) -> Int64? {
    let parts = text.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let whole = integer(first), whole <= 1_000_000_000 else { return nil }
    var fraction = 0
    var weight = 100_000_000
    for digit in parts.count > 1 ? parts[1] : first.prefix(0) {
      guard (0x30...0x39).contains(digit) else { return nil }
      fraction += Int(digit - 0x30) * weight
      weight /= 10
    }
    return Int64(whole * 1_000_000_000 + fraction)
  }

  /// The seconds that EXTINF begins with, as nanoseconds; `nil`: none, or less than none, which stands for "not known".
  static func duration(_ text: ArraySlice<UInt8>) -> Int64? {
    let trimmed = text.drop { $0 == 0x20 || $0 == 0x2B || $0 == 0x22 }
    var digits = Array(trimmed.prefix { (0x30...0x39).contains($0) || $0 == 0x2E })
    if digits.first == 0x2E { digits.insert(0x30, at: 0) }
    // A second point ends it.
    if let point = digits.firstIndex(of: 0x2E), let second = digits[(point + 1)...].firstIndex(of: 0x2E) {
      digits = Array(digits[..<second])
    }
    return nanoseconds(digits)
  }

  /// 128 bits in hexadecimal, `0x…`, as 16 bytes; without the prefix if all digits are there.
  static func bytes16(_ text: String) -> [UInt8]? {
    let hasPrefix = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = hasPrefix ? text.dropFirst(2) : text[...]
    guard ((hasPrefix ? 1 : 32)...32).contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
    let padded = Array((String(repeating: "0", count: 32 - digits.count) + digits).utf8)
    return stride(from: 0, to: 32, by: 2).map { place in
      UInt8(String(decoding: padded[place..<place + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }
}
