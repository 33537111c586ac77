internal import CLinux
internal import Glibc
public import Hardware

/// Asks the OLED whether it is there: a command that does nothing must be acknowledged.
///
/// That does no harm to a picture that a running appliance shows: a bus carries one message at a time.
public struct DisplayProbe: Probe {
  /// A control byte, then NOP, in both controllers' sets (SSD1306 datasheet, table 9-1; SH1106 datasheet, command 23).
  private static let nothing: [UInt8] = [0x00, 0xe3]

  private let bus: String
  private let address: Int
  private let controller: String

  /// - Parameters:
  ///   - bus: path of the adapter: `/dev/i2c-1`.
  ///   - address: 7 bits, mostly 0x3c.
  public init(bus: String, address: Int, controller: OLEDController) {
    self.bus = bus
    self.address = address
    self.controller = "\(controller)"
  }

  public func examine() -> [DeviceFinding] {
    let name = "\(bus)@0x\(String(address, radix: 16))"
    let descriptor = retrying { open(bus, O_RDWR | O_CLOEXEC) }
    guard descriptor >= 0 else { return [failure(errno, "open the bus", name)] }
    defer { close(descriptor) }
    let adapter = ProcText.line("/sys/class/i2c-dev/\(bus.split(separator: "/").last ?? "")/name") ?? "a bus"
    let facts: [String: Fact] = ["adapter": .text(adapter), "controller": .text(controller)]
    guard mynah_i2c_address(descriptor, Int32(address)) == 0 else {
      return [failure(errno, "choose the address", name, facts)]
    }
    let begin = Monotonic.now
    let count = Self.nothing.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    let code = errno
    let microseconds = Int((Monotonic.now - begin) / 1000)
    guard count == Self.nothing.count else { return [failure(count < 0 ? code : EIO, "get an answer", name, facts)] }
    return [
      DeviceFinding(
        "display", place: name, .works, "\(controller) on \(adapter) answers after \(microseconds) µs",
        facts: facts.merging(["answerMicroseconds": .integer(microseconds)]) { old, _ in old })
    ]
  }

  private func failure(_ code: Int32, _ operation: String, _ name: String, _ facts: [String: Fact] = [:])
    -> DeviceFinding
  {
    let error = I2CDisplay.failure(code, operation, name: name, bus: bus, wasShowing: false)
    return DeviceFinding("display", place: name, error, facts: facts)
  }
}
