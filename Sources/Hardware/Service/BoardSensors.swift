/// What the board says of itself now. What it has no sensor for is `nil`.
public struct BoardReadings: Hashable, Sendable {
  /// Time for which some process waited for a processor, for memory, for storage: percent of the last ten seconds.
  public var cpuPressure: Double?
  public var memoryPressure: Double?
  public var ioPressure: Double?
  /// The processor's, degrees Celsius.
  public var temperature: Double?
  /// What the board's firmware holds the processor back for; `nil`: it does not tell.
  public var throttle: Throttle?
  /// The one that discharges most, or the first where none does.
  public var battery: Battery?

  public init() {}

  public struct Battery: Hashable, Sendable {
    /// 0…100.
    public var percent: Int
    /// The device runs from it.
    public var isDischarging: Bool

    public init(percent: Int, isDischarging: Bool) { (self.percent, self.isDischarging) = (percent, isDischarging) }
  }
}

/// Why a processor is slower than it can be. The Raspberry Pi firmware's flags: four of now, and the same four since the
/// start 16 bits further up.
public struct Throttle: Hashable, Sendable {
  private let flags: UInt32

  public init(flags: UInt32) { self.flags = flags }

  /// Under-voltage, a capped frequency, throttling, or the soft limit of temperature: now.
  public var isNow: Bool { flags & 0xf != 0 }

  /// Words of what holds the processor back; `-before` behind one that no longer does.
  public var words: [String] {
    ["undervoltage", "capped", "throttled", "hot"].enumerated().compactMap { place, word in
      if flags & 1 << UInt32(place) != 0 { return word }
      return flags & 1 << UInt32(place + 16) != 0 ? "\(word)-before" : nil
    }
  }
}

/// Who a board is, and how worn: what does not change while one looks. What is not told is `nil`.
public struct BoardIdentity: Hashable, Sendable {
  public var model: String?
  public var serial: String?
  /// Of the card's life, in steps of ten; the worse of its two kinds of cells.
  public var cardWearPercent: Int?

  public init() {}
}

/// Pressure, heat and power of the board, and its name. Any thread but a real-time one.
public protocol BoardSensors: Sendable {
  /// Some small files' worth of work; never waits for a device.
  func read() -> BoardReadings
  /// As `read`, for what changes seldom or never.
  func identity() -> BoardIdentity
}
