public import Hardware
internal import Synchronization

/// A board that says of itself what a script has it say. Any thread.
public final class SimulatedSensors: BoardSensors, Sendable {
  private let readings = Mutex(SimulatedSensors.calm)

  public init() {}

  /// In the shade, on the mains, with nobody beside it.
  private static var calm: BoardReadings {
    var readings = BoardReadings()
    (readings.cpuPressure, readings.memoryPressure, readings.ioPressure) = (0, 0, 0)
    readings.temperature = 45
    readings.throttle = Throttle(flags: 0)
    return readings
  }

  public func read() -> BoardReadings { readings.withLock { $0 } }

  public func identity() -> BoardIdentity { BoardIdentity() }

  /// Changes what is said from now on.
  func change(_ fault: BoardFault) {
    readings.withLock { readings in
      switch fault {
      case .heat(let degrees): readings.temperature = Double(degrees)
      case .cool: readings.temperature = Self.calm.temperature
      case .throttle(let isOn): readings.throttle = Throttle(flags: isOn ? 4 : 0)
      case .battery(let percent):
        readings.battery = percent.map { BoardReadings.Battery(percent: $0, isDischarging: true) }
      case .cpuPressure(let percent): readings.cpuPressure = Double(percent)
      case .memoryPressure(let percent): readings.memoryPressure = Double(percent)
      case .ioPressure(let percent): readings.ioPressure = Double(percent)
      case .noPressure: (readings.cpuPressure, readings.memoryPressure, readings.ioPressure) = (0, 0, 0)
      }
    }
  }
}
