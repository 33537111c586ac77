/// The clock that can switch a sleeping board on. Control thread only; no call blocks for long.
public protocol WakeAlarm: AnyObject {
  /// Has the board woken at a time, or (nil) not.
  func set(_ time: WallTime?) throws(DeviceError)
}
