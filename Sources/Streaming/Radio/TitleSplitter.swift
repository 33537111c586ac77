/// Parts the sound of a web radio station from the titles that stand in it: behind every so many bytes one that tells the
/// length of the next title in units of 16 bytes. Pure.
struct TitleSplitter: Hashable, Sendable {
  /// Some of the sound.
  struct Piece: Hashable, Sendable {
    /// The title that stood before it, if one did: it holds from here on.
    var title: String?
    var sound: [UInt8] = []
  }

  private let interval: Int?
  /// Bytes of sound until the next title.
  private var left: Int
  /// Bytes of the title that are still to come; `nil`: sound comes.
  private var titleLeft: Int?
  private var words: [UInt8] = []
  /// Many say the same each time.
  private var last: String?
  /// Of titles that follow each other faster than anybody reads the last counts.
  private static let mostPieces = 64

  /// There are no titles in it: what comes is the sound.
  var isPlain: Bool { interval == nil }

  /// - Parameter interval: bytes of sound between titles; `nil`: there are none.
  init(interval: Int?) {
    self.interval = interval
    left = interval ?? 0
  }

  /// - Returns: the sound in some bytes, cut at the titles in it; none if there are neither.
  mutating func split(_ bytes: [UInt8]) -> [Piece] {
    guard let interval else { return bytes.isEmpty ? [] : [Piece(sound: bytes)] }
    var pieces: [Piece] = []
    var piece = Piece()
    var rest = bytes[...]
    while !rest.isEmpty {
      if let wanted = titleLeft {
        words += rest.prefix(wanted)
        titleLeft = wanted - min(wanted, rest.count)
        rest = rest.dropFirst(wanted)
        guard titleLeft == 0 else { continue }
        if let title = Self.title(words), title != last {
          last = title
          if !piece.sound.isEmpty, pieces.count < Self.mostPieces {
            pieces.append(piece)
            piece = Piece()
          }
          piece.title = title
        }
        (titleLeft, words, left) = (nil, [], interval)
      } else if left > 0 {
        let count = min(left, rest.count)
        piece.sound += rest.prefix(count)
        rest = rest.dropFirst(count)
        left -= count
      } else if let length = rest.popFirst() {
        if length == 0 { left = interval } else { titleLeft = 16 * Int(length) }
      }
    }
    return pieces + (piece == Piece() ? [] : [piece])
  }

  /// `StreamTitle='…';`; a title may have quotation marks in it.
  static func title(_ words: [UInt8]) -> String? {
    let content = words.prefix { $0 != 0 }
    let mark = Array("StreamTitle='".utf8)
    guard content.count >= mark.count,
      let start = (0...content.count - mark.count).first(where: { content[$0...].starts(with: mark) })
    else { return nil }
    let text = content[(start + mark.count)...]
    let end = text.indices.first { text[$0] == 0x27 && ($0 + 1 == text.endIndex || text[$0 + 1] == 0x3B) }
    let found = text[..<(end ?? text.endIndex)]
    // Stations that do not write UTF-8 write Latin-1, mostly.
    let title = utf8(found) ?? older(found)
    // Icecast writes by its number what a station's charset, Latin-1 mostly, does not have.
    return clean(NamedCharacters.resolve(title))
  }

  /// Servers cut titles anywhere: the last letter may not be whole.
  private static func utf8(_ text: ArraySlice<UInt8>) -> String? {
    let shorter = (1...3).lazy.map { text.dropLast($0) }.filter { $0.contains { $0 >= 0x80 } }
    return String(validating: text, as: UTF8.self)
      ?? shorter.compactMap { String(validating: $0, as: UTF8.self) }.first
  }

  /// Three letters in a row that ASCII does not have are of no Latin word: they are Cyrillic, as Windows has it (CP1251).
  private static func older(_ text: ArraySlice<UInt8>) -> String {
    let isCyrillic = zip(text, zip(text.dropFirst(), text.dropFirst(2))).contains { min($0, $1.0, $1.1) >= 0xC0 }
    let letters: [Unicode.Scalar] = text.map { byte in
      switch byte {
      case 0xC0... where isCyrillic: Unicode.Scalar(UInt16(byte) + 0x350) ?? " "
      case 0xA8 where isCyrillic: "Ё"
      case 0xB8 where isCyrillic: "ё"
      default: Unicode.Scalar(byte)
      }
    }
    return String(String.UnicodeScalarView(letters))
  }

  /// Without what could reach a terminal as an order, and not too long.
  static func clean(_ title: String) -> String {
    let kept = title.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
      default: true
      }
    }
    return String(String.UnicodeScalarView(kept.prefix(200)))
  }
}
