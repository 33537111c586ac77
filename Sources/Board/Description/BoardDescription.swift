public import Hardware

/// Everything that the firmware knows about the board it runs on: a board file and what it inherits, checked.
public struct BoardDescription: Hashable, Sendable {
  /// Short name: `raspberrypi4`.
  public var name: String
  /// Name for people: `Raspberry Pi 4 Model B`.
  public var title: String
  /// Where it was read from: a path, or `<built-in>/raspberrypi4.toml`.
  public var file: String
  /// True for a file that is only there to be inherited.
  public var isTemplate: Bool
  /// Beginnings of `/proc/device-tree/model` by which the board is recognised; empty for none.
  public var models: [String]
  /// Memory of the smallest variant of the board, MiB.
  public var ramMB: Int
  /// Which pins are led out, and where.
  public var header: HeaderLayout
  /// How key and lamp lines are reached.
  public var gpioDriver: GPIODriver
  public var microphone: SoundDescription
  public var speaker: SoundDescription
  /// What takes of AAC begin with; a processor that is behind uses less.
  public var aac: AACEffort
  public var camera: CameraDescription
  public var clips: ClipDescription
  public var dub: DubDescription
  /// The input that keeps a clip, whatever key it names; `nil` if there is none.
  public var trigger: ButtonLine?
  /// The key that switches the board off, with the time for which it is held as its debounce; `nil` if there is none.
  public var powerKey: ButtonLine?
  /// The line that is active while the supply fails; `nil` if there is none.
  public var brownOut: ButtonLine?
  /// Keys with a line of their own, in the order of `Button.allCases`.
  public var buttons: [ButtonLine]
  /// Input devices whose keys are some of ours, or more of them.
  public var keypad: KeypadDescription
  /// Lamps with a line of their own, in the order of `Lamp.allCases`.
  public var leds: [LampLine]
  public var display: DisplayDescription
  public var screen: ScreenDescription
  public var console: ConsoleDescription
  public var storage: StorageDescription
  public var watchdog: WatchdogDescription
  /// Folder of the real-time clock that wakes the board; empty if none does.
  public var rtcWake: String
  /// How the sample rate of the sound hardware is kept.
  public var sessionStrategy: SessionStrategy
  /// What `forced-rate` runs it at, Hz.
  public var sessionRate: Int
  public var budget: BudgetDescription
  /// What gives way when the board is under strain.
  public var governor: GovernorDescription
  /// Settings that hold from each start on, in the order of their keys.
  public var presets: [BoardPreset]
  /// Who may work with the device, until somebody has been set up on it; `nil`: the file names nobody.
  public var firstOperator: FirstOperator?
  /// Where each key that was set was set, by its full name: `buttons.REC.line`. Defaults are absent.
  public var origins: [String: SourcePlace]
}

/// How GPIO lines are reached.
public enum GPIODriver: String, CaseIterable, Hashable, Sendable {
  /// The kernel's character device, through libgpiod.
  case chardev
  /// The simulator's keys and lamps.
  case simulated
  /// No keys and lamps; the console does everything.
  case none
}

/// How a sound device is reached.
public enum SoundDriver: String, CaseIterable, Hashable, Sendable {
  case alsa
  case simulated
  /// There is none.
  case none
}

/// Where a sound device is plugged in; decides which lines of the header it takes.
public enum SoundConnector: String, CaseIterable, Hashable, Sendable {
  case usb
  /// Pins 12, 35, 38 and 40 of the header, and line 16 for the amplifier's shutdown.
  case i2s
  /// A socket on the board.
  case jack
  case none
}

/// A microphone or a speaker: what to open, and what to ask it for.
public struct SoundDescription: Hashable, Sendable {
  public var driver: SoundDriver
  /// ALSA PCM name, such as `hw:CARD=mynah`; empty unless the driver is `alsa`.
  public var pcm: String
  public var connector: SoundConnector
  /// Rate (Hz), channels and bits to ask for.
  public var format: PCMFormat
  /// Frames a period.
  public var periodFrames: Int
  /// Frames that the device itself may buffer; at least two periods.
  public var bufferFrames: Int

  /// What to ask the driver for.
  public var request: SoundRequest {
    SoundRequest(format: format, periodFrames: periodFrames, bufferFrames: bufferFrames)
  }
}

extension BoardDescription {
  /// The keys that it has; a simulated panel has all.
  public var keys: Set<Button> {
    Set(gpioDriver == .simulated ? Button.allCases : buttons.map(\.button) + keypad.keys.map(\.button))
  }
}
