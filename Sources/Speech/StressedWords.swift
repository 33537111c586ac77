internal import CESpeak

/// Russian words whose stress is written (U+0301 behind the vowel) as the synthesiser can be told of it.
///
/// espeak-ng 1.51 reads the mark as a letter that breaks the word, and guesses the stress anew. So a marked word is given as its
/// phonemes, which the library tells of the word without the mark, with the stress moved to where it is written. A word
/// for which that does not work out is said without the mark. Called under the library's lock, with the voice chosen.
enum StressedWords {
  static let mark: Unicode.Scalar = "\u{301}"
  private static let vowels = "аеёиоуыэюя"

  /// A text in which marked words are phonemes in double brackets; with `espeakPHONEMES`.
  static func spelled(_ text: String) -> String {
    guard text.unicodeScalars.contains(mark) else { return text }
    var spelled = ""
    var word = ""
    for character in text {
      if character.isLetter {
        word.append(character)
      } else {
        spelled += said(word) + String(character)
        word = ""
      }
    }
    return spelled + said(word)
  }

  private static func said(_ word: String) -> String {
    guard word.unicodeScalars.contains(mark) else { return word }
    var plain = ""
    var (stressed, count): (Int?, Int) = (nil, 0)
    for character in word {
      let scalars = character.unicodeScalars.filter { $0 != mark }
      plain.unicodeScalars.append(contentsOf: scalars)
      if let letter = scalars.first.map({ Character($0) })?.lowercased().first, vowels.contains(letter) {
        if scalars.count < character.unicodeScalars.count { stressed = count }
        count += 1
      }
    }
    guard let stressed,
      let moved = moved(phonemes(of: plain), to: stressed, of: plain.lowercased().filter(vowels.contains))
    else { return plain }
    return "[[\(moved)]]"
  }

  /// One mnemonic after another.
  private static func phonemes(of word: String) -> [String] {
    let bytes = Array(word.utf8) + [0]
    // The separator stands in the bits from 8 on.
    let mode = Int32(Character("|").asciiValue ?? 0) << 8
    let text = bytes.withUnsafeBytes { buffer -> String in
      var next: UnsafeRawPointer? = buffer.baseAddress
      return espeak_TextToPhonemes(&next, Int32(espeakCHARS_UTF8), mode).map { String(cString: $0) } ?? ""
    }
    return text.split(whereSeparator: { $0 == "|" || $0 == " " || $0 == "_" || $0 == "\n" }).map(String.init)
  }

  /// - Returns: `nil` if the phonemes have not as many vowels as the word.
  static func moved(_ phonemes: [String], to stressed: Int, of vowels: String) -> String? {
    var moved: [String] = []
    var index = 0
    for phoneme in phonemes {
      let isMarked = phoneme.hasPrefix("'")
      let bare = String(phoneme.drop { "',%=".contains($0) })
      guard let first = bare.first, "aeiouyAEIOUVY038@".contains(first) else {
        moved.append(bare)
        continue
      }
      guard index < vowels.count else { return nil }
      let letter = vowels[vowels.index(vowels.startIndex, offsetBy: index)]
      if index == stressed {
        moved.append("'" + (isMarked ? bare : full(letter)))
      } else {
        moved.append(isMarked ? reduced(bare) : bare)
      }
      index += 1
    }
    return index == vowels.count && index > stressed ? moved.joined() : nil
  }

  private static func full(_ letter: Character) -> String {
    switch letter {
    case "а", "я": "A"
    case "о": "o"
    case "ё": "8"
    case "е", "э": "e"
    case "и": "i"
    case "ы": "y"
    default: "u"
    }
  }

  /// Of a vowel that was stressed, without it.
  private static func reduced(_ vowel: String) -> String {
    switch vowel.first {
    case "a", "A", "o", "O": "V"
    case "e", "E", "8": "I"
    default: vowel
    }
  }
}
