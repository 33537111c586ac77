internal import JSON
internal import Panel

/// The receipt of a clip in six lines for the OLED.
enum ReceiptRows {
  static func rows(_ receipt: JSONValue) -> [MenuRow] {
    let pictures = receipt["pictures"] ?? .null
    let dropped = (pictures["dropped"]?.objectValue ?? [:]).values.reduce(0) { $0 + ($1.integerValue ?? 0) }
    let captured = pictures["captured"]?.integerValue ?? 0
    let sound = receipt["sound"] ?? .null
    let rate = sound["sampleRate"]?.integerValue ?? 0
    var rows = [
      MenuRow("Length", decimal(receipt["durationSeconds"], "s", places: 3)),
      MenuRow("Pictures", "\(captured)" + (dropped == 0 ? ", none lost" : ", \(dropped) lost")),
      MenuRow("Sound", rate > 0 ? "\(rate) Hz, \(signed(receipt["soundDriftPPM"])) ppm" : "none"),
      MenuRow("Skew", decimal(receipt["largestSkewSeconds"]?.numberValue.map { .number($0 * 1000) }, "ms", places: 1)),
    ]
    if let saved = receipt["mediaToDurableSeconds"]?.numberValue {
      rows.append(MenuRow("Saved after", decimal(.number(saved * 1000), "ms", places: 0)))
    }
    let causes = (receipt["triggers"]?.arrayValue ?? []).compactMap { $0["cause"]?.stringValue }
    rows.append(
      MenuRow("By", causes.isEmpty ? receipt["stopReason"]?.stringValue ?? "-" : causes.joined(separator: ", ")))
    if let gaps = receipt["gaps"]?.arrayValue, !gaps.isEmpty { rows.append(MenuRow("Gaps", "\(gaps.count)")) }
    return rows
  }

  private static func signed(_ value: JSONValue?) -> String {
    let text = decimal(value, "", places: 1)
    return (value?.numberValue ?? 0) > 0 ? "+\(text)" : text
  }

  private static func decimal(_ value: JSONValue?, _ unit: String, places: Int) -> String {
    guard let number = value?.numberValue, number.isFinite, abs(number) < 1e9 else { return "-" }
    let scale = [1.0, 10, 100, 1000][min(3, max(0, places))]
    let scaled = Int((abs(number) * scale).rounded())
    var text = "\(scaled / Int(scale))"
    if places > 0 {
      let fraction = "\(scaled % Int(scale))"
      text += "." + String(repeating: "0", count: places - fraction.count) + fraction
    }
    return (number < 0 && scaled > 0 ? "-" : "") + text + (unit.isEmpty ? "" : " \(unit)")
  }
}
