internal import Glibc

/// What a machine tells of itself beside its processes: who it is, how warm, from which supply, how worn its card is.
/// What the kernel does not tell is nil.
public struct MachineReadings: Hashable, Sendable {
  public struct Battery: Hashable, Sendable {
    /// 0…100.
    public var percent: Int
    public var isDischarging: Bool
  }

  public var model: String?
  public var serial: String?
  /// Degrees Celsius.
  public var temperature: Double?
  /// Words of what holds the processor back; `-before` behind one that no longer does.
  public var throttle: [String]?
  public var battery: Battery?
  /// Of the card's life, in steps of ten; the worse of its two kinds of cells.
  public var cardWearPercent: Int?

  public init() {}

  /// Reads some ten small files of /proc and /sys.
  ///
  /// - Parameter root: in front of their paths; for tests.
  public static func now(root: String = "") -> MachineReadings {
    var readings = MachineReadings()
    let tree = "\(root)/proc/device-tree"
    readings.model = line("\(tree)/model") ?? line("\(root)/sys/class/dmi/id/product_name")
    readings.serial = line("\(tree)/serial-number") ?? line("\(root)/sys/class/dmi/id/product_serial")
    readings.temperature = temperature(root: root)
    readings.throttle = line("\(root)/sys/devices/platform/soc/soc:firmware/get_throttled").flatMap(words)
    readings.battery = battery("\(root)/sys/class/power_supply")
    readings.cardWearPercent = wear("\(root)/sys/block")
    return readings
  }

  /// Of the processor, degrees Celsius (thermal sysfs: millidegrees).
  static func temperature(root: String = "") -> Double? {
    line("\(root)/sys/class/thermal/thermal_zone0/temp").flatMap { Int($0) }.map { Double($0) / 1000 }
  }

  /// The Raspberry Pi firmware's flags: four of now, and the same four since the start 16 bits further up.
  private static func words(of flags: String) -> [String]? {
    guard let bits = UInt32(flags.hasPrefix("0x") ? flags.dropFirst(2) : flags[...], radix: 16) else { return nil }
    return ["undervoltage", "capped", "throttled", "hot"].enumerated().compactMap { place, word in
      if bits & 1 << UInt32(place) != 0 { return word }
      return bits & 1 << UInt32(place + 16) != 0 ? "\(word)-before" : nil
    }
  }

  private static func battery(_ folder: String) -> Battery? {
    for name in entries(folder) where line("\(folder)/\(name)/type") == "Battery" {
      guard let percent = line("\(folder)/\(name)/capacity").flatMap({ Int($0) }), (0...100).contains(percent) else {
        continue
      }
      return Battery(percent: percent, isDischarging: line("\(folder)/\(name)/status") == "Discharging")
    }
    return nil
  }

  /// eMMC tells it (JEDEC JESD84-B51, EXT_CSD 268 and 269: 0x0b is beyond its life); SD cards have no common way.
  private static func wear(_ folder: String) -> Int? {
    for name in entries(folder) where name.hasPrefix("mmcblk") {
      let tenths = (line("\(folder)/\(name)/device/life_time") ?? "").split(separator: " ").compactMap {
        Int($0.hasPrefix("0x") ? $0.dropFirst(2) : $0, radix: 16)
      }
      if let worst = tenths.max(), (1...11).contains(worst) { return worst * 10 }
    }
    return nil
  }

  private static func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The first line, up to the byte 0 with which texts of a device tree end; nil if there is none.
  private static func line(_ path: String) -> String? {
    let bytes = ProcessUsage.read(path).prefix { $0 != 10 && $0 != 0 }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
