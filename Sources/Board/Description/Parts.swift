public import Hardware

/// The controller of the display.
public enum DisplayController: String, CaseIterable, Hashable, Sendable {
  case ssd1306
  case sh1106
  case simulated
  /// There is no display.
  case none
}

/// The OLED.
public struct DisplayDescription: Hashable, Sendable {
  public var controller: DisplayController
  /// Path of the I2C adapter: `/dev/i2c-1`.
  public var bus: String
  /// 7-bit I2C address, 0x08…0x77.
  public var address: Int
  /// Pixels across.
  public var width: Int
  /// Pixels down, a multiple of eight.
  public var height: Int
  /// Degrees, clockwise: 0 or 180.
  public var rotation: Int
  /// 0 (dimmest) … 255.
  public var contrast: Int
  /// The most frames a second that are sent.
  public var refreshHz: Int
}

/// Keypads and remotes that the kernel reads, beside keys on lines or in their place.
public struct KeypadDescription: Hashable, Sendable {
  /// Beginnings of names, or paths in /dev/input.
  public var devices: [String]
  /// Which of their keys are which of ours; several may be the same one.
  public var keys: [InputKey]
}

/// How a screen for pictures is reached.
public enum ScreenDriver: String, CaseIterable, Hashable, Sendable {
  /// The kernel's mode setting: HDMI, DSI.
  case drm
  case simulated
  /// There is no socket for one, or it is left to others.
  case none
}

/// The screen for pictures of what is played, which may be plugged in at any time.
public struct ScreenDescription: Hashable, Sendable {
  public var driver: ScreenDriver
  /// Path of the card, `/dev/dri/card1`; empty for the first one with a screen.
  public var card: String
  /// Lines of the pictures that are asked for, where a stream has several sizes: what the board can decode.
  public var lines: Int
}

/// Where the console listens.
public struct ConsoleDescription: Hashable, Sendable {
  /// Path of the serial line; empty for none.
  public var tty: String
  /// Further lines with a console of their own: a USB gadget's, adapters that may be plugged in.
  public var also: [String]
  /// Bits a second of the serial lines.
  public var baud: Int
  /// Path of the Unix socket; empty for one in the data directory.
  public var socket: String
}

/// What can be played with a dub, and how.
public struct DubDescription: Hashable, Sendable {
  /// Addresses of streams, each of which may have `Name=` before it.
  public var sources: [String]
  /// Address of a service that dubs; empty for none.
  public var service: String
  /// Segments of a stream that may wait: 1…3.
  public var segments: Int
}

/// Where takes are kept.
public struct StorageDescription: Hashable, Sendable {
  /// Path of the data directory.
  public var data: String
  /// MiB that takes never use, so that index and settings can still be written on a full card.
  public var reserveMB: Int
  /// MiB free below which the device says that storage is low; more than the reserve.
  public var lowMB: Int
}

/// The hardware watchdog, which resets the board when the firmware stops feeding it.
public struct WatchdogDescription: Hashable, Sendable {
  /// Path of the device; empty for none.
  public var device: String
  /// Seconds within which it must be fed.
  public var seconds: Int
}

/// What AAC is coded with.
public enum AACEffort: String, CaseIterable, Hashable, Sendable {
  /// Two to three times the processor time, for a little less noise in what is rich in noise.
  case thorough
  case fast
}

/// A part of the firmware that has a line in the budget. The raw value is the name in board files.
public enum Subsystem: String, CaseIterable, Hashable, Sendable {
  /// Code that is in memory, the language runtimes, thread stacks, the control loop.
  case program
  /// Capture ring (ten seconds of stall), meters.
  case audioIn = "audio_in"
  /// Sound from before the REC press.
  case preRecord = "pre_record"
  /// Encoder and the writing end of the container.
  case encoder
  /// Decoder, render ring, speaker.
  case audioOut = "audio_out"
  /// Catalogue of takes, storage worker.
  case library
  /// Frames, fonts, panel worker.
  case display
  /// Connections, histories, queues of events, log.
  case console
  /// Queue from the camera's thread, encoder of raw pictures.
  case camera
  /// Frame ring of the clips, and their way to the storage.
  case ring
  /// Streams on their way, decoded sound, dubs, speech.
  case dubbing

  /// The mode that alone needs it; `nil` for what every mode does. Only one mode runs at a time.
  public var mode: BudgetMode? {
    switch self {
    case .camera, .ring: .clips
    case .dubbing: .dubbing
    case .program, .audioIn, .preRecord, .encoder, .audioOut, .library, .display, .console: nil
    }
  }
}

/// Jobs of the device that have lines in the budget for themselves.
public enum BudgetMode: String, CaseIterable, Hashable, Sendable {
  case clips
  case dubbing
}

/// A line of the budget.
public struct BudgetLine: Hashable, Sendable {
  public var subsystem: Subsystem
  /// The most memory it may allocate, KiB.
  public var memoryKB: Int
  /// The most processor time it may use, percent of one core.
  public var cpuPercent: Int

  public init(_ subsystem: Subsystem, memoryKB: Int, cpuPercent: Int) {
    self.subsystem = subsystem
    self.memoryKB = memoryKB
    self.cpuPercent = cpuPercent
  }
}

/// What the whole firmware and its parts may use.
public struct BudgetDescription: Hashable, Sendable {
  /// Resident memory of the process, MiB.
  public var rssMB: Int
  /// Processor time of the process, percent of one core (a board of four cores has 400).
  public var cpuPercent: Int
  /// The most processor time that one step of a lane may take, milliseconds.
  public var stepMilliseconds: Int
  /// Lines that are not zero, in the order of `Subsystem.allCases`.
  public var lines: [BudgetLine]
}
