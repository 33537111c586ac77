internal import CLinux
internal import Glibc
public import Hardware

/// The board's system on Linux. What this process may do itself it does; what it may not, it asks of the system by a
/// file in a folder that units of systemd's watch (`mynah-clock.path`, `mynah-power.path`, and `mynah-update.path` of the
/// card's image): so the recorder itself needs no right to set clocks, to switch anything off or to write a system.
public final class SystemRequests: BoardSystem {
  /// Where the units look.
  public static let folder = "/run/mynah-system"
  /// What carries updates out; only the card's image has it.
  public static let updater = "/usr/lib/mynah/update"
  private let folder: String
  private let updater: String

  public init(folder: String = SystemRequests.folder, updater: String = SystemRequests.updater) {
    self.folder = folder
    self.updater = updater
  }

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

  public var update: UpdateReport? {
    guard access(updater, X_OK) == 0 else { return nil }
    let file = open("\(folder)/update-state", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return .silent }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: UpdateReport.limit + 1)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    return UpdateReport(Array(bytes[..<max(count, 0)])) ?? .silent
  }

  public func install(_ source: UpdateSource) throws(DeviceError) {
    guard access(updater, X_OK) == 0 else {
      throw DeviceError(
        .unsupported, device: "the system", operation: "install an update",
        hint: "only the card's image updates itself; elsewhere, install the new package")
    }
    guard leave(source.line + "\n", as: "update") else {
      throw DeviceError(
        .denied, device: folder, operation: "ask the system to install an update", code: errno,
        hint: "look at mynah-update.path (systemctl status), or run as root")
    }
  }

  public func confirmUpdate() throws(DeviceError) {
    guard leave("confirm\n", as: "confirm") else {
      throw DeviceError(
        .denied, device: folder, operation: "ask the system to judge the update", code: errno,
        hint: "look at mynah-good.service (systemctl status), or run as root")
    }
  }

  private func ask(_ request: SystemRequest) throws(DeviceError) {
    guard leave(request.text, as: request.name) else { throw denial(request) }
  }

  /// Leaves a request where the unit finds it, whole. Whether it could; `errno` says why not.
  private func leave(_ text: String, as name: String) -> Bool {
    let draft = "\(folder)/.\(name)"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard file >= 0 else { return false }
    let bytes = Array(text.utf8)
    let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    return written == bytes.count && rename(draft, "\(folder)/\(name)") == 0
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
