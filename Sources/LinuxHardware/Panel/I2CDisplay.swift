internal import CLinux
internal import Glibc
public import Hardware

/// An OLED on an I2C bus (`/dev/i2c-N` of the kernel's i2c-dev).
///
/// Belongs to one worker thread; every call blocks for the time on the bus: at 400 kHz some 25 ms for a whole frame, less
/// for what changes in practice, and up to a second when the bus is stuck.
public final class I2CDisplay: Display {
  /// The bus and the address, as errors and the doctor name them: `/dev/i2c-1@0x3c`.
  public let name: String
  /// What it shows: size, orientation, brightness.
  public private(set) var panel: OLEDPanel
  /// As the board file has it.
  private let ordinary: OLEDPanel

  private let bus: String
  private let address: Int
  private var descriptor: Int32 = -1
  /// What the controller's memory holds.
  private var shown: Frame?

  /// - Parameters:
  ///   - bus: path of the adapter, `/dev/i2c-1`.
  ///   - address: 7 bits, usually 0x3c or 0x3d.
  public init(bus: String, address: Int = 0x3c, panel: OLEDPanel) {
    self.bus = bus
    self.address = address
    self.panel = panel
    ordinary = panel
    name = "\(bus)@0x\(String(address, radix: 16))"
  }

  deinit { close() }

  /// Sets the controller up, clears it and switches it on.
  public func open() throws(DeviceError) {
    release()
    guard OLEDProtocol(panel).isSupported else {
      throw DeviceError(
        .unsupported, device: name, operation: "drive \(panel.width)×\(panel.height) pixels",
        hint: "name the display's true size and controller in the board file")
    }
    guard (0x03...0x77).contains(address) else {
      throw DeviceError(
        .unsupported, device: name, operation: "use this address", hint: "I2C addresses are 0x03 to 0x77, mostly 0x3c")
    }
    let opened = retrying { Glibc.open(bus, O_RDWR | O_CLOEXEC) }
    guard opened >= 0 else { throw failure("open the bus") }
    descriptor = opened
    do throws(DeviceError) {
      guard mynah_i2c_address(descriptor, Int32(address)) == 0 else { throw failure("choose the address") }
      let talk = OLEDProtocol(panel)
      let dark = Frame(width: panel.width, height: panel.height)
      try send(talk.wakeUp + talk.update(to: dark, from: nil) + [talk.switchOn], "wake")
      shown = dark
    } catch {
      release()
      throw error
    }
  }

  public func show(_ frame: Frame) throws(DeviceError) {
    guard descriptor >= 0, let previous = shown else { throw notOpen("show a frame") }
    guard frame.width == panel.width, frame.height == panel.height else {
      throw DeviceError(
        .unsupported, device: name, operation: "show \(frame.width)×\(frame.height) pixels",
        hint: "the display has \(panel.width)×\(panel.height)")
    }
    guard frame != previous else { return }
    // If it fails half way, the contents of the memory are unknown; `open` starts anew.
    shown = nil
    try send(OLEDProtocol(panel).update(to: frame, from: previous), "show a frame")
    shown = frame
  }

  public func look(_ look: DisplayLook) throws(DeviceError) {
    panel.contrast = look.brightness.map { UInt8(clamping: $0 * 255 / 100) } ?? ordinary.contrast
    panel.isInverted = look.isInverted != ordinary.isInverted
    guard descriptor >= 0 else { return }
    let talk = OLEDProtocol(panel)
    try send([talk.contrast(panel.contrast), talk.inversion(panel.isInverted)], "change the look")
  }

  public func close() {
    guard descriptor >= 0 else { return }
    // A display that does not answer any more is dark already, or cannot be helped.
    try? send([OLEDProtocol(panel).switchOff], "switch off")
    release()
  }

  private func release() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    shown = nil
  }

  /// One I2C write a message. On failure the bus is given back.
  private func send(_ messages: [[UInt8]], _ operation: String) throws(DeviceError) {
    for message in messages {
      while true {
        let count = message.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count == message.count { break }
        if count < 0, errno == EINTR { continue }
        if count >= 0 { errno = EIO }
        let wasShowing = shown != nil || operation == "show a frame"
        let error = failure(operation, wasShowing: wasShowing)
        release()
        throw error
      }
    }
  }

  private func notOpen(_ operation: String) -> DeviceError {
    DeviceError(.lost, device: name, operation: operation, hint: "open it again")
  }

  private func failure(_ operation: String, wasShowing: Bool = false) -> DeviceError {
    Self.failure(errno, operation, name: name, bus: bus, wasShowing: wasShowing)
  }

  /// What an errno of the bus means. The kernel's codes: Documentation/i2c/fault-codes.rst.
  static func failure(_ code: Int32, _ operation: String, name: String, bus: String, wasShowing: Bool) -> DeviceError {
    let number = bus.reversed().prefix { $0.isNumber }.reversed()
    let detect = "i2cdetect -y \(String(number))"
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT:
        (
          wasShowing ? .lost : .missing,
          "switch I2C on (raspi-config, Interface Options, I2C; or dtparam=i2c_arm=on) and load the module i2c-dev"
        )
      case ENXIO, EREMOTEIO:
        (
          wasShowing ? .lost : .missing,
          "nothing answers; check the wires, and the address with \(detect) (0x3c or 0x3d)"
        )
      case ENODEV: (wasShowing ? .lost : .missing, "the bus is gone; plug its adapter in again")
      case EACCES, EPERM: (.denied, "become a member of the group i2c")
      case EBUSY: (.busy, "a kernel driver has that address; take its overlay (ssd1306) out of config.txt")
      case ETIMEDOUT, EAGAIN, EIO: (.failed, "the bus does not work; check SDA, SCL and their pull-ups, then \(detect)")
      case EOPNOTSUPP, EINVAL, ENOTTY: (.unsupported, "it is no I2C bus that takes plain writes; name another one")
      default: (.failed, "check the bus with \(detect)")
      }
    return DeviceError(kind, device: name, operation: operation, code: code, hint: hint)
  }
}
