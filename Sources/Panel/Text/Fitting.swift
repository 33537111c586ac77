/// What to do with a text that is longer than its place.
enum Fit: Hashable, Sendable {
  /// The layout has room for it at any value; if not, that is a fault that tests find.
  case whole
  /// An ellipsis in the middle: the end of a name carries its number.
  case middle
  /// An ellipsis at the end: a sentence is read from its beginning.
  case end

  /// The text, shortened to at most `columns` characters (as people count them, never half of one).
  func applied(to text: String, columns: Int) -> String {
    guard text.count > columns else { return text }
    guard columns > 0 else { return "" }
    switch self {
    case .whole: return String(text.prefix(columns))
    case .end: return text.prefix(columns - 1) + "…"
    case .middle:
      let head = (columns - 1) / 2
      return text.prefix(head) + "…" + text.suffix(columns - 1 - head)
    }
  }

  /// The text, shortened to at most `width` pixels.
  func applied(to text: String, _ font: Font, in width: Int) -> String {
    guard font.width(of: text) > width else { return text }
    // No character is narrower than the cell; a few are wider.
    var columns = max(0, (width + 1) / font.width)
    var shown = applied(to: text, columns: columns)
    while columns > 0, font.width(of: shown) > width {
      columns -= 1
      shown = applied(to: text, columns: columns)
    }
    return shown
  }
}

/// Breaks a text into lines of at most `width` pixels, between words where it can.
///
/// - Returns: at most `maximum` lines; if that is not enough, the last one ends with an ellipsis.
func wrapped(_ text: String, _ font: Font, in width: Int, maximum: Int) -> [String] {
  guard width > 0, maximum > 0 else { return [] }
  var lines: [String] = []
  var line = ""
  for word in text.split(whereSeparator: { $0.isWhitespace }) {
    let joined = line.isEmpty ? String(word) : line + " " + word
    if font.width(of: joined) <= width {
      line = joined
      continue
    }
    // A number stays with its unit: `4 s.`
    if word.count <= 2, let blank = line.lastIndex(of: " ") {
      let number = line[line.index(after: blank)...]
      let together = number + " " + word
      if number.allSatisfy(\.isNumber), font.width(of: together) <= width {
        lines.append(String(line[..<blank]))
        line = String(together)
        continue
      }
    }
    if !line.isEmpty { lines.append(line) }
    // A word longer than a line is broken where the line ends.
    var rest = word
    while font.width(of: rest) > width, lines.count <= maximum {
      var part = rest.prefix(width)
      while part.count > 1, font.width(of: part) > width { part = part.dropLast() }
      lines.append(String(part))
      rest = rest.dropFirst(part.count)
    }
    line = String(rest)
    if lines.count > maximum { break }
  }
  if !line.isEmpty { lines.append(line) }
  guard lines.count > maximum else { return lines }
  var kept = Array(lines.prefix(maximum))
  if var last = kept.popLast() {
    while !last.isEmpty, font.width(of: last + "…") > width { last.removeLast() }
    kept.append(last + "…")
  }
  return kept
}
