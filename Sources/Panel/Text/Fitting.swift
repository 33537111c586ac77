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
}

/// Breaks a text into lines of at most `columns` characters, between words where it can.
///
/// - Returns: at most `maximum` lines; if that is not enough, the last one ends with an ellipsis.
func wrapped(_ text: String, columns: Int, maximum: Int) -> [String] {
  guard columns > 0, maximum > 0 else { return [] }
  var lines: [String] = []
  var line = ""
  for word in text.split(whereSeparator: { $0.isWhitespace }) {
    var rest = word[...]
    if !line.isEmpty {
      if line.count + 1 + rest.count <= columns {
        line += " " + rest
        continue
      }
      lines.append(line)
      line = ""
    }
    while rest.count > columns {
      lines.append(String(rest.prefix(columns)))
      rest = rest.dropFirst(columns)
      if lines.count > maximum { break }
    }
    line = String(rest)
    if lines.count > maximum { break }
  }
  if !line.isEmpty { lines.append(line) }
  guard lines.count > maximum else { return lines }
  var kept = Array(lines.prefix(maximum))
  if let last = kept.popLast() { kept.append((last.count < columns ? last : String(last.dropLast())) + "…") }
  return kept
}
