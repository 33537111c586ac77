/// What the front panel tells with, each on a line of its own. The raw value is the name in board files and scripts.
public enum Lamp: String, CaseIterable, Hashable, Sendable {
  /// Red.
  case rec = "REC"
  /// Green.
  case status = "STATUS"
  /// Amber.
  case lock = "LOCK"
  /// A buzzer that makes its tone itself, or a motor that shakes the case.
  case buzzer = "BUZZER"

  /// Those that can be seen.
  public static let lights: [Lamp] = [.rec, .status, .lock]
}

/// Drives lamps: GPIO lines, or the simulator's.
///
/// Called by the control loop at every change of level, some 10 times a second at most; never blocks for more
/// than a millisecond.
public protocol Lamps: AnyObject {
  func set(_ lamp: Lamp, isLit: Bool) throws(DeviceError)
}
