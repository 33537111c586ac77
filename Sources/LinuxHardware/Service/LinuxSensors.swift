internal import Glibc
public import Hardware

/// The kernel's own readings: pressure stall information (Documentation/accounting/psi.rst), the first thermal zone, the
/// throttle flags of a Raspberry Pi's firmware, batteries (Documentation/ABI/testing/sysfs-class-power), and the names in the
/// device tree or the PC's firmware.
public final class LinuxSensors: BoardSensors {
  private let root: String

  /// - Parameter root: goes before each path; for tests.
  public init(root: String = "") { self.root = root }

  public func read() -> BoardReadings {
    var readings = BoardReadings()
    readings.cpuPressure = pressure("cpu")
    readings.memoryPressure = pressure("memory")
    readings.ioPressure = pressure("io")
    readings.temperature = number("/sys/class/thermal/thermal_zone0/temp").map { $0 / 1000 }
    readings.throttle = line("/sys/devices/platform/soc/soc:firmware/get_throttled").flatMap(Self.hexadecimal).map {
      Throttle(flags: $0)
    }
    readings.battery = battery
    return readings
  }

  public func identity() -> BoardIdentity {
    var identity = BoardIdentity()
    identity.model = line("/proc/device-tree/model") ?? line("/sys/class/dmi/id/product_name")
    identity.serial = line("/proc/device-tree/serial-number") ?? line("/sys/class/dmi/id/product_serial")
    identity.cardWearPercent = cardWear
    return identity
  }

  /// `some avg10=1.53 avg60=…`: percent of ten seconds in which somebody waited.
  private func pressure(_ name: String) -> Double? {
    guard let text = line("/proc/pressure/\(name)") else { return nil }
    let words = text.split(separator: " ")
    guard words.count > 1, words[0] == "some", words[1].hasPrefix("avg10=") else { return nil }
    return Self.decimal(words[1].dropFirst(6))
  }

  /// The board's own; one of a mouse or a phone beside it is none.
  private var battery: BoardReadings.Battery? {
    let folder = "/sys/class/power_supply"
    var found: BoardReadings.Battery?
    for name in entries(folder)
    where line("\(folder)/\(name)/type") == "Battery" && line("\(folder)/\(name)/scope") != "Device" {
      guard let percent = line("\(folder)/\(name)/capacity").flatMap({ Int($0) }), (0...100).contains(percent) else {
        continue
      }
      let isDischarging = line("\(folder)/\(name)/status") == "Discharging"
      let isLower = found.map { isDischarging && (!$0.isDischarging || percent < $0.percent) } ?? true
      if isLower { found = BoardReadings.Battery(percent: percent, isDischarging: isDischarging) }
    }
    return found
  }

  /// eMMC tells it (JEDEC JESD84-B51, EXT_CSD 268 and 269: 0x0b is beyond its life); SD cards have no common way.
  private var cardWear: Int? {
    for name in entries("/sys/block") where name.hasPrefix("mmcblk") {
      let tenths = (line("/sys/block/\(name)/device/life_time") ?? "").split(separator: " ").compactMap {
        Self.hexadecimal(String($0))
      }
      if let worst = tenths.max(), (1...11).contains(worst) { return Int(worst) * 10 }
    }
    return nil
  }

  private static func hexadecimal(_ text: String) -> UInt32? {
    UInt32(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
  }

  private func number(_ path: String) -> Double? { line(path).flatMap { Self.decimal($0[...]) } }

  /// A number as the kernel writes it; anything else, and what no sensor says, is `nil`.
  private static func decimal(_ text: Substring) -> Double? {
    guard let number = Double(text), number.isFinite, abs(number) < 1e9 else { return nil }
    return number
  }

  private func entries(_ folder: String) -> [String] {
    guard let directory = opendir(root + folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The first line of a small file, up to the byte 0 with which texts of a device tree end; `nil` if there is none.
  private func line(_ path: String) -> String? {
    let file = open(root + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes -> String? in
      let count = Glibc.read(file, bytes.baseAddress, bytes.count)
      guard count > 0 else { return nil }
      let text = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
      return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }
  }
}
