/// Which GPIO lines are led out to which pins.
public enum HeaderLayout: String, CaseIterable, Hashable, Sendable {
  /// The 40-pin header of every Raspberry Pi since the B+ (Raspberry Pi documentation, "GPIO and the 40-pin header").
  case raspberryPi40 = "raspberrypi-40"
  /// Not known: no wiring table, and no lines that are taken by other functions.
  case none

  /// BCM line of each pin from 1 on; nil for power and ground.
  private static let raspberryPiLines: [Int?] = [
    nil, nil, 2, nil, 3, nil, 4, 14, nil, 15,
    17, 18, 27, nil, 22, 23, nil, 24, 10, nil,
    9, 25, 11, 8, nil, 7, 0, 1, 5, nil,
    6, 12, 13, nil, 19, 16, 26, 20, nil, 21,
  ]

  /// The pin, from 1, that a line of the first GPIO chip is led out to.
  public func pin(ofLine line: Int) -> Int? {
    guard self == .raspberryPi40 else { return nil }
    return Self.raspberryPiLines.firstIndex(of: line).map { $0 + 1 }
  }

  /// The pins of 3.3 V.
  static let supplyPins = [1, 17]
  /// The pins of 5 V.
  static let fiveVoltPins = [2, 4]
  /// The pins of ground.
  static let groundPins = [6, 9, 14, 20, 25, 30, 34, 39]
}

/// A line of the header that a peripheral of the processor takes, and for what.
struct FixedLine {
  /// Full name of the board file's table that asks for the peripheral.
  var owner: String
  /// The key that decides it, for its place.
  var key: String
  var line: Int
  /// `I2C SDA`
  var signal: String
  /// What it is connected to: `OLED SDA`.
  var peer: String
}

extension BoardDescription {
  /// The lines of the header that displays, sound and console take through peripherals.
  ///
  /// Numbers are those of BCM2835 ARM Peripherals, section 6.2 (alternate functions): I2C1, UART0, PCM; line 16 is
  /// the amplifier's shutdown of the `googlevoicehat-soundcard` overlay.
  var fixedLines: [FixedLine] {
    guard header == .raspberryPi40 else { return [] }
    var lines: [FixedLine] = []
    if display.controller == .ssd1306 || display.controller == .sh1106, display.bus == "/dev/i2c-1" {
      lines += [
        FixedLine(owner: "display", key: "display.bus", line: 2, signal: "I2C SDA", peer: "OLED SDA"),
        FixedLine(owner: "display", key: "display.bus", line: 3, signal: "I2C SCL", peer: "OLED SCL"),
      ]
    }
    if ["/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0"].contains(console.tty) {
      lines += [
        FixedLine(owner: "console", key: "console.tty", line: 14, signal: "UART TXD", peer: "adapter RXD"),
        FixedLine(owner: "console", key: "console.tty", line: 15, signal: "UART RXD", peer: "adapter TXD"),
      ]
    }
    let hasMicrophone = microphone.driver == .alsa && microphone.connector == .i2s
    let hasSpeaker = speaker.driver == .alsa && speaker.connector == .i2s
    if hasMicrophone || hasSpeaker {
      let owner = hasMicrophone ? "microphone" : "speaker"
      let peers =
        hasMicrophone && hasSpeaker ? "microphone and amplifier" : hasMicrophone ? "microphone" : "amplifier"
      lines += [
        FixedLine(owner: owner, key: "\(owner).connector", line: 18, signal: "I2S BCLK", peer: "\(peers) BCLK"),
        FixedLine(owner: owner, key: "\(owner).connector", line: 19, signal: "I2S LRCLK", peer: "\(peers) LRCLK"),
      ]
    }
    if hasMicrophone {
      lines.append(
        FixedLine(
          owner: "microphone", key: "microphone.connector", line: 20, signal: "I2S DIN", peer: "microphone DOUT"))
    }
    if hasSpeaker {
      lines += [
        FixedLine(owner: "speaker", key: "speaker.connector", line: 21, signal: "I2S DOUT", peer: "amplifier DIN"),
        FixedLine(owner: "speaker", key: "speaker.connector", line: 16, signal: "GPIO16", peer: "amplifier SD"),
      ]
    }
    return lines
  }
}
