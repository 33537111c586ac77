/// The lines of a playlist (RFC 8216 section 4.1), one after the other, without copying.
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
    guard let first = try next(), first.elementsEqual("#EXTM3U".utf8) else {
      throw PlaylistError(
        .malformed, subject: subject, line: 1, reason: "no playlist: it does not begin with #EXTM3U")
    }
  }

  /// The next line that is not blank, without its end; `nil` after the last.
  mutating func next() throws(PlaylistError) -> ArraySlice<UInt8>? {
    while place < bytes.count {
      let start = place
      var end = start
      while end < bytes.count, bytes[end] != 0x0A { end += 1 }
      place = end + 1
      number += 1
      guard end - start <= limits.lineBytes else {
        throw error(.tooLarge, "a line of \(end - start) bytes; at most \(limits.lineBytes) are read")
      }
      while end > start, bytes[end - 1] == 0x0D || bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
      if end > start { return bytes[start..<end] }
    }
    return nil
  }

  func error(_ kind: PlaylistError.Kind, _ reason: String) -> PlaylistError {
    PlaylistError(kind, subject: subject, line: number, reason: reason)
  }

  /// A tag's name and what stands behind its colon; `nil` for addresses and comments.
  static func tag(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
    guard line.starts(with: "#EXT".utf8) else { return nil }
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    return (String(decoding: line[line.startIndex + 1..<colon], as: UTF8.self), line[min(colon + 1, line.endIndex)...])
  }

  static func isAddress(_ line: ArraySlice<UInt8>) -> Bool { line.first != 0x23 }

  /// A line as text; control characters are none (section 4.1).
  func text(_ line: ArraySlice<UInt8>) throws(PlaylistError) -> String {
    guard let text = String(validating: line, as: UTF8.self) else { throw error(.malformed, "not UTF-8") }
    guard !line.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw error(.malformed, "control characters in it")
    }
    return text
  }

  /// A decimal integer (section 4.2).
  func integer(_ value: some Collection<UInt8>, of name: String) throws(PlaylistError) -> Int {
    guard let number = PlaylistNumbers.integer(value) else {
      throw error(.malformed, "\(name) is not a whole number from 0 to 2^53")
    }
    return number
  }
}

/// Numbers as playlists write them (RFC 8216 section 4.2). Pure.
enum PlaylistNumbers {
  /// 0…2^53; RFC 8216 allows 2^64 − 1, which no server counts to.
  static func integer(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 20 else { return nil }
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit), number <= 1 << 53 else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return number <= 1 << 53 ? number : nil
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

  /// 128 bits in hexadecimal, `0x…`, as 16 bytes.
  static func bytes16(_ text: String) -> [UInt8]? {
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
    let digits = text.dropFirst(2)
    guard (1...32).contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
    let padded = Array((String(repeating: "0", count: 32 - digits.count) + digits).utf8)
    return stride(from: 0, to: 32, by: 2).map { place in
      UInt8(String(decoding: padded[place..<place + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }
}
