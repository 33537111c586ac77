internal import Hardware

/// A WebVTT file (W3C WebVTT; in HLS by RFC 8216 section 3.5): its cues, without markup.
struct WebVTT: Hashable, Sendable {
  struct Cue: Hashable, Sendable {
    /// Milliseconds of the file's own clock.
    var start: Int
    var end: Int
    /// Lines separated by line feeds.
    var text: String
  }

  /// X-TIMESTAMP-MAP: which time of the stream's clock a local time is.
  struct TimestampMap: Hashable, Sendable {
    /// 90 kHz, 33 bits.
    var mpeg: Int64
    /// Milliseconds.
    var local: Int
  }

  struct Limits: Hashable, Sendable {
    var bytes = 1 << 20
    var cues = 10_000
    /// Characters of a cue; more are cut off.
    var characters = 2000
  }

  private(set) var map: TimestampMap?
  private(set) var cues: [Cue] = []

  /// Reads what can be read: a cue that is damaged is left out, as W3C WebVTT section 6.1 wants it.
  ///
  /// - Throws: if it is no WebVTT, or too large.
  init(_ bytes: [UInt8], subject: String, limits: Limits = Limits()) throws(PlaylistError) {
    guard bytes.count <= limits.bytes else {
      throw PlaylistError(
        .tooLarge, subject: subject, line: 0,
        reason: "subtitles of \(bytes.count) bytes; at most \(limits.bytes) are read")
    }
    let lines = Self.lines(bytes)
    guard let first = lines.first, first == "WEBVTT" || first.hasPrefix("WEBVTT ") || first.hasPrefix("WEBVTT\t")
    else {
      throw PlaylistError(.malformed, subject: subject, line: 1, reason: "no subtitles: not WEBVTT at the beginning")
    }
    var place = 1
    while place < lines.count, !lines[place].isEmpty, !lines[place].holds("-->") {
      if lines[place].hasPrefix("X-TIMESTAMP-MAP=") {
        guard let found = Self.timestampMap(lines[place].dropFirst(16)) else {
          throw PlaylistError(
            .malformed, subject: subject, line: place + 1, reason: "X-TIMESTAMP-MAP needs MPEGTS and LOCAL")
        }
        map = found
      }
      place += 1
    }
    while place < lines.count {
      guard let times = Self.times(lines[place]) else {
        place += 1
        continue
      }
      place += 1
      let start = place
      while place < lines.count, !lines[place].isEmpty, !lines[place].holds("-->") { place += 1 }
      // An identifier right above the next times belongs to that cue; text never holds an arrow.
      let text = WebVTTText.plain(lines[start..<place].joined(separator: "\n"), most: limits.characters)
      guard !text.isEmpty else { continue }
      cues.append(Cue(start: times.start, end: times.end, text: text))
      guard cues.count <= limits.cues else {
        throw PlaylistError(.tooLarge, subject: subject, line: place, reason: "more than \(limits.cues) cues")
      }
    }
    cues.sort { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// CR, LF and CR LF end lines; a byte order mark is left out, and bad UTF-8 is replaced.
  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return String(decoding: content, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
  }

  /// `00:01.000 --> 00:02.500 line:0`.
  private static func times(_ line: Substring) -> (start: Int, end: Int)? {
    // Blanks around the arrow are usual, and left out by some.
    guard let arrow = line.indices.first(where: { line[$0...].hasPrefix("-->") }) else { return nil }
    let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let from = line[..<arrow].split(whereSeparator: blank).last,
      let to = line[arrow...].dropFirst(3).split(whereSeparator: blank).first, let start = milliseconds(from),
      let end = milliseconds(to), end > start
    else { return nil }
    return (start, end)
  }

  /// `[hh:]mm:ss.ttt`; a comma is taken as a point.
  private static func milliseconds(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let last = parts.last else { return nil }
    let seconds = last.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard seconds.count == 2, seconds[1].count == 3, seconds[0].count == 2 else { return nil }
    var numbers: [Int] = []
    for part in parts.dropLast() + seconds {
      guard part.count <= 6, let number = PlaylistNumbers.integer(part.utf8) else { return nil }
      numbers.append(number)
    }
    if numbers.count == 3 { numbers.insert(0, at: 0) }
    guard numbers[1] < 60, numbers[2] < 60 else { return nil }
    return ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1000 + numbers[3]
  }

  /// `MPEGTS:900000,LOCAL:00:00:00.000`, in either order.
  private static func timestampMap(_ text: Substring) -> TimestampMap? {
    var mpeg: Int?
    var local: Int?
    for part in text.split(separator: ",") {
      let trimmed = part.drop { $0 == " " }
      if trimmed.hasPrefix("MPEGTS:") { mpeg = PlaylistNumbers.integer(trimmed.dropFirst(7).utf8) }
      if trimmed.hasPrefix("LOCAL:") { local = milliseconds(trimmed.dropFirst(6)) }
    }
    guard let mpeg, let local else { return nil }
    return TimestampMap(mpeg: Int64(mpeg & ((1 << 33) - 1)), local: local)
  }
}

/// The text of cues without markup (W3C WebVTT section 6.4).
enum WebVTTText {
  /// Tags and time stamps are dropped, escapes put in, blanks at line ends cut.
  static func plain(_ markup: String, most: Int) -> String {
    var lines: [String] = [""]
    var length = 0
    var rest = markup[...]
    var isAnnotation = false
    while let character = rest.first, length < most {
      switch character {
      case "<":
        let end = rest.firstIndex(of: ">") ?? rest.index(before: rest.endIndex)
        let name = rest[..<end].dropFirst().prefix { !$0.isWhitespace && $0 != "." }
        // What stands above ruby text is how it is read: it would be said twice.
        if name == "rt" {
          isAnnotation = true
        } else if ["/rt", "/ruby", "ruby"].contains(name) {
          isAnnotation = false
        }
        rest = rest[rest.index(after: end)...]
        continue
      case _ where isAnnotation: break
      case "&":
        let name = rest.dropFirst().prefix(10).prefix { $0 != ";" }
        let after = rest.dropFirst(name.count + 1)
        if after.first == ";", let found = entity(name) {
          lines[lines.count - 1].append(found)
          rest = after.dropFirst()
          length += 1
          continue
        }
        lines[lines.count - 1].append(character)
      case "\n": lines.append("")
      default:
        // Control characters have no place on a screen or in a voice.
        if character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) {
          lines[lines.count - 1].append(character)
        }
      }
      // A character may have any number of marks on it.
      length += character.unicodeScalars.count
      rest = rest.dropFirst()
    }
    return lines.map(trimmed).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func entity(_ name: Substring) -> Character? {
    guard name.first == "#" else { return NamedCharacters.character(name) }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    return UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
      .flatMap(Unicode.Scalar.init).flatMap { $0.value >= 0x20 ? Character($0) : nil }
  }

  private static func trimmed(_ line: String) -> String {
    var content = line[...]
    while content.first?.isWhitespace == true { content.removeFirst() }
    while content.last?.isWhitespace == true { content.removeLast() }
    return String(content)
  }
}
