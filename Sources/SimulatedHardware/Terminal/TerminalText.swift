/// Breaks a text into lines of at most `columns` characters; what does not fit into `maximum` lines ends in `…`.
func wrapped(_ text: String, columns: Int, maximum: Int) -> [String] {
  guard columns > 0, maximum > 0 else { return [] }
  var lines: [String] = []
  var line = ""
  for word in text.split(whereSeparator: { $0.isWhitespace }) {
    if !line.isEmpty, line.count + 1 + word.count > columns {
      lines.append(line)
      line = ""
    }
    line += line.isEmpty ? word : " " + word
    // A word longer than a line is broken where the line ends.
    while line.count > columns, lines.count <= maximum {
      lines.append(String(line.prefix(columns)))
      line = String(line.dropFirst(columns))
    }
    if lines.count > maximum { break }
  }
  if !line.isEmpty { lines.append(line) }
  guard lines.count > maximum else { return lines }
  return lines.prefix(maximum - 1) + [lines[maximum - 1].prefix(columns - 1) + "…"]
}
