internal import CLinux
internal import Glibc
internal import Hardware

/// What an input device of the kernel's tells: `struct input_event` (linux/input.h) of a 64-bit system.
struct InputRecord: Equatable {
  static let size = 24
  /// EV_SYN and EV_KEY; SYN_REPORT and SYN_DROPPED.
  static let (synchronisation, key): (UInt16, UInt16) = (0, 1)
  static let (report, dropped): (UInt16, UInt16) = (0, 3)

  /// Nanoseconds of whichever clock the device was asked to use.
  var stamp: Int64
  var type: UInt16
  var code: UInt16
  /// Of a key: 0 up, 1 down, 2 repeated.
  var value: Int32

  init(_ bytes: UnsafeRawBufferPointer) {
    let seconds = bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self)
    let microseconds = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
    stamp = seconds &* 1_000_000_000 &+ microseconds &* 1000
    type = bytes.loadUnaligned(fromByteOffset: 16, as: UInt16.self)
    code = bytes.loadUnaligned(fromByteOffset: 18, as: UInt16.self)
    value = bytes.loadUnaligned(fromByteOffset: 20, as: Int32.self)
  }
}

/// An input device that is open. One thread at a time.
final class InputDevice {
  let descriptor: Int32
  /// Its product's name.
  let name: String
  /// `/dev/input/event3`.
  let path: String

  /// - Parameter descriptor: does not block; closed with this.
  init(descriptor: Int32, name: String, path: String) {
    self.descriptor = descriptor
    self.name = name
    self.path = path
  }

  deinit { close(descriptor) }

  /// What waits, oldest first, some sixty at a time; `nil`: it is gone.
  func records() -> [InputRecord]? {
    withUnsafeTemporaryAllocation(byteCount: 64 * InputRecord.size, alignment: 8) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil }
      return stride(from: 0, to: count - count % InputRecord.size, by: InputRecord.size).map {
        InputRecord(UnsafeRawBufferPointer(rebasing: buffer[$0..<($0 + InputRecord.size)]))
      }
    }
  }

  /// Whether a board file means it.
  func isMeant(by entry: String) -> Bool {
    guard entry.hasPrefix("/") else { return name.hasPrefix(entry) }
    return entry == path || Self.target(of: entry) == path
  }

  /// Where a link leads: udev names devices by their place and by their serial number.
  private static func target(of link: String) -> String? {
    guard let real = realpath(link, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}

/// Where input devices come from: the kernel, or a test.
protocol InputPort: Sendable {
  /// `event3`, in no order.
  func nodes() -> [String]
  func open(_ node: String) throws(DeviceError) -> InputDevice
  /// Has its keys for this process alone.
  func take(_ device: InputDevice) throws(DeviceError)
  /// Codes of the keys that are down, or of all that it has.
  func keys(_ device: InputDevice, onlyDown: Bool) -> Set<Int>
}

/// The kernel's event devices (Documentation/input/input.rst).
struct KernelInput: InputPort {
  static let folder = "/dev/input"

  func nodes() -> [String] { ProcText.entries(Self.folder).filter { $0.hasPrefix("event") } }

  func open(_ node: String) throws(DeviceError) -> InputDevice {
    let path = "\(Self.folder)/\(node)"
    let descriptor = retrying { Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { throw Self.failure(errno, "open", path) }
    var name = [CChar](repeating: 0, count: 256)
    guard mynah_input_name(descriptor, &name, name.count) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.failure(code, "ask the name of", path)
    }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return InputDevice(descriptor: descriptor, name: text, path: path)
  }

  func take(_ device: InputDevice) throws(DeviceError) {
    guard mynah_input_take(device.descriptor) == 0 else { throw Self.failure(errno, "take", device.path) }
  }

  func keys(_ device: InputDevice, onlyDown: Bool) -> Set<Int> {
    var bits = [UInt8](repeating: 0, count: 96)
    guard mynah_input_keys(device.descriptor, onlyDown ? 1 : 0, &bits) == 0 else { return [] }
    return Set((0..<KeyCodes.limit).filter { bits[$0 / 8] & 1 << ($0 % 8) != 0 })
  }

  private static func failure(_ code: Int32, _ operation: String, _ path: String) -> DeviceError {
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT, ENODEV, ENXIO: (.missing, "plug it in")
      case EACCES, EPERM: (.denied, "become a member of the group input")
      case EBUSY: (.busy, "another program has its keys; end that")
      default: (.failed, "pull it out and plug it in again")
      }
    return DeviceError(kind, device: path, operation: operation, code: code, hint: hint)
  }
}
