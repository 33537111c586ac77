internal import CLinux
internal import Glibc
public import Hardware

/// The board's system on Linux. What this process may do itself it does; what it may not, it asks of the system by a
/// file in a folder that units of systemd's watch (`mynah-clock.path`, `mynah-power.path`): so the recorder itself needs
/// no right to set clocks or to switch anything off.
public final class SystemRequests: BoardSystem {
  /// Where the units look.
  public static let folder = "/run/mynah-system"
  private let folder: String

  public init(folder: String = SystemRequests.folder) { self.folder = folder }

  /// systemd-timesyncd's own sign, or the kernel's word.
  public var isClockKept: Bool? {
    if access("/run/systemd/timesync/synchronized", F_OK) == 0 { return true }
    let kept = mynah_clock_is_kept()
    return kept < 0 ? nil : kept == 1
  }

  public func setClock(_ time: WallTime) throws(DeviceError) {
    let code = SystemWork.setClock(time)
    guard code != 0 else { return }
    guard code == EPERM else { throw refusal("set the clock", code) }
    try ask(SystemRequest.clock(time, asOf: Instant(nanoseconds: SystemWork.monotonic)))
  }

  public func check(_ change: PowerChange) throws(DeviceError) {
    // In a container process 1 is anybody.
    guard access("/run/systemd/system", F_OK) == 0 else {
      throw DeviceError(
        .unsupported, device: "the board", operation: change.words,
        hint: "systemd does not run here: do it as the machine's own system does")
    }
    guard geteuid() == 0 || access(folder, W_OK) == 0 else { throw denial(.power(change)) }
  }

  public func power(_ change: PowerChange) throws(DeviceError) {
    try check(change)
    let code = SystemWork.power(change)
    guard code != 0 else { return }
    guard code == EPERM else { throw refusal(change.words, code) }
    try ask(.power(change))
  }

  /// Leaves a request where the unit finds it, whole.
  private func ask(_ request: SystemRequest) throws(DeviceError) {
    let target = "\(folder)/\(request.name)"
    let draft = "\(folder)/.\(request.name)"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard file >= 0 else { throw denial(request) }
    let bytes = Array(request.text.utf8)
    let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    guard written == bytes.count, rename(draft, target) == 0 else { throw denial(request) }
  }

  private func denial(_ request: SystemRequest) -> DeviceError {
    DeviceError(
      .denied, device: folder, operation: "ask the system to \(request.words)", code: errno,
      hint: "install mynah's package, which has the units mynah-clock.path and mynah-power.path, or run as root")
  }

  private func refusal(_ operation: String, _ code: Int32) -> DeviceError {
    DeviceError(.failed, device: "the system", operation: operation, code: code)
  }
}
