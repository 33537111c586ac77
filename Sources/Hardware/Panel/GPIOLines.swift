/// The resistor of an input line. The raw value is the word in board files.
public enum LineBias: String, CaseIterable, Hashable, Sendable {
  case pullUp = "pull-up"
  case pullDown = "pull-down"
  case disabled
  /// Left as the firmware of the board set it.
  case asIs = "as-is"
}

/// A key on a GPIO line. Debouncing is done above the driver, from the edges' times.
public struct ButtonLine: Hashable, Sendable {
  public var button: Button
  /// Path of the chip's character device: `/dev/gpiochip0`.
  public var chip: String
  /// Offset of the line in its chip; on a Raspberry Pi the BCM number.
  public var line: Int
  /// True if the line is low while the key is held.
  public var isActiveLow: Bool
  public var bias: LineBias
  /// How long the line must stay before a change counts, ms.
  public var debounceMilliseconds: Int

  public init(
    button: Button, chip: String, line: Int, isActiveLow: Bool, bias: LineBias, debounceMilliseconds: Int = 8
  ) {
    self.button = button
    self.chip = chip
    self.line = line
    self.isActiveLow = isActiveLow
    self.bias = bias
    self.debounceMilliseconds = debounceMilliseconds
  }
}

/// A lamp on a GPIO line.
public struct LampLine: Hashable, Sendable {
  public var lamp: Lamp
  /// Path of the chip's character device.
  public var chip: String
  /// Offset of the line in its chip.
  public var line: Int
  /// True if the lamp is lit while the line is low.
  public var isActiveLow: Bool

  public init(lamp: Lamp, chip: String, line: Int, isActiveLow: Bool) {
    self.lamp = lamp
    self.chip = chip
    self.line = line
    self.isActiveLow = isActiveLow
  }
}
