internal import Glibc
public import Hardware

/// A file of the kernel's (sysfs) of whose changes it tells, such as `state` of a USB device controller. For one thread.
public final class WatchedAttribute {
  private let descriptor: Int32

  /// - Parameter path: of the file, `/sys/class/udc/fe980000.usb/state`. Changes count from now on.
  public convenience init(_ path: String) throws(DeviceError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw DeviceError(
        code == EACCES ? .denied : .missing, device: path, operation: "watch it", code: code,
        hint: "name a file below /sys/class/udc")
    }
    // What has not been read yet counts as a change.
    var text = [UInt8](repeating: 0, count: 4096)
    _ = read(descriptor, &text, text.count)
    self.init(descriptor: descriptor)
  }

  /// Owns the descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Waits until there is something to read at another descriptor, or it has come to its end.
  ///
  /// - Returns: false if a change was told before; the other one is not looked at any more then.
  func isUnchanged(untilInput other: Int32) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&polled, nfds_t(polled.count), -1)
      if count < 0, errno == EINTR { continue }
      return count > 0 && polled[0].revents == 0
    }
  }
}
