public import JSON

/// Results as people read them: plain text in lines that fit the width where their contents allow.
public enum PeopleText {
  /// For commands without much to say: "ok", why nothing happened, or the fields of the result.
  public static func outcome(_ result: JSONValue, _ width: Int) -> [String] {
    if let reason = result["ignored"]?.stringValue { return ["nothing happened: \(reason)"] }
    guard let members = result.objectValue, !members.isEmpty else { return ["ok"] }
    return tree(result, width)
  }

  /// Any result: names and values, arrays of objects as tables.
  public static func tree(_ result: JSONValue, _ width: Int) -> [String] {
    switch result {
    case .object(let members): return branch(members, width: width, indent: 0)
    case .array(let elements): return elements.flatMap { tree($0, width) }
    default: return [plain(result)]
    }
  }

  private static func branch(_ members: [String: JSONValue], width: Int, indent: Int) -> [String] {
    let names = members.keys.sorted()
    let scalars = names.filter { name in members[name].map { !isNested($0) } ?? false }
    let column = (scalars.map(\.count).max() ?? 0) + 2
    let margin = String(repeating: " ", count: indent)
    var lines = scalars.flatMap { name in
      wrap(
        measured(members[name] ?? .null, as: name), width: width, first: margin + pad(name, column),
        rest: String(repeating: " ", count: indent + column))
    }
    for name in names {
      guard let value = members[name], isNested(value) else { continue }
      lines.append(margin + name + ":")
      switch value {
      case .object(let inner): lines += branch(inner, width: width, indent: indent + 2)
      case .array(let elements):
        for element in elements {
          let inner =
            element.objectValue.map { branch($0, width: width, indent: indent + 4) } ?? [
              margin + "    " + plain(element)
            ]
          lines += inner.enumerated().map { index, line in
            index == 0 ? margin + "  - " + line.dropFirst(indent + 4) : line
          }
        }
      default: break
      }
    }
    return lines
  }

  /// A value with the unit that its name ends with.
  private static func measured(_ value: JSONValue, as name: String) -> String {
    guard let number = value.numberValue else { return plain(value) }
    if name.hasSuffix("Bytes") || name == "bytes" { return bytes(number) }
    if name.hasSuffix("Milliseconds") { return "\(fixed(number, 1)) ms" }
    if name.hasSuffix("Seconds") || name == "seconds" {
      // Of a short time the thousandths may be what matters.
      return number.magnitude < 10 ? "\(brief((number * 1000).rounded() / 1000))s" : duration(number)
    }
    if name.hasSuffix("KB") { return bytes(number * 1024) }
    if case .number = value { return brief((number * 1000).rounded() / 1000) }
    return plain(value)
  }

  private static func isNested(_ value: JSONValue) -> Bool {
    switch value {
    case .object(let members): !members.isEmpty
    case .array(let elements): elements.contains { $0.objectValue != nil || $0.arrayValue != nil }
    default: false
    }
  }

  /// A value in a line: text without quotation marks, lists with commas, `-` for nothing.
  public static func plain(_ value: JSONValue) -> String {
    switch value {
    case .null: "-"
    case .bool(let flag): flag ? "yes" : "no"
    case .string(let text): text
    case .number(let number): brief(number)
    case .array(let elements): elements.isEmpty ? "-" : elements.map(plain).joined(separator: ", ")
    case .object(let members): members.isEmpty ? "-" : value.text
    case .integer(let number): String(number)
    }
  }

  /// `1h07m26s`, `12m03s`, `7.3s`.
  public static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "-" }
    if seconds < 60 { return fixed(seconds, 1) + "s" }
    let whole = Int(seconds)
    let tail = "\(twoDigits(whole / 60 % 60))m\(twoDigits(whole % 60))s"
    return whole >= 3600 ? "\(whole / 3600)h\(tail)" : "\(whole / 60)m\(twoDigits(whole % 60))s"
  }

  /// `812 B`, `1.2 MB`; decimal units, as on the boxes that cards come in.
  public static func bytes(_ count: Double) -> String {
    guard count.isFinite, count >= 0 else { return "-" }
    var value = count
    var units = ["B", "kB", "MB", "GB", "TB"][...]
    while value >= 999.95, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let unit = units.first ?? "B"
    return unit == "B" ? "\(Int(value)) B" : "\(fixed(value, 1)) \(unit)"
  }

  /// With this many decimals, correctly rounded half away from zero.
  public static func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value.magnitude * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(scaled) }
    let digits = String(scaled)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }

  private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }

  /// Words in lines of at most `width` columns; a word that is longer has a line of its own.
  public static func wrap(_ text: String, width: Int, first: String = "", rest: String = "") -> [String] {
    var lines: [String] = []
    var line = first
    var isFresh = true
    for word in text.split(separator: " ") {
      if !isFresh, columns(line) + 1 + columns(word) > width {
        lines.append(line)
        line = rest
        isFresh = true
      }
      line += (isFresh ? "" : " ") + word
      isFresh = false
    }
    return lines + [line]
  }

  /// Words in columns of one width, line by line.
  public static func grid(_ words: [String], width: Int) -> [String] {
    let column = (words.map { columns($0) }.max() ?? 0) + 2
    let count = max(1, width / column)
    return stride(from: 0, to: words.count, by: count).map { start in
      let row = words[start..<min(start + count, words.count)]
      return row.dropLast().map { pad($0, column) }.joined() + (row.last ?? "")
    }
  }

  /// Columns that a text takes on a terminal.
  public static func width(of text: String) -> Int { Console.columns(text) }

  /// Filled with blanks on the right up to `width` columns.
  public static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(text)))
  }
}
