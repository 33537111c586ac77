internal import JSON

extension PeopleText {
  /// One column of a table.
  private struct Column {
    let title: String
    var alignsRight = false
    /// Gives way when the table is too wide.
    var shrinks = false
    let cell: (JSONValue) -> String
  }

  @Sendable static func takes(_ result: JSONValue, _ width: Int) -> [String] {
    let takes = result["takes"]?.arrayValue ?? []
    let total = result["total"]?.integerValue ?? takes.count
    let offset = result["offset"]?.integerValue ?? 0
    let pending = result["pending"]?.integerValue ?? 0
    let rest =
      pending > 0 ? ["\(pending) more being looked at: they were being changed when the device went off"] : []
    guard !takes.isEmpty else {
      return (total > 0 ? ["no more takes; there are \(total)"] : pending > 0 ? [] : ["no takes"]) + rest
    }
    let rows = table(
      [
        Column(title: "take", shrinks: false) { text($0, "id") },
        Column(title: "name", shrinks: true) { text($0, "name") },
        Column(title: "length", alignsRight: true) { $0["seconds"]?.numberValue.map(duration) ?? "-" },
        Column(title: "size", alignsRight: true) { $0["bytes"]?.numberValue.map(bytes) ?? "-" },
      ], of: takes, width: width)
    return rows + ["\(offset + 1) to \(offset + takes.count) of \(total)"] + rest
  }

  @Sendable static func clips(_ result: JSONValue, _ width: Int) -> [String] {
    let clips = result["clips"]?.arrayValue ?? []
    let total = result["total"]?.integerValue ?? clips.count
    guard !clips.isEmpty else { return [total == 0 ? "no clips" : "no more clips; there are \(total)"] }
    let rows = table(
      [
        Column(title: "clip", shrinks: true) { text($0, "id") },
        Column(title: "length", alignsRight: true) { $0["seconds"]?.numberValue.map(duration) ?? "-" },
        Column(title: "size", alignsRight: true) { $0["bytes"]?.numberValue.map(bytes) ?? "-" },
        Column(title: "by") { text($0, "trigger") },
        Column(title: "") { $0["protected"]?.boolValue == true ? "protected" : "" },
      ], of: clips, width: width)
    let offset = result["offset"]?.integerValue ?? 0
    return rows + ["\(offset + 1) to \(offset + clips.count) of \(total)"]
  }

  @Sendable static func dubSources(_ result: JSONValue, _ width: Int) -> [String] {
    let sources = result["sources"]?.arrayValue ?? []
    guard !sources.isEmpty else { return ["nothing to play: set dub.sources, or make a clip"] }
    let numbered = sources.enumerated().map { index, source -> JSONValue in
      var row = source
      row["number"] = .integer(index + 1)
      return row
    }
    return table(
      [
        Column(title: "", alignsRight: true) { text($0, "number") }, Column(title: "name") { text($0, "name") },
        Column(title: "kind") { text($0, "kind") }, Column(title: "source", shrinks: true) { text($0, "id") },
      ], of: numbered, width: width)
  }

  @Sendable static func selftest(_ result: JSONValue, _ width: Int) -> [String] {
    let checks = result["checks"]?.arrayValue ?? []
    guard !checks.isEmpty else { return tree(result, width) }
    let lines = checks.flatMap { check in
      wrap(
        text(check, "detail"), width: width,
        first: pad(check["works"]?.boolValue == true ? "ok" : "FAILED", 8) + pad(text(check, "name"), 12),
        rest: String(repeating: " ", count: 20))
    }
    return lines + [result["works"]?.boolValue == true ? "all checks passed" : "something failed"]
  }

  @Sendable static func budget(_ result: JSONValue, _ width: Int) -> [String] {
    var rows = result["lines"]?.arrayValue ?? []
    guard !rows.isEmpty else { return tree(result, width) }
    rows.append([
      "subsystem": "total", "declaredKB": result["declaredKB"] ?? .null, "allocatedKB": result["allocatedKB"] ?? .null,
      "measuredKB": result["rssKB"] ?? .null, "declaredCPUPercent": result["declaredCPUPercent"] ?? .null,
      "measuredCPUPercent": result["measuredCPUPercent"] ?? .null, "isWithin": result["isWithin"] ?? .null,
    ])
    func size(_ key: String) -> (JSONValue) -> String {
      { $0[key]?.numberValue.map { fixed($0 / 1024, 1) } ?? "-" }
    }
    func percent(_ key: String) -> (JSONValue) -> String { { $0[key]?.numberValue.map { fixed($0, 1) } ?? "-" } }
    let lines = table(
      [
        Column(title: "MiB and % of a core", shrinks: true) { text($0, "subsystem") },
        Column(title: "declared", alignsRight: true, cell: size("declaredKB")),
        Column(title: "allocated", alignsRight: true, cell: size("allocatedKB")),
        Column(title: "used", alignsRight: true, cell: size("measuredKB")),
        Column(title: "% declared", alignsRight: true, cell: percent("declaredCPUPercent")),
        Column(title: "% used", alignsRight: true, cell: percent("measuredCPUPercent")),
        Column(title: "") { $0["isWithin"]?.boolValue == false ? "OVER" : "" },
      ], of: rows, width: width)
    let peak = result["peakRSSKB"]?.numberValue.map { ["peak \(fixed($0 / 1024, 1)) MiB"] } ?? []
    return lines + peak
  }

  @Sendable static func problems(_ result: JSONValue, _ width: Int) -> [String] {
    let problems = result["problems"]?.arrayValue ?? []
    let checked = result["checked"]?.integerValue.map { "\($0) checked, " } ?? ""
    let lines = problems.flatMap { problem in
      wrap("\(text(problem, "id")): \(text(problem, "problem"))", width: width)
        + (problem["remedy"]?.stringValue.map { wrap($0, width: width, first: "  ", rest: "  ") } ?? [])
    }
    return lines + [checked + (problems.isEmpty ? "all good" : "\(problems.count) with problems")]
  }

  @Sendable static func checks(_ result: JSONValue, _ width: Int) -> [String] {
    let checks = result["checks"]?.arrayValue ?? []
    guard !checks.isEmpty else { return tree(result, width) }
    let name = max(12, (checks.map { Console.columns(text($0, "device")) }.max() ?? 0) + 2)
    var advice = ""
    let lines = checks.flatMap { check in
      let first = "\(pad(text(check, "device"), name))\(pad(text(check, "verdict"), 9))"
      let margin = String(repeating: " ", count: name + 9)
      // What helps several devices in a row is said once.
      let remedy = check["remedy"]?.stringValue.map { $0 == advice ? "" : $0 } ?? ""
      advice = check["remedy"]?.stringValue ?? ""
      return wrap(text(check, "detail"), width: width, first: first, rest: margin)
        + (remedy.isEmpty ? [] : wrap(remedy, width: width, first: margin, rest: margin))
    }
    return lines + (result["summary"]?.stringValue.map { wrap($0, width: width) } ?? [])
  }

  @Sendable static func log(_ result: JSONValue, _ width: Int) -> [String] {
    let lines = result["lines"]?.arrayValue ?? []
    let lost = result["lost"]?.integerValue ?? 0
    let shown = lines.map { line in
      LogLine.text(
        seconds: fixed(line["t"]?.numberValue ?? 0, 3), severity: text(line, "level"),
        subsystem: text(line, "subsystem"),
        text: text(line, "text"))
    }
    return (lost > 0 ? ["(\(lost) older lines are gone)"] : []) + (shown.isEmpty ? ["nothing logged"] : shown)
  }

  /// Bars over 60 dB below full scale, one a channel.
  @Sendable static func meters(_ result: JSONValue, _ width: Int) -> [String] {
    let channels = result["channels"]?.arrayValue ?? []
    guard !channels.isEmpty else { return ["no meters: the microphone is not running"] }
    let room = max(10, min(40, width - 40))
    return channels.enumerated().map { index, channel in
      let average = channel["averageDecibels"]?.numberValue ?? -120
      let peak = channel["peakDecibels"]?.numberValue ?? -120
      func place(_ decibels: Double) -> Int { Int(max(0, min(1, (decibels + 60) / 60)) * Double(room)) }
      let bar = (0..<room).map { $0 < place(average) ? "=" : $0 + 1 == place(peak) ? "|" : " " }.joined()
      let name = channels.count == 2 ? ["L", "R"][index] : String(index + 1)
      let clips = channel["clips"]?.integerValue ?? 0
      let numbers = "average \(decibels(average)) peak \(decibels(peak)) dB"
      return "\(name) [\(bar)] \(numbers)\(clips > 0 ? " CLIP \(clips)" : "")"
    }
  }

  @Sendable static func screen(_ result: JSONValue, _ width: Int) -> [String] {
    let texts = (result["texts"]?.arrayValue ?? []).compactMap(\.stringValue)
    return ["[\(text(result, "screen"))]"] + texts.map { "  " + $0 }
  }

  /// What the device is doing, from `panel.state`, `recorder.status` and `player.status`.
  static func status(_ results: [JSONValue], _ width: Int) -> [String] {
    let panel = results.first ?? .null
    let recorder = results.count > 1 ? results[1] : .null
    let player = results.count > 2 ? results[2] : .null
    let lock = panel["locked"]?.boolValue == true ? ", locked" : ""
    let armed = recorder["armed"]?.boolValue == true ? ", armed" : ""
    var rows = [("mode", text(panel, "mode") + lock + armed)]
    if let notice = panel["notice"]?["text"]?.stringValue { rows.append(("notice", notice)) }
    if let leds = panel["leds"]?.objectValue {
      rows.append(("leds", leds.keys.sorted().map { "\($0) \(plain(leds[$0] ?? .null))" }.joined(separator: ", ")))
    }
    if let id = recorder["id"]?.stringValue {
      rows.append(("take", "\(id), \(recorder["seconds"]?.numberValue.map(duration) ?? "-")"))
    }
    if let format = recorder["format"]?.stringValue {
      let rate = recorder["sampleRate"]?.integerValue.map { " \($0) Hz" } ?? ""
      let channels =
        recorder["channels"]?.integerValue.map { $0 == 1 ? " mono" : $0 == 2 ? " stereo" : " \($0) channels" } ?? ""
      rows.append(("format", format + rate + channels))
    }
    if let id = player["id"]?.stringValue {
      let place = player["seconds"]?.numberValue.map(duration) ?? "-"
      let length = player["lengthSeconds"]?.numberValue.map(duration) ?? "-"
      rows.append(("player", "\(id), \(text(player, "state")) at \(place) of \(length)"))
    }
    if let left = recorder["secondsLeft"]?.numberValue { rows.append(("time left", duration(left))) }
    let margin = String(repeating: " ", count: 11)
    return rows.flatMap { wrap($0.1, width: width, first: pad($0.0, 11), rest: margin) }
  }

  private static func decibels(_ value: Double) -> String {
    let number = fixed(value, 1)
    return String(repeating: " ", count: max(0, 6 - number.count)) + number
  }

  private static func text(_ value: JSONValue, _ key: String) -> String { value[key].map(plain) ?? "-" }

  private static func table(_ columns: [Column], of rows: [JSONValue], width: Int) -> [String] {
    let cells = [columns.map(\.title)] + rows.map { row in columns.map { $0.cell(row) } }
    var widths = columns.indices.map { column in cells.map { Console.columns($0[column]) }.max() ?? 0 }
    let total = widths.reduce(0, +) + 2 * (columns.count - 1)
    if total > width, let shrinking = columns.firstIndex(where: \.shrinks) {
      widths[shrinking] = max(8, widths[shrinking] - (total - width))
    }
    return cells.map { row in
      let line = columns.indices.map { column in
        let text = clipped(row[column], widths[column])
        return columns[column].alignsRight
          ? String(repeating: " ", count: max(0, widths[column] - Console.columns(text))) + text
          : pad(text, widths[column])
      }.joined(separator: "  ")
      return String(line.reversed().drop(while: { $0 == " " }).reversed())
    }
  }

  private static func clipped(_ text: String, _ width: Int) -> String {
    guard Console.columns(text) > width else { return text }
    var result = ""
    var used = 0
    for character in text {
      used += Console.columns(character)
      if used > width - 3 { break }
      result.append(character)
    }
    return result + "..."
  }
}
