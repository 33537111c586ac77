internal import Appliance
internal import Hardware
internal import JSON
internal import Panel

/// The receipt of a clip in six lines for the OLED. Nobody vouches for the numbers in it.
enum ReceiptRows {
  static func rows(_ receipt: JSONValue, in language: Language) -> [MenuRow] {
    let amounts = Amounts(language)
    func word(_ phrase: Phrase) -> String { phrase.text(in: language) }
    return [
      MenuRow(word(.length), length(receipt, amounts, word)),
      MenuRow(word(.camera), camera(receipt["pictures"] ?? .null)),
      MenuRow(word(.pictures), pictures(receipt["pictures"] ?? .null, word)),
      MenuRow(word(.gaps), gaps(receipt["gaps"]?.arrayValue, amounts, word)),
      MenuRow(word(.sound), sound(receipt, amounts, word)),
      MenuRow(word(.savedAfter), saved(receipt, amounts, word)),
    ]
  }

  /// `9.533 s, 4.21 MB`.
  private static func length(_ receipt: JSONValue, _ amounts: Amounts, _ word: (Phrase) -> String) -> String {
    let seconds = decimal(receipt["durationSeconds"]?.numberValue, word(.seconds), places: 3, amounts)
    guard let bytes = count(receipt["fileBytes"]) else { return seconds }
    return "\(seconds), \(amounts.size(Int64(bytes)))"
  }

  /// `1280x720 H.264`.
  private static func camera(_ pictures: JSONValue) -> String {
    guard let width = count(pictures["width"]), let height = count(pictures["height"]), width > 0 else { return "-" }
    let codec =
      switch pictures["codec"]?.stringValue {
      case "h264": " H.264"
      case "mjpeg": " JPEG"
      default: ""
      }
    return "\(width)x\(height)\(codec)"
  }

  /// `286, none lost`.
  private static func pictures(_ pictures: JSONValue, _ word: (Phrase) -> String) -> String {
    let lost = (pictures["dropped"]?.objectValue ?? [:]).values.reduce(ClaimedNumber(0)) {
      $0 + ClaimedNumber(count($1) ?? 0)
    }
    guard let captured = count(pictures["captured"]) else { return "-" }
    // One that does not tell of losses does not say that there are none.
    guard pictures["dropped"] != nil, let lost = lost.within(0...most) else { return "\(captured)" }
    return "\(captured), " + (lost == 0 ? word(.noneLost) : "\(lost) \(word(.lost))")
  }

  /// How many, and how much in all. One without this list does not say that there are none.
  private static func gaps(_ gaps: [JSONValue]?, _ amounts: Amounts, _ word: (Phrase) -> String) -> String {
    guard let gaps else { return "-" }
    guard !gaps.isEmpty else { return word(.no) }
    let seconds = gaps.reduce(0) { $0 + ($1["seconds"]?.numberValue ?? 0) }
    return "\(gaps.count), \(decimal(seconds, word(.seconds), places: 1, amounts))"
  }

  /// `48 kHz, 0.4 ms`: most that a picture is away from it.
  private static func sound(_ receipt: JSONValue, _ amounts: Amounts, _ word: (Phrase) -> String) -> String {
    guard let rate = count(receipt["sound"]?["sampleRate"]), rate > 0 else { return word(.no) }
    guard let skew = receipt["largestSkewSeconds"]?.numberValue else { return amounts.kilohertz(rate) }
    return "\(amounts.kilohertz(rate)), \(decimal(skew * 1000, word(.milliseconds), places: 1, amounts))"
  }

  /// From the last picture to when the file was whole and durable; of one that was not made by capturing, what ended it.
  private static func saved(_ receipt: JSONValue, _ amounts: Amounts, _ word: (Phrase) -> String) -> String {
    if let seconds = receipt["mediaToDurableSeconds"]?.numberValue {
      return decimal(seconds * 1000, word(.milliseconds), places: 0, amounts)
    }
    return receipt["inProgress"]?.boolValue == true ? word(.no) : receipt["stopReason"]?.stringValue ?? "-"
  }

  private static let most = 999_999_999_999

  private static func count(_ value: JSONValue?) -> Int? { ClaimedNumber(value?.integerValue).within(0...most) }

  private static func decimal(_ number: Double?, _ unit: String, places: Int, _ amounts: Amounts) -> String {
    guard let number, number.isFinite, abs(number) < 1e9 else { return "-" }
    return "\(amounts.decimal(number, places: places)) \(unit)"
  }
}
