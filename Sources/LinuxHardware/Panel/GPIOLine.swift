internal import CGPIO
internal import Glibc
internal import Hardware

extension LineBias {
  fileprivate var code: mynah_gpio_bias {
    switch self {
    case .pullUp: MYNAH_GPIO_BIAS_PULL_UP
    case .pullDown: MYNAH_GPIO_BIAS_PULL_DOWN
    case .disabled: MYNAH_GPIO_BIAS_DISABLED
    case .asIs: MYNAH_GPIO_BIAS_AS_IS
    }
  }
}

/// Which line of which chip.
struct GPIOAddress: Hashable, Sendable {
  /// Path of the chip's character device.
  var chip: String
  /// Offset of the line in its chip; on a Raspberry Pi the BCM number.
  var line: Int
  /// True if the line is low while it is active.
  var isActiveLow: Bool

  /// As errors name it: `/dev/gpiochip0:17`.
  var name: String { "\(chip):\(line)" }
}

/// A requested input line that reports both edges. One thread at a time.
protocol GPIOInput: AnyObject {
  /// To be polled for reading.
  var descriptor: Int32 { get }
  /// The logical level now; `nil` if the line is gone.
  func level() -> Bool?
  /// Edges that wait, oldest first, some 16 at a time, with the kernel's stamps; `nil` if the line is gone.
  func edges() -> [GPIOEdge]?
}

/// A requested output line. One thread at a time.
protocol GPIOOutput: AnyObject {
  /// Sets the logical level; an errno on failure.
  func set(_ isActive: Bool) -> Int32?
}

/// One change of a line's logical level, with the kernel's stamp in nanoseconds of whichever clock it uses.
struct GPIOEdge: Equatable {
  var isActive: Bool
  var stamp: Int64
}

/// Where lines come from: the kernel, or a test.
protocol GPIOPort: Sendable {
  func input(_ address: GPIOAddress, bias: LineBias) throws(DeviceError) -> any GPIOInput
  /// An output that is inactive at first.
  func output(_ address: GPIOAddress) throws(DeviceError) -> any GPIOOutput
}

/// The kernel's GPIO character devices, through libgpiod.
struct KernelGPIO: GPIOPort {
  /// Who has the line, in gpioinfo.
  private static let consumer = "mynah"

  func input(_ address: GPIOAddress, bias: LineBias) throws(DeviceError) -> any GPIOInput {
    guard
      let line = mynah_gpio_request_input(
        address.chip, try offset(address), address.isActiveLow, bias.code, Self.consumer)
    else { throw Self.failure(errno, "request as an input", address) }
    return KernelLine(line)
  }

  func output(_ address: GPIOAddress) throws(DeviceError) -> any GPIOOutput {
    guard
      let line = mynah_gpio_request_output(
        address.chip, try offset(address), address.isActiveLow, false, Self.consumer)
    else { throw Self.failure(errno, "request as an output", address) }
    return KernelLine(line)
  }

  private func offset(_ address: GPIOAddress) throws(DeviceError) -> UInt32 {
    if let offset = UInt32(exactly: address.line) { return offset }
    throw Self.failure(EINVAL, "find", address)
  }

  static func failure(_ code: Int32, _ operation: String, _ address: GPIOAddress) -> DeviceError {
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT, ENODEV, ENXIO: (.missing, "gpiodetect lists the chips; name one of them in the board file")
      case EACCES, EPERM: (.denied, "become a member of the group gpio")
      case EBUSY: (.busy, "\(holder(of: address)) has it; free it, or use another line")
      case EINVAL: (.unsupported, "the chip has no such line, or cannot do that bias; gpioinfo lists them")
      case ENOTTY, ENOTSUP: (.unsupported, "it is no GPIO chip, or its lines report no edges; name another one")
      default: (.failed, "gpioinfo shows the state of the lines")
      }
    return DeviceError(kind, device: address.name, operation: operation, code: code, hint: hint)
  }

  private static func holder(of address: GPIOAddress) -> String {
    var name = [CChar](repeating: 0, count: 64)
    guard let offset = UInt32(exactly: address.line),
      mynah_gpio_holder(address.chip, offset, &name, name.count) == 0, name[0] != 0
    else { return "somebody else" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A line of libgpiod's.
private final class KernelLine: GPIOInput, GPIOOutput {
  private let line: OpaquePointer

  init(_ line: OpaquePointer) { self.line = line }

  deinit { mynah_gpio_release(line) }

  var descriptor: Int32 { mynah_gpio_descriptor(line) }

  func level() -> Bool? {
    let level = mynah_gpio_level(line)
    return level < 0 ? nil : level > 0
  }

  func edges() -> [GPIOEdge]? {
    withUnsafeTemporaryAllocation(of: mynah_gpio_edge.self, capacity: 16) { buffer in
      let count = mynah_gpio_read_edges(line, buffer.baseAddress, buffer.count)
      guard count >= 0 else { return nil }
      return buffer[..<Int(count)].map { GPIOEdge(isActive: $0.is_active, stamp: $0.nanoseconds) }
    }
  }

  func set(_ isActive: Bool) -> Int32? { mynah_gpio_set(line, isActive) == 0 ? nil : errno }
}
