internal import CLinux
internal import Glibc
public import Hardware

/// The service manager that started the program, by the protocol of sd_notify(3): datagrams to the Unix socket of
/// `NOTIFY_SOCKET`.
public final class SystemdManager: ServiceManager {
  private let address: String
  private let descriptor: Int32

  /// The manager of this process; `nil` if none waits to be told.
  ///
  /// The variables are taken out of the environment, so that no child tells in our name.
  ///
  /// - Returns: the manager, and its watchdog if it set one for this process (`WATCHDOG_USEC`, `WATCHDOG_PID`).
  public static func ofThisProcess() -> (manager: SystemdManager, watchdog: SystemdWatchdog?)? {
    func take(_ name: String) -> String? {
      let value = getenv(name).map { String(cString: $0) }
      unsetenv(name)
      return value
    }
    let address = take("NOTIFY_SOCKET") ?? ""
    let microseconds = take("WATCHDOG_USEC").flatMap { Int64($0) }
    let process = take("WATCHDOG_PID").flatMap { Int32($0) }
    guard let manager = SystemdManager(address: address) else { return nil }
    guard let microseconds, microseconds > 0, microseconds < 1 << 40, process == nil || process == getpid() else {
      return (manager, nil)
    }
    return (manager, SystemdWatchdog(manager, period: .microseconds(microseconds)))
  }

  /// - Parameter address: a path, or `@` and an abstract name.
  public init?(address: String) {
    guard address.utf8.count > 1, let first = address.utf8.first,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    else { return nil }
    let opened = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard opened >= 0 else { return nil }
    descriptor = opened
    self.address = address
  }

  deinit { close(descriptor) }

  public func tellReady() { send("READY=1") }
  public func tellStopping() { send("STOPPING=1") }

  /// A line break would begin another field.
  public func tell(status: String) {
    let line = status.utf8.map { $0 < 32 ? UInt8(ascii: " ") : $0 }
    send("STATUS=" + String(decoding: line, as: UTF8.self))
  }

  /// - Returns: an errno if it was not sent.
  @discardableResult
  func send(_ field: String) -> Int32? {
    let bytes = Array(field.utf8)
    let result = bytes.withUnsafeBytes { mynah_notify(descriptor, address, $0.baseAddress, $0.count) }
    return result == 0 ? nil : errno
  }
}

/// The service manager's watchdog: it ends and restarts a program that does not report in time.
public final class SystemdWatchdog: Watchdog {
  public let name = "service manager"
  private let manager: SystemdManager
  private let period: Duration

  init(_ manager: SystemdManager, period: Duration) {
    self.manager = manager
    self.period = period
  }

  /// The manager has started it already.
  public func start() throws(DeviceError) -> Duration { period }

  public func feed() throws(DeviceError) {
    if let code = manager.send("WATCHDOG=1") {
      throw DeviceError(
        .failed, device: name, operation: "report", code: code, hint: "systemctl status mynah tells more")
    }
  }

  /// The manager stops it by itself when the service says that it is stopping.
  public func stop() {}
}

extension HardwareSet {
  /// Adds the service manager that started this process, and its watchdog, if there are any. Once a process.
  public mutating func addServiceManager() {
    guard let service = SystemdManager.ofThisProcess() else { return }
    serviceManager = service.manager
    if let watchdog = service.watchdog { watchdogs.append(watchdog) }
  }
}
