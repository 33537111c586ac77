internal import Hardware

/// The part of the systemd unit that follows from a board: limits from its budget, devices from its wiring.
///
/// A drop-in for `mynah.service` (systemd.unit(5)); `mynah board unit` prints it.
public struct UnitDropIn: Sendable {
  /// Above the microphone's thread (70), below the kernel's own (99).
  private static let realtimePriority = 75
  /// Beside what the process may have resident: pages of files that are being written and read, which the kernel counts
  /// as the service's and takes back when it needs them.
  private static let pageCacheMB = 64
  /// A fuse, not a brake: a recorder that is held back for a moment loses sound, one that runs wild must leave the other
  /// cores to the system. Threads at real-time priority are not counted.
  private static let processorFactor = 4

  private let board: BoardDescription

  public init(_ board: BoardDescription) { self.board = board }

  /// The drop-in, to its last line break.
  public var text: String {
    var lines = [
      "# Made from \(board.file.oneLine(limit: 200)) by: mynah board unit",
      "[Unit]", "RequiresMountsFor=\(Self.quoted(board.storage.data))", "", "[Service]",
      "# \(board.budget.rssMB) MiB of budget.rss_mb, and pages of files.",
      "MemoryMax=\(board.budget.rssMB + Self.pageCacheMB)M", "MemorySwapMax=0",
      "# \(board.budget.cpuPercent) % of a core are budgeted; this is the fuse.",
      "CPUQuota=\(max(100, board.budget.cpuPercent * Self.processorFactor))%",
      "LimitRTPRIO=\(Self.realtimePriority)", "# What is locked is bounded by MemoryMax.", "LimitMEMLOCK=infinity",
      "ReadWritePaths=\(Self.quoted("-" + board.storage.data))", "DeviceAllow=",
    ]
    if !board.rtcWake.isEmpty { lines.append("ReadWritePaths=\(Self.quoted("-" + board.rtcWake))") }
    lines += devices.map { "DeviceAllow=\($0)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What DeviceAllow= takes: groups as /proc/devices names them, or paths.
  private var devices: [String] {
    var devices: [String] = []
    if board.microphone.driver == .alsa || board.speaker.driver == .alsa { devices.append("char-alsa rw") }
    switch board.camera.driver {
    case .v4l2: devices.append("char-video4linux rw")
    // libcamera, which such a command uses, asks the media controller for the camera and shares its buffers.
    case .command:
      devices += ["char-video4linux rw", "char-media rw", "char-dma_heap rw", "/dev/vcsm-cma rw", "/dev/vchiq rw"]
    case .simulated, .none: break
    }
    if board.gpioDriver == .chardev { devices.append("char-gpiochip rw") }
    if !board.keypad.devices.isEmpty { devices.append("char-input r") }
    if board.display.controller == .ssd1306 || board.display.controller == .sh1106 { devices.append("char-i2c rw") }
    if board.screen.driver == .drm { devices.append("char-drm rw") }
    for path in [board.console.tty] + board.console.also where !path.isEmpty {
      for group in Self.serialGroups(path).map({ "char-\($0) rw" }) where !devices.contains(group) {
        devices.append(group)
      }
    }
    if !board.watchdog.device.isEmpty {
      devices.append(Self.quoted(board.watchdog.device) + " rw")
      devices.append("char-watchdog rw")
    }
    return devices
  }

  /// The driver of a serial line by its name; all of them where the name is a link, such as /dev/serial0.
  private static func serialGroups(_ path: String) -> [String] {
    let groups = ["ttyAMA", "ttyS", "ttyUSB", "ttyACM", "ttyGS"]
    let name = path.hasPrefix("/dev/") ? path.dropFirst(5) : path[...]
    if let group = groups.first(where: { name.hasPrefix($0) && name.dropFirst($0.count).allSatisfy(\.isNumber) }) {
      return [group]
    }
    return groups
  }

  /// A word of a unit file: `%` begins a specifier, quotation marks and backslashes have a meaning of their own.
  private static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": quoted += "%%"
      case "\"", "\\": quoted += "\\\(scalar)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    let isPlain = !quoted.contains { $0 == " " || $0 == "'" || $0 == "\\" || $0 == ";" }
    return isPlain ? quoted : "\"\(quoted)\""
  }
}
