import Foundation
import Glibc
import Hardware

@testable import LinuxHardware

/// What a port has told.
enum Told: Equatable {
  case opened(String)
  case received(String, [UInt8])
  case closed(String)
  case drained(String)
  case trouble(DeviceError.Kind?)
}

/// Listens to a port, keeps its connections, and deals with what they say at once or never.
final class PortListener: Sendable {
  let isAttentive: Bool
  /// Bytes that are answered to each byte.
  let answersPerByte: Int
  let told = Collector<Told>()
  let connections = Collector<any ConsoleConnection>()

  init(isAttentive: Bool = true, answersPerByte: Int = 0) {
    self.isAttentive = isAttentive
    self.answersPerByte = answersPerByte
  }

  var sink: @Sendable (ConsolePortEvent) -> Void {
    { [told, connections, isAttentive, answersPerByte] event in
      switch event {
      case .opened(let connection):
        connections.take(connection)
        told.take(.opened(connection.name))
      case .received(let connection, let bytes):
        told.take(.received(connection.name, bytes))
        connection.send([UInt8](repeating: 0, count: bytes.count * answersPerByte))
        if isAttentive { connection.handled(bytes.count) }
      case .drained(let connection): told.take(.drained(connection.name))
      case .closed(let connection): told.take(.closed(connection.name))
      case .trouble(let error): told.take(.trouble(error?.kind))
      }
    }
  }

  /// Everything that came from a peer.
  static func bytes(_ told: [Told], from name: String? = nil) -> [UInt8] {
    told.flatMap { item in
      if case .received(let sender, let bytes) = item, name == nil || name == sender { bytes } else { [UInt8]() }
    }
  }

  func waitForText(_ text: String) -> Bool {
    told.wait { String(decoding: Self.bytes($0), as: UTF8.self).contains(text) }
  }
}

/// A plain client, without any of our code.
struct PlainClient {
  let descriptor: Int32

  init?(_ path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      Glibc.close(descriptor)
      return nil
    }
  }

  func say(_ text: String) { Plain.write(Array(text.utf8), to: descriptor) }
  func hear(_ count: Int) -> [UInt8] { Plain.read(count, from: descriptor) }
  func close() { Glibc.close(descriptor) }
}

enum Plain {
  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      let written =
        count < 0 && errno == ENOTSOCK
        ? rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } : count
      if written <= 0 { return }
      rest = rest.dropFirst(written)
    }
  }

  /// Exactly `count` bytes, or fewer at the end.
  static func read(_ count: Int, from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + done }, count - done) }
      if got <= 0 { break }
      done += got
    }
    return Array(bytes[..<done])
  }
}

/// A pair of terminals: what is written to one is read from the other, as on a serial line.
struct TerminalPair {
  let master: Int32
  let path: String

  init() {
    // pty(7) by its ioctls: unlock, and ask for the number (ioctl_tty(2), TIOCSPTLCK and TIOCGPTN).
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    _ = ioctl(master, 0x4004_5431, &unlocked)
    _ = ioctl(master, 0x8004_5430, &number)
    path = "/dev/pts/\(number)"
  }

  func close() { Glibc.close(master) }
}
