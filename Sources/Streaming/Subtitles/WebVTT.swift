internal import Hardware

/// A WebVTT file (W3C WebVTT; in HLS by RFC 8216 section 3.5), or a SubRip file (SRT), which has numbers above its times,
/// commas in them, and no head: its cues, without markup.
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
    var bytes = 4 << 20
    var cues = 20_000
    /// Characters of a cue; more are cut off.
    var characters = 2000
  }

  private(set) var map: TimestampMap?
  private(set) var cues: [Cue] = []
  /// A remark to be told: some of its letters cannot be read, or it is larger than what is read.
  private(set) var remark: String?

  /// Reads what can be read: a cue that is damaged is left out, as W3C WebVTT section 6.1 wants it, and so is what lies
  /// behind the limits.
  ///
  /// - Throws: if it is neither.
  init(_ bytes: [UInt8], subject: String, limits: Limits = Limits()) throws(PlaylistError) {
    let isLarge = bytes.count > limits.bytes
    var text = TextBytes.utf8(isLarge ? Array(bytes.prefix(limits.bytes)) : bytes)
    if isLarge {
      // The last line is not whole.
      text = Array(text.prefix(text.lastIndex(of: 0x0A) ?? text.count))
      remark = "subtitles of more than \(limits.bytes) bytes: what is behind these is not read"
    }
    let lines = Self.lines(text)
    if String(validating: text, as: UTF8.self) == nil {
      remark = "subtitles that are neither in UTF-8 nor in UTF-16: letters of theirs cannot be read"
    }
    let head = lines.first ?? ""
    let hasHead = head == "WEBVTT" || head.hasPrefix("WEBVTT ") || head.hasPrefix("WEBVTT\t")
    guard hasHead || Self.isSubRip(lines) else {
      throw PlaylistError(.malformed, subject: subject, line: 0, reason: Self.refusal(of: text))
    }
    var place = hasHead ? 1 : 0
    while place < lines.count, !lines[place].isEmpty, !lines[place].holds("-->") {
      if lines[place].hasPrefix("X-TIMESTAMP-MAP=") {
        // One that cannot be read costs itself, not every word of the file.
        map = Self.timestampMap(lines[place].dropFirst(16)) ?? map
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
      // Files whose ends of lines were doubled have a blank line behind each.
      let isDoubled = !hasHead && Self.goesOn(lines, behind: place) && lines[place].isEmpty
      while place < lines.count, !lines[place].holds("-->"),
        !lines[place].isEmpty || isDoubled && Self.goesOn(lines, behind: place)
      {
        place += 1
      }
      // An identifier right above the next times belongs to that cue; text never holds an arrow.
      // So does, where no blank line parts them, the number of SubRip.
      let isNumbered = !hasHead && place > start && place < lines.count && lines[place].holds("-->")
      let end = isNumbered && Self.isNumber(lines[place - 1]) ? place - 1 : place
      let text = WebVTTText.plain(
        lines[start..<end].joined(separator: "\n"), most: limits.characters, isSubRip: !hasHead)
      guard !text.isEmpty else { continue }
      guard cues.count < limits.cues else {
        remark = "more than \(limits.cues) subtitles: what is behind these is not read"
        break
      }
      cues.append(Cue(start: times.start, end: times.end, text: text))
    }
    cues.sort { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// Some write blanks behind it.
  private static func isNumber(_ line: Substring) -> Bool {
    line.contains(where: \.isNumber) && line.allSatisfy { $0.isNumber || $0.isWhitespace }
  }

  /// Whether a line of text follows: neither a number nor times.
  private static func goesOn(_ lines: [Substring], behind place: Int) -> Bool {
    guard place + 1 < lines.count else { return false }
    return !lines[place + 1].allSatisfy { $0.isNumber || $0.isWhitespace } && !lines[place + 1].holds("-->")
  }

  /// CR, LF and CR LF end lines; a byte order mark is left out, and bad UTF-8 is replaced.
  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return String(decoding: content, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
  }

  /// Times soon after its beginning: the first ones may be damaged, or somebody's name stand before them.
  private static func isSubRip(_ lines: [Substring]) -> Bool { lines.prefix(32).contains { times($0) != nil } }

  /// What it is, as far as that can be told, for people.
  private static func refusal(of bytes: [UInt8]) -> String {
    let head = String(decoding: bytes.prefix(2048), as: UTF8.self)
    let isMP4 = ["ftyp", "styp", "moof", "sidx"].contains { bytes.dropFirst(4).prefix(4).elementsEqual($0.utf8) }
    let name =
      isMP4
      ? "subtitles in MP4 (IMSC, or WebVTT in boxes)"
      : head.holds("<tt") || head.holds("/ns/ttml") ? "TTML" : head.holds("[Script") ? "ASS" : nil
    return name.map { "\($0): only WebVTT and SRT are read" } ?? "no subtitles: neither WebVTT nor SRT"
  }

  /// `00:01.000 --> 00:02.500 line:0`.
  private static func times(_ line: Substring) -> (start: Int, end: Int)? {
    // Blanks around the arrow are usual, and left out by some.
    guard line.holds("-->"), let arrow = line.indices.first(where: { line[$0...].hasPrefix("-->") }) else { return nil }
    let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let from = line[..<arrow].split(whereSeparator: blank).last,
      let to = line[arrow...].dropFirst(3).split(whereSeparator: blank).first, let start = milliseconds(from),
      let end = milliseconds(to), end > start
    else { return nil }
    return (start, end)
  }

  /// `[hh:]mm:ss.ttt`; a comma is taken as a point, one or two digits behind it as tenths or hundredths, and none as zero.
  private static func milliseconds(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let last = parts.last else { return nil }
    let seconds = last.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard (1...2).contains(seconds.count), (1...2).contains(seconds[0].count), seconds.count == 2 || parts.count == 3
    else { return nil }
    let fraction = seconds.count == 2 ? seconds[1] : "0"
    guard (1...3).contains(fraction.count) else { return nil }
    let unit = [100, 10, 1][fraction.count - 1]
    var numbers: [Int] = []
    for part in parts.dropLast() + [seconds[0], fraction] {
      guard part.count <= 6, let number = PlaylistNumbers.integer(part.utf8) else { return nil }
      numbers.append(number)
    }
    if numbers.count == 3 { numbers.insert(0, at: 0) }
    guard numbers[1] < 60, numbers[2] < 60 else { return nil }
    return ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1000 + numbers[3] * unit
  }

  /// `NAME:value` between commas; what begins with no name belongs to the value before it.
  private static func fields(_ text: Substring) -> [(name: Substring, value: Substring)] {
    var fields: [(name: Substring, value: Substring)] = []
    for part in text.split(separator: ",") {
      let trimmed = part.drop { $0 == " " || $0 == "\t" }
      if let colon = trimmed.firstIndex(of: ":"), trimmed.first?.isLetter == true {
        fields.append((trimmed[..<colon], trimmed[trimmed.index(after: colon)...]))
      } else if let last = fields.popLast() {
        fields.append((last.name, text[last.value.startIndex..<part.endIndex]))
      }
    }
    return fields
  }

  /// `MPEGTS:900000,LOCAL:00:00:00.000`, in either order.
  private static func timestampMap(_ text: Substring) -> TimestampMap? {
    var mpeg: Int?
    var local: Int?
    // A comma may stand in a time, too.
    for (name, value) in fields(text) {
      let value = value.prefix { $0 != " " && $0 != "\t" }
      if name == "MPEGTS" { mpeg = PlaylistNumbers.integer(value.utf8) }
      if name == "LOCAL" { local = milliseconds(value) }
    }
    guard let mpeg, let local else { return nil }
    return TimestampMap(mpeg: Int64(mpeg & ((1 << 33) - 1)), local: local)
  }
}

/// The text of cues without markup (W3C WebVTT section 6.4).
enum WebVTTText {
  /// Tags and time stamps are dropped, escapes put in, blanks at line ends cut.
  ///
  /// - Parameter isSubRip: where an editor of ASS has left its ends of lines (`\N`) and its blanks (`\h`).
  static func plain(_ markup: String, most: Int, isSubRip: Bool = false) -> String {
    var lines: [String] = [""]
    var length = 0
    var rest = markup[...]
    var isAnnotation = false
    var isDrawing = false
    while let character = rest.first, length < most {
      switch character {
      case "<" where isTag(rest.dropFirst()):
        // Scalars: a vowel sign behind a tag would make one character with its bracket.
        let end = rest.unicodeScalars.firstIndex(of: ">") ?? rest.unicodeScalars.index(before: rest.endIndex)
        let name = rest[..<end].dropFirst().prefix { !$0.isWhitespace && $0 != "." }
        // What stands above ruby text is how it is read: it would be said twice.
        if name == "rt" {
          isAnnotation = true
        } else if ["/rt", "/ruby", "ruby"].contains(name) {
          isAnnotation = false
        }
        rest = rest[rest.unicodeScalars.index(after: end)...]
        continue
      case _ where isAnnotation: break
      case "{" where rest.dropFirst().first == "\\":
        // Where SubRip files have a text stand: `{\an8}`.
        guard let end = rest.prefix(64).firstIndex(of: "}") else {
          lines[lines.count - 1].append(character)
          break
        }
        isDrawing = draws(rest[..<end]) ?? isDrawing
        rest = rest[rest.index(after: end)...]
        continue
      case _ where isDrawing: break
      case "\\" where isSubRip && ["N", "n", "h"].contains(rest.dropFirst().first):
        if rest.dropFirst().first == "h" { lines[lines.count - 1].append(" ") } else { lines.append("") }
        rest = rest.dropFirst()
      case "&":
        if let found = NamedCharacters.reference(rest) {
          lines[lines.count - 1].append(found.character)
          rest = found.rest
          length += 1
          continue
        }
        lines[lines.count - 1].append(character)
      case "\n": lines.append("")
      // They part words.
      case "\t", "\u{85}", "\u{2028}", "\u{2029}": lines[lines.count - 1].append(" ")
      default:
        // Control characters have no place on a screen or in a voice.
        if character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }) {
          lines[lines.count - 1].append(character)
        }
      }
      // A character may have any number of marks on it.
      length += character.unicodeScalars.count
      rest = rest.dropFirst()
    }
    return lines.map(trimmed).filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// Whether what follows is a drawing (`{\p1}`) or is none any more (`{\p0}`); `nil`: as before.
  private static func draws(_ tags: Substring) -> Bool? {
    tags.split(separator: "\\").filter { $0.first == "p" }.compactMap { $0.dropFirst().first?.wholeNumberValue }
      .last.map { $0 > 0 }
  }

  /// Whether what follows a `<` makes it a tag or a time stamp: in `<3` and `1 < 2` it is a character.
  private static func isTag(_ text: Substring) -> Bool {
    guard let first = text.unicodeScalars.first else { return true }
    if first == "/" || first == "!" || first == "." || first == ">" || first.properties.isAlphabetic { return true }
    let digits = text.prefix { $0.isNumber }
    return !digits.isEmpty && text.dropFirst(digits.count).first == ":"
  }

  private static func trimmed(_ line: String) -> String {
    var content = line[...]
    while content.first?.isWhitespace == true { content.removeFirst() }
    while content.last?.isWhitespace == true { content.removeLast() }
    return String(content)
  }
}
