internal import CLinux
internal import Glibc
internal import Hardware

/// Serial lines as termios(3) knows them.
enum SerialLine {
  /// Rates that every serial driver of Linux names.
  static let rates: [Int: speed_t] = [
    1200: speed_t(B1200), 2400: speed_t(B2400), 4800: speed_t(B4800), 9600: speed_t(B9600), 19_200: speed_t(B19200),
    38_400: speed_t(B38400), 57_600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400),
    460_800: speed_t(B460800), 500_000: speed_t(B500000), 576_000: speed_t(B576000), 921_600: speed_t(B921600),
    1_000_000: speed_t(B1000000), 1_152_000: speed_t(B1152000), 1_500_000: speed_t(B1500000),
    2_000_000: speed_t(B2000000), 2_500_000: speed_t(B2500000), 3_000_000: speed_t(B3000000),
    3_500_000: speed_t(B3500000), 4_000_000: speed_t(B4000000),
  ]

  /// The rate by termios' own name.
  static func speed(_ baud: Int, of path: String) throws(DeviceError) -> speed_t {
    if let speed = rates[baud] { return speed }
    let known = rates.keys.sorted().map(String.init).joined(separator: ", ")
    throw DeviceError(
      .unsupported, device: path, operation: "set the rate to \(baud) baud", hint: "choose one of \(known)")
  }

  /// Opens a line for ourselves: raw, eight bits, no parity, one stop bit, no flow control, modem lines ignored.
  ///
  /// O_NONBLOCK: neither does opening wait for a carrier, nor reading or writing for the peer. O_NOCTTY: a break or a
  /// hang-up on the line is no signal to us.
  static func open(_ path: String, baud: Int) throws(DeviceError) -> Int32 {
    let speed = try speed(baud, of: path)
    let descriptor = retrying { Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure("open", path) }
    do throws(DeviceError) {
      var settings = termios()
      guard tcgetattr(descriptor, &settings) == 0 else { throw failure("read the settings of", path) }
      cfmakeraw(&settings)
      settings.c_cflag &= ~(tcflag_t(CSIZE) | tcflag_t(PARENB) | tcflag_t(CSTOPB) | tcflag_t(CRTSCTS))
      // Without HUPCL the modem lines stay as they are when we close, so that no board on the other end is reset.
      settings.c_cflag &= ~tcflag_t(HUPCL)
      settings.c_cflag |= tcflag_t(CS8) | tcflag_t(CREAD) | tcflag_t(CLOCAL)
      cfsetispeed(&settings, speed)
      cfsetospeed(&settings, speed)
      guard retrying({ tcsetattr(descriptor, TCSANOW, &settings) }) == 0 else { throw failure("set up", path) }
      // tcsetattr is content if any one setting took (termios(3)); ask for what we cannot do without.
      var granted = termios()
      guard tcgetattr(descriptor, &granted) == 0 else { throw failure("read the settings of", path) }
      guard cfgetospeed(&granted) == speed || !hasRate(descriptor, granted) else {
        throw DeviceError(
          .unsupported, device: path, operation: "set the rate to \(baud) baud",
          hint: "the line's driver cannot do that rate; choose another")
      }
      // Two readers of one line would each get some of the bytes.
      _ = mynah_tty_exclusive(descriptor)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Whether the line has a rate at all. A USB gadget (`/dev/ttyGS0`) has none: its driver lets every request pass, and
  /// what was set before stays (Linux: drivers/usb/gadget/function/u_serial.c has no `set_termios`; tty_set_termios
  /// in drivers/tty/tty_ioctl.c then keeps the hardware's part).
  ///
  /// - Parameter granted: what the driver made of the rate that was asked for.
  private static func hasRate(_ descriptor: Int32, _ granted: termios) -> Bool {
    var probe = granted
    let other = cfgetospeed(&probe) == speed_t(B9600) ? speed_t(B38400) : speed_t(B9600)
    cfsetispeed(&probe, other)
    cfsetospeed(&probe, other)
    var result = termios()
    guard retrying({ tcsetattr(descriptor, TCSANOW, &probe) }) == 0, tcgetattr(descriptor, &result) == 0 else {
      return true
    }
    return cfgetospeed(&result) == other
  }

  private static func failure(_ operation: String, _ path: String) -> DeviceError {
    let code = errno
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT, ENXIO, ENODEV: (.missing, "plug it in, or name another line in the board file")
      case EACCES, EPERM: (.denied, "become a member of the group dialout")
      case EBUSY: (.busy, "another program has the line; a getty on it is stopped by systemctl stop serial-getty@…")
      case ENOTTY: (.unsupported, "it is no serial line; name another one")
      default: (.failed, "")
      }
    return DeviceError(kind, device: path, operation: operation, code: code, hint: hint)
  }
}
