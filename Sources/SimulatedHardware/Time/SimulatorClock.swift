public import Hardware

/// A clock of the simulator's: its wall clock can be made to jump.
public protocol SimulatorClock: DeviceClock {
  /// Moves the wall clock by this much, either way; the monotonic clock does not notice. Any thread.
  func jumpWall(by duration: Duration)
}
