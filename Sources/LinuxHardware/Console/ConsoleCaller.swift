internal import Glibc
public import Hardware

/// A program's end of a console's or the sound's socket: lines and bytes both ways. One thread; blocks.
public final class ConsoleCaller {
  private let path: String
  private let descriptor: Int32
  private var received: [UInt8] = []
  /// As long as a line of an answer may get: no device sends such a one.
  private static let longestLine = 16 << 20

  /// - Throws: `missing` where nobody listens.
  public init(path: String) throws(DeviceError) {
    self.path = path
    descriptor = try UnixSocket.connect(path)
  }

  deinit { close(descriptor) }

  public func send(_ line: String) throws(DeviceError) { try send(Array((line + "\n").utf8)) }

  public func send(_ bytes: [UInt8]) throws(DeviceError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EINTR { throw DeviceError(.failed, device: path, operation: "send", code: errno) }
      done += max(0, count)
    }
  }

  /// The next line without its end, as soon as there is one; nil: the device has closed.
  public func next() throws(DeviceError) -> [UInt8]? {
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return Array(received[..<end])
      }
      guard received.count < Self.longestLine, try receive() else { return nil }
    }
  }

  /// So many bytes, as soon as they are there; nil: the device has closed.
  ///
  /// - Parameter waits: false: nil, too, where they have not come yet.
  public func next(_ count: Int, waits: Bool = true) throws(DeviceError) -> [UInt8]? {
    while received.count < count {
      guard try receive(waits: waits) else { return nil }
    }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// - Returns: false: nothing comes any more, or, without waiting, yet.
  private func receive(waits: Bool = true) throws(DeviceError) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, waits ? 0 : Int32(MSG_DONTWAIT))
    if count == 0 || count < 0 && errno == EAGAIN { return false }
    if count < 0, errno != EINTR { throw DeviceError(.failed, device: path, operation: "receive", code: errno) }
    received += chunk.prefix(max(0, count))
    return true
  }
}
