extension Settings {
  /// The table of settings for the manual, in Markdown; ends with an empty line.
  public static var markdownTable: String {
    let rows = table.map { row in
      let values = row.kind.allowed.split(separator: "|").joined(separator: ", ")
      return
        "| `\(row.key)` | \(values) | \(row.defaultValue) | \(row.meaning(emphasis: "*")) | \(row.timing.rawValue) |"
    }
    let head = ["", "| Setting | Values | Default | Meaning | Counts from |", "|---|---|---|---|---|"]
    return (head + rows + ["", ""]).joined(separator: "\n")
  }
}

extension Setting {
  /// The summary, and what of it is not in this firmware.
  ///
  /// - Parameter emphasis: what stands around the latter.
  public func meaning(emphasis: String = "") -> String {
    switch support {
    case .full: summary
    case .defaultOnly: "\(summary); \(emphasis)not in this firmware\(emphasis)"
    }
  }
}
