import Foundation
import Glibc
import Synchronization
import TestSupport

/// The service manager's end of sd_notify(3): a datagram socket, listened to all the time.
final class NotifySocket: Sendable {
  struct Message: Sendable {
    /// CLOCK_MONOTONIC in seconds when it came.
    let at: Double
    let text: String
  }

  let path: String
  private let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  /// - Parameter folder: where the socket is made.
  init(in folder: TemporaryFolder) throws {
    path = folder.file("notify")
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard result == 0 else { throw Tool.Failure(description: "cannot bind \(path): errno \(errno)") }
    Thread.detachNewThread { [self] in listen() }
  }

  /// Everything so far, in order.
  var told: [Message] { messages.withLock { $0 } }

  /// The times of messages with this text.
  func times(of text: String) -> [Double] { told.filter { $0.text == text }.map(\.at) }

  /// Waits until this has been told so often; gives up after a minute.
  func wait(for text: String, count: Int = 1) throws {
    let end = Monotonic.now + 60
    while times(of: text).count < count {
      guard Monotonic.now < end else { throw Tool.Failure(description: "no \(count) × \(text) within 60 s: \(told)") }
      usleep(5000)
    }
  }

  private func listen() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { return }
      let message = Message(at: Monotonic.now, text: String(decoding: bytes[..<count], as: UTF8.self))
      messages.withLock { $0.append(message) }
    }
  }
}
