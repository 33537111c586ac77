/// What the board says of itself. What it has no sensor for is `nil`.
public struct BoardReadings: Hashable, Sendable {
  /// Time for which some process waited for a processor, for memory, for storage: percent of the last ten seconds.
  public var cpuPressure: Double?
  public var memoryPressure: Double?
  public var ioPressure: Double?
  /// The processor's, degrees Celsius.
  public var temperature: Double?
  /// Whether the board's firmware slows it down, or sees too low a supply, now.
  public var isThrottled: Bool?
  /// Charge of the battery that discharges most, percent; `nil` on the mains.
  public var batteryPercent: Double?

  public init() {}
}

/// Pressure, heat and power of the board. Any thread but a real-time one.
public protocol BoardSensors: Sendable {
  /// Some small files' worth of work; never waits for a device.
  func read() -> BoardReadings
}
