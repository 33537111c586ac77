internal import Glibc
internal import Hardware

/// Looks whether the board is throttled or its battery low: a reason to fetch and decode less. One thread.
final class LowPowerWatch {
  private let throttleFile: String
  private let batteryFolder: String
  private(set) var next = Instant.zero
  private var isLow = false

  private static let interval = Duration.seconds(5)
  /// Percent of a discharging battery below which there is reason to save.
  private static let lowestCharge = 15

  /// - Parameters:
  ///   - throttleFile: the Raspberry Pi firmware's flags, a hexadecimal number: bit 0 under-voltage, 1 frequency
  ///     capped, 2 throttled, 3 soft temperature limit, all of now (the same 16 bits further up: since the start).
  ///   - batteryFolder: power_supply class of the kernel (Documentation/ABI/testing/sysfs-class-power).
  init(
    throttleFile: String = "/sys/devices/platform/soc/soc:firmware/get_throttled",
    batteryFolder: String = "/sys/class/power_supply"
  ) {
    self.throttleFile = throttleFile
    self.batteryFolder = batteryFolder
  }

  /// Looks, if it is time to.
  ///
  /// - Returns: whether power is low, when that has changed.
  func look(now: Instant) -> Bool? {
    guard now >= next else { return nil }
    next = now + Self.interval
    let found = isThrottled || isBatteryLow
    guard found != isLow else { return nil }
    isLow = found
    return found
  }

  private var isThrottled: Bool {
    guard let text = Self.line(of: throttleFile) else { return false }
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    return (UInt32(digits, radix: 16) ?? 0) & 0xf != 0
  }

  private var isBatteryLow: Bool {
    Self.entries(of: batteryFolder).contains { name in
      let folder = "\(batteryFolder)/\(name)"
      guard Self.line(of: "\(folder)/status") == "Discharging" else { return false }
      return Self.line(of: "\(folder)/capacity").flatMap { Int($0) }.map { $0 < Self.lowestCharge } ?? false
    }
  }

  private static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// The first line of a small file; `nil` if there is none.
  private static func line(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
