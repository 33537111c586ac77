internal import Glibc
public import Hardware

/// The kernel's own readings: pressure stall information (Documentation/accounting/psi.rst), the first thermal zone, the
/// throttle flags of a Raspberry Pi's firmware, and batteries (Documentation/ABI/testing/sysfs-class-power).
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
    readings.isThrottled = isThrottled
    readings.batteryPercent = battery
    return readings
  }

  /// `some avg10=1.53 avg60=…`: percent of ten seconds in which somebody waited.
  private func pressure(_ name: String) -> Double? {
    guard let text = line("/proc/pressure/\(name)") else { return nil }
    let words = text.split(separator: " ")
    guard words.count > 1, words[0] == "some", words[1].hasPrefix("avg10=") else { return nil }
    return Self.decimal(words[1].dropFirst(6))
  }

  /// Bit 0 under-voltage, 1 frequency capped, 2 throttled, 3 soft limit of temperature: all of now.
  private var isThrottled: Bool? {
    guard let text = line("/sys/devices/platform/soc/soc:firmware/get_throttled") else { return nil }
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    return UInt32(digits, radix: 16).map { $0 & 0xf != 0 }
  }

  private var battery: Double? {
    let folder = "/sys/class/power_supply"
    var lowest: Double?
    for name in entries(folder) where line("\(folder)/\(name)/status") == "Discharging" {
      guard let charge = number("\(folder)/\(name)/capacity") else { continue }
      lowest = min(lowest ?? charge, charge)
    }
    return lowest
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
    return names
  }

  /// The first line of a small file; `nil` if there is none.
  private func line(_ path: String) -> String? {
    let file = open(root + path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes -> String? in
      let count = Glibc.read(file, bytes.baseAddress, bytes.count)
      guard count > 0 else { return nil }
      return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }
}
