internal import Hardware

/// How to wire a board, made from its description, so that paper and program cannot disagree.
public enum WiringTable {
  private struct Row {
    var pin: Int
    var line: String
    var connection: String
    var level: String
    var wire: String
  }

  /// A Markdown table of every pin in use, in the order of the pins; a sentence for boards without a header.
  public static func markdown(for board: BoardDescription) -> String {
    guard board.header == .raspberryPi40 else { return "Nothing to wire: every device is simulated or built in.\n" }
    var rows = keys(of: board) + lamps(of: board) + trigger(of: board) + peripherals(of: board) + supplies(of: board)
    rows.sort { $0.pin < $1.pin }
    var text = "| Pin | Line | Connect to | Level | Wire |\n|---:|---|---|---|---|\n"
    for row in rows { text += "| \(row.pin) | \(row.line) | \(row.connection) | \(row.level) | \(row.wire) |\n" }
    return text
  }

  /// `document` with everything between `<!-- wiring: NAME -->` and `<!-- end -->` replaced by the board's table.
  ///
  /// - Returns: nil if the document has no such marks.
  public static func fill(_ document: String, board: BoardDescription) -> String? {
    Marked.replace("wiring: \(board.name)", in: document, with: markdown(for: board))
  }

  private static func keys(of board: BoardDescription) -> [Row] {
    board.buttons.compactMap { key in
      guard let pin = pin(board, key.chip, key.line) else { return nil }
      let level = key.isActiveLow ? "low while held" : "high while held"
      let rail = key.isActiveLow ? "ground" : "3.3 V"
      return Row(
        pin: pin, line: "GPIO\(key.line)", connection: "key \(key.button.rawValue), other side to \(rail)",
        level: "\(level), \(key.bias.rawValue)", wire: colour(key.button))
    }
  }

  private static func lamps(of board: BoardDescription) -> [Row] {
    board.leds.compactMap { led in
      guard let pin = pin(board, led.chip, led.line) else { return nil }
      if led.lamp == .buzzer {
        return Row(
          pin: pin, line: "GPIO\(led.line)",
          connection: "optional: the input of a buzzer module that makes its tone itself, or of a motor's driver",
          level: led.isActiveLow ? "sounds when low" : "sounds when high", wire: colour(led.lamp))
      }
      let (side, rail) = led.isActiveLow ? ("cathode", "anode to 3.3 V") : ("anode", "cathode to ground")
      return Row(
        pin: pin, line: "GPIO\(led.line)",
        connection: "LED \(led.lamp.rawValue) (\(colour(led.lamp))), \(side) through 470 Ω, \(rail)",
        level: led.isActiveLow ? "lit when low" : "lit when high", wire: colour(led.lamp))
    }
  }

  private static func trigger(of board: BoardDescription) -> [Row] {
    guard let trigger = board.trigger, let pin = pin(board, trigger.chip, trigger.line) else { return [] }
    let edge = trigger.isActiveLow ? "low" : "high"
    return [
      Row(
        pin: pin, line: "GPIO\(trigger.line)", connection: "optional: whatever keeps a clip, by going \(edge)",
        level: "3.3 V at most, \(trigger.bias.rawValue)", wire: "pink")
    ]
  }

  private static func peripherals(of board: BoardDescription) -> [Row] {
    board.fixedLines.compactMap { fixed in
      guard let pin = board.header.pin(ofLine: fixed.line) else { return nil }
      let line = fixed.signal == "GPIO\(fixed.line)" ? fixed.signal : "GPIO\(fixed.line), \(fixed.signal)"
      return Row(pin: pin, line: line, connection: fixed.peer, level: "3.3 V", wire: "grey")
    }
  }

  private static func supplies(of board: BoardDescription) -> [Row] {
    let peers = Set(board.fixedLines.map(\.owner))
    var rows: [Row] = []
    func power(_ pin: Int, _ line: String, _ connection: String, _ wire: String) {
      rows.append(Row(pin: pin, line: line, connection: connection, level: "–", wire: wire))
    }
    if peers.contains("display") { power(HeaderLayout.supplyPins[0], "3.3 V", "OLED VCC", "orange") }
    if peers.contains("microphone") { power(HeaderLayout.supplyPins[1], "3.3 V", "microphone 3V", "orange") }
    if peers.contains("speaker") { power(HeaderLayout.fiveVoltPins[1], "5 V", "amplifier VIN", "red, thick") }
    let grounds = HeaderLayout.groundPins
    if peers.contains("console") { power(grounds[0], "ground", "serial adapter GND", "black") }
    if peers.contains("display") { power(grounds[1], "ground", "OLED GND", "black") }
    if peers.contains("speaker") { power(grounds[2], "ground", "amplifier GND", "black, thick") }
    if peers.contains("microphone") { power(grounds[3], "ground", "microphone GND", "black") }
    if board.buttons.contains(where: \.isActiveLow) { power(grounds[4], "ground", "common side of the keys", "black") }
    if board.leds.contains(where: { !$0.isActiveLow }) { power(grounds[6], "ground", "cathodes of the LEDs", "black") }
    return rows
  }

  private static func pin(_ board: BoardDescription, _ chip: String, _ line: Int) -> Int? {
    chip.hasSuffix("gpiochip0") ? board.header.pin(ofLine: line) : nil
  }

  private static func colour(_ button: Button) -> String {
    switch button {
    case .rec: "red"
    case .stop: "white"
    case .up, .down: "yellow"
    case .left, .right: "blue"
    case .centre: "green"
    case .lock: "brown"
    case .mark: "violet"
    }
  }

  private static func colour(_ lamp: Lamp) -> String {
    switch lamp {
    case .rec: "red"
    case .status: "green"
    case .lock: "amber"
    case .buzzer: "turquoise"
    }
  }
}

/// Parts of a document that are generated, between two comments.
enum Marked {
  /// Replaces what is between `<!-- mark -->` and the next `<!-- end -->`; nil if they are not there.
  static func replace(_ mark: String, in document: String, with text: String) -> String? {
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: "<!-- \(mark) -->"),
      let end = lines[start...].firstIndex(of: "<!-- end -->")
    else { return nil }
    let body = text.hasSuffix("\n") ? text.dropLast() : text[...]
    return (lines[...start] + ["", body, ""] + lines[end...]).joined(separator: "\n")
  }
}
