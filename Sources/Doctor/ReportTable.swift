internal import Hardware

extension DoctorReport {
  /// The report as a table: device, verdict, and what was found, with the remedy in a line below.
  ///
  /// - Parameter width: columns of the terminal; lines are broken between words.
  public func table(width: Int = 100) -> String {
    let names = findings.map { $0.device.count }.max() ?? 0
    let first = max(6, names) + 2
    let second = 9
    let room = max(24, width - first - second)
    var advice = ""
    var text = Self.pad("DEVICE", first) + Self.pad("VERDICT", second) + "FOUND\n"
    for finding in findings {
      let place = finding.place.isEmpty ? "" : "\(finding.place): "
      var lines = Self.wrap(place + finding.detail, room)
      // What helps several devices in a row is said once.
      if !finding.remedy.isEmpty, finding.remedy != advice { lines += Self.wrap("→ \(finding.remedy)", room) }
      advice = finding.remedy
      for (index, line) in lines.enumerated() {
        let margin =
          index == 0
          ? Self.pad(finding.device, first) + Self.pad(finding.verdict.mark, second)
          : Self.pad("", first + second)
        text += margin + line + "\n"
      }
    }
    return text + summary + "\n"
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Words in lines of at most `width` characters; a word that is longer has a line of its own.
  private static func wrap(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}

extension Verdict {
  /// As the table shows it: what must be mended is in capitals.
  fileprivate var mark: String { isFailure ? rawValue.uppercased() : rawValue }
}
