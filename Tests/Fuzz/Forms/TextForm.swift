import TestSupport

/// Text of lines, words and numbers: playlists, subtitles, JSON, TOML, console lines.
enum TextForm {
  /// What is hard to read in most of them.
  private static let common = [
    "\"", "'", "\\", "\u{0}", "\u{FEFF}", "\r", "\r\n", "\n", "\t", "{", "}", "[", "]", ",", ":", "=", "#", "<", ">",
    "&", "-->", "{$", "é", "e\u{301}", "🎤", "\u{202E}", "\u{1B}[2J", "../", "null", "true", "-", ".", "\\u0000",
    "\\ud800", "%00", "//", "?", "@",
  ]

  static func mutate(
    _ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]], words: [String]
  ) {
    for _ in 0...dice.below(4) {
      switch dice.below(16) {
      case 0...5: if !changeNumber(&bytes, &dice) { changeLines(&bytes, &dice, words) }
      case 6...9: changeLines(&bytes, &dice, words)
      case 10, 11:
        let word = Array(dice.pick(dice.chance(2) ? words : common, or: "\"").utf8)
        bytes.insert(contentsOf: word, at: dice.below(bytes.count + 1))
      case 12:
        // The same again and again: what is looked for from each of them on costs its square.
        let word = Array(dice.pick(common, or: "{").utf8)
        let many = (0..<(1 << dice.below(12))).flatMap { _ in word }
        bytes.insert(contentsOf: many, at: dice.below(bytes.count + 1))
      default: BytesForm.mutate(&bytes, &dice, others: others)
      }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Puts another number in the place of one.
  private static func changeNumber(_ bytes: inout [UInt8], _ dice: inout SeededGenerator) -> Bool {
    let start = dice.below(bytes.count + 1)
    guard let first = bytes[start...].firstIndex(where: isDigit) ?? bytes.firstIndex(where: isDigit) else {
      return false
    }
    let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
    bytes.replaceSubrange(first..<end, with: Array(EdgeNumbers.text(&dice).utf8))
    return true
  }

  private static func changeLines(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, _ words: [String]) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    guard !lines.isEmpty else { return }
    let index = dice.below(lines.count)
    switch dice.below(6) {
    case 0: lines.remove(at: index)
    case 1: lines.swapAt(index, dice.below(lines.count))
    case 2:
      let count = min(1 << dice.below(10), 65_536 / max(1, lines[index].count + 1))
      lines.insert(contentsOf: repeatElement(lines[index], count: count), at: index)
    case 3: lines.insert(lines[dice.below(lines.count)], at: index)
    case 4: lines.insert(Array(dice.pick(words, or: "").utf8), at: index)
    default:
      // A range of lines again.
      let end = min(lines.count, index + 1 + dice.below(8))
      let piece = lines[index..<end]
      for _ in 0...dice.below(16) { lines.insert(contentsOf: piece, at: end) }
    }
    bytes = Array(lines.joined(separator: [0x0A]))
  }
}
