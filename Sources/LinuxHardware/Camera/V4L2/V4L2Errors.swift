internal import Glibc
internal import Hardware

/// From Video4Linux's error codes to errors that say what to do.
enum V4L2Errors {
  static func error(_ path: String, _ operation: String, code: Int32) -> DeviceError {
    let kind = kind(of: code)
    return DeviceError(kind, device: path, operation: operation, code: code, hint: hint(kind, path))
  }

  /// The class of an errno.
  static func kind(of code: Int32) -> DeviceError.Kind {
    switch code {
    case ENOENT, ENODEV, ENXIO: .missing
    case EBUSY: .busy
    case EACCES, EPERM: .denied
    case EINVAL, ENOTTY, ENOSYS, ENOTSUP: .unsupported
    default: .failed
    }
  }

  private static func hint(_ kind: DeviceError.Kind, _ path: String) -> String {
    switch kind {
    case .missing: "plug it in, or correct its name in the board file; v4l2-ctl --list-devices lists what is there"
    case .busy: "stop the program that has it; fuser -v \(path) names it"
    case .denied: "add the user to the group video, or install the udev rules, and log in again"
    case .unsupported: "choose what it can do; v4l2-ctl -d \(path) --list-formats-ext shows it"
    case .lost, .failed: "plug it in again; dmesg tells what the kernel saw"
    }
  }
}
