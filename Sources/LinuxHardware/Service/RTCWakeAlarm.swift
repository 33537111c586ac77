internal import Glibc
public import Hardware

/// The alarm of a real-time clock, by `wakealarm` in its folder below /sys/class/rtc (Documentation/admin-guide/rtc.rst).
public final class RTCWakeAlarm: WakeAlarm {
  private let path: String

  /// - Parameter clock: the clock's folder: `/sys/class/rtc/rtc0`.
  public init(clock: String) { path = clock + "/wakealarm" }

  public func set(_ time: WallTime?) throws(DeviceError) {
    // The kernel refuses a new time while an old one stands.
    try write("0")
    if let time { try write(String(time.seconds)) }
  }

  private func write(_ text: String) throws(DeviceError) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard bytes.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == bytes.count else { throw failure() }
  }

  private func failure() -> DeviceError {
    let code = errno
    let kind: DeviceError.Kind = code == ENOENT ? .missing : code == EACCES || code == EPERM ? .denied : .failed
    return DeviceError(
      kind, device: path, operation: "set the alarm", code: code,
      hint: code == ENOENT
        ? "this clock has no alarm: leave out clock.rtc_wake" : "let mynah's user write to it, by a udev rule")
  }
}
