import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

/// A service manager's end of the socket.
private final class Listener {
  let descriptor: Int32

  /// - Parameter name: a path, or `@` and an abstract name.
  init(_ name: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { #expect(bind(descriptor, $0, size) == 0) }
    }
  }

  deinit { close(descriptor) }

  /// What has been told, in order.
  var told: [String] {
    var found: [String] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return found }
      found.append(String(decoding: bytes[..<count], as: UTF8.self))
    }
  }
}

@Suite struct ServiceTests {
  private let directory = TemporaryFolder()

  @Test(arguments: [true, false]) func aManagerIsToldAtAPathAndAtAnAbstractName(_ isAbstract: Bool) throws {
    let name = isAbstract ? "@mynah-test-\(UUID().uuidString)" : "\(directory.path)/notify"
    let listener = Listener(name)
    let manager = try #require(SystemdManager(address: name))
    manager.tellReady()
    manager.tell(status: "recording\n000042\u{7}")
    try SystemdWatchdog(manager, period: .seconds(1)).feed()
    manager.tellStopping()
    #expect(listener.told == ["READY=1", "STATUS=recording 000042 ", "WATCHDOG=1", "STOPPING=1"])
  }

  @Test func nobodyWhoListensIsNoReasonToStop() throws {
    let manager = try #require(SystemdManager(address: "\(directory.path)/gone"))
    manager.tellReady()
    #expect(throws: DeviceError.self) { try SystemdWatchdog(manager, period: .seconds(1)).feed() }
    for address in ["", "@", "/", "relative", "vsock:2:1234"] { #expect(SystemdManager(address: address) == nil) }
    let long = try #require(SystemdManager(address: "/" + String(repeating: "x", count: 200)))
    #expect(long.send("READY=1") == EINVAL)
  }

  @Test func aWatchdogIsFedByBytesAndStoppedByTheMagicOne() throws {
    // A file stands for the device: it takes the bytes, and knows no ioctl of a watchdog's.
    directory.put("", "watchdog")
    let watchdog = KernelWatchdog(path: "\(directory.path)/watchdog", seconds: 15)
    let error = #expect(throws: DeviceError.self) { _ = try watchdog.start() }
    #expect(error?.kind == .unsupported)
    // It was opened and could not be set: a real one would run by now, so it was stopped.
    #expect(directory.text(of: "watchdog") == "V")
    let missing = #expect(throws: DeviceError.self) {
      _ = try KernelWatchdog(path: "\(directory.path)/none", seconds: 15).start()
    }
    #expect(missing?.kind == .missing)
  }
}
