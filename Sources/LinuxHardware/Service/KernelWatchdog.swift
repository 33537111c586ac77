internal import CLinux
internal import Glibc
public import Hardware

/// A hardware watchdog behind the kernel's character device (Documentation/watchdog/watchdog-api.rst): unless it is fed,
/// the board is reset, whatever state the kernel is in.
public final class KernelWatchdog: Watchdog {
  public var name: String { path }
  private let path: String
  private let seconds: Int
  private var descriptor: Int32 = -1

  /// - Parameters:
  ///   - path: `/dev/watchdog`.
  ///   - seconds: the time to ask for; the driver may grant another.
  public init(path: String, seconds: Int) {
    self.path = path
    self.seconds = seconds
  }

  /// Without `stop` the timer goes on: a program that crashes has the board reset, or is restarted in time.
  deinit { if descriptor >= 0 { close(descriptor) } }

  public func start() throws(DeviceError) -> Duration {
    if descriptor < 0 { descriptor = retrying { open(path, O_WRONLY | O_CLOEXEC) } }
    guard descriptor >= 0 else { throw failure("open", errno) }
    let granted = mynah_watchdog_timeout(descriptor, Int32(clamping: seconds))
    guard granted > 0 else {
      let code = errno
      stop()
      throw failure("set its time", code)
    }
    try feed()
    return .seconds(Int(granted))
  }

  public func feed() throws(DeviceError) {
    guard descriptor >= 0 else { return }
    // Any byte but V.
    guard retrying({ Int32(write(descriptor, "\0", 1)) }) == 1 else { throw failure("feed", errno) }
  }

  /// The magic close: a V just before closing stops the timer, unless the driver was told never to (`nowayout`).
  public func stop() {
    guard descriptor >= 0 else { return }
    _ = retrying { Int32(write(descriptor, "V", 1)) }
    close(descriptor)
    descriptor = -1
  }

  private func failure(_ operation: String, _ code: Int32) -> DeviceError {
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT, ENODEV, ENXIO:
        (.missing, "load its driver, or set watchdog.device to \"\" in the board file")
      case EBUSY:
        (.busy, "the service manager may have it (RuntimeWatchdogSec in system.conf), and that is good enough")
      case EACCES, EPERM: (.denied, "install udev/70-mynah.rules, or run as root")
      case ENOTTY: (.unsupported, "it is no watchdog; name another in the board file")
      default: (.failed, "dmesg tells what the kernel saw")
      }
    return DeviceError(kind, device: path, operation: operation, code: code, hint: hint)
  }
}
