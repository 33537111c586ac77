public import Hardware

/// One reading of `onTelemetryUpdate`. What the clip recorder does not know itself is filled in by the runtime.
public struct Telemetry: Hashable, Sendable {
  public var time: Instant
  /// Pictures a second, over the last second.
  public var framesPerSecond: Double
  /// Pictures lost since the recorder was made, whatever the cause.
  public var dropped: Int
  public var bufferSeconds: Double
  public var bufferBytes: Int
  /// How far the sound's clock is off, parts per million.
  public var soundDriftPPM: Double
  /// Degrees Celsius.
  public var temperature: Double?
  /// Share of one core, 0…number of cores.
  public var processorLoad: Double?
  public var residentBytes: Int?
  public var storageFreeBytes: Int?

  public init(
    time: Instant, framesPerSecond: Double = 0, dropped: Int = 0, bufferSeconds: Double = 0, bufferBytes: Int = 0,
    soundDriftPPM: Double = 0, temperature: Double? = nil, processorLoad: Double? = nil, residentBytes: Int? = nil,
    storageFreeBytes: Int? = nil
  ) {
    self.time = time
    self.framesPerSecond = framesPerSecond
    self.dropped = dropped
    self.bufferSeconds = bufferSeconds
    self.bufferBytes = bufferBytes
    self.soundDriftPPM = soundDriftPPM
    self.temperature = temperature
    self.processorLoad = processorLoad
    self.residentBytes = residentBytes
    self.storageFreeBytes = storageFreeBytes
  }
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
