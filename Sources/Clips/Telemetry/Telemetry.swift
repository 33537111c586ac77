public import Hardware

/// One reading of `onTelemetryUpdate`. What the clip recorder does not know itself is filled in by the runtime.
public struct Telemetry: Hashable, Sendable {
  public var time: Instant
  /// Pictures a second, over the last second.
  public var framesPerSecond = 0.0
  /// Pictures lost since the recorder was made, whatever the cause.
  public var dropped = 0
  public var bufferSeconds = 0.0
  public var bufferBytes = 0
  /// How far the sound's clock is off, parts per million.
  public var soundDriftPPM = 0.0
  /// Degrees Celsius.
  public var temperature: Double?
  /// Share of one core, 0…number of cores.
  public var processorLoad: Double?
  public var residentBytes: Int?
  public var storageFreeBytes: Int?
}

/// The last readings, oldest first, never more than `capacity`. A plain value.
public struct TelemetryHistory: Sendable {
  public let capacity: Int
  private var readings: [Telemetry] = []
  /// Where the next reading goes once it is full.
  private var next = 0

  public init(capacity: Int) {
    self.capacity = max(1, capacity)
    readings.reserveCapacity(self.capacity)
  }

  /// Oldest first.
  public var all: [Telemetry] { Array(readings[next...] + readings[..<next]) }
  /// The newest reading.
  public var latest: Telemetry? { readings.isEmpty ? nil : readings[(next + readings.count - 1) % readings.count] }

  public mutating func add(_ reading: Telemetry) {
    if readings.count < capacity {
      readings.append(reading)
    } else {
      readings[next] = reading
      next = (next + 1) % capacity
    }
  }
}
