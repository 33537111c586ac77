import Foundation
import Glibc
import JSON
import TestSupport

/// A client of the console's Unix socket that never waits for ever.
final class ConsoleClient {
  private let descriptor: Int32
  private var received: [UInt8] = []
  private var requests = 0
  /// Notifications that came while an answer was waited for.
  private(set) var notifications: [JSONValue] = []
  /// The other side has closed.
  private(set) var isClosed = false

  /// Connects, as soon as somebody listens.
  init(_ path: String, patience: Double = 120) throws {
    let end = Monotonic.now + patience
    while true {
      if let connected = Self.connect(path) {
        descriptor = connected
        return
      }
      guard Monotonic.now < end else { throw Tool.Failure(description: "\(path): nobody listens: errno \(errno)") }
      usleep(10_000)
    }
  }

  deinit { close(descriptor) }

  private static func connect(_ path: String) -> Int32? {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result == 0 { return socket }
    close(socket)
    return nil
  }

  // MARK: Bytes

  /// Sends everything, and takes what comes meanwhile unless told to be deaf.
  ///
  /// - Returns: whether the other side took it all.
  @discardableResult
  func send(_ bytes: [UInt8], isDeaf: Bool = false, patience: Double = 120) -> Bool {
    let end = Monotonic.now + patience
    var sent = 0
    while sent < bytes.count, !isClosed || isDeaf, Monotonic.now < end {
      var poll = pollfd(fd: descriptor, events: Int16(POLLOUT | (isDeaf ? 0 : POLLIN)), revents: 0)
      _ = Glibc.poll(&poll, 1, 100)
      if poll.revents & Int16(POLLIN) != 0 { take() }
      guard poll.revents & Int16(POLLOUT | POLLHUP | POLLERR) != 0 else { continue }
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 { sent += count }
      if count < 0, errno != EAGAIN, errno != EINTR { return false }
    }
    return sent == bytes.count
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  private func take() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received += buffer[..<count] }
    if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { isClosed = true }
  }

  /// Waits for what satisfies the condition; what has been received so far, forgotten up to there.
  private func wait(_ what: String, patience: Double, _ end: ([UInt8]) -> Int?) throws -> [UInt8] {
    let deadline = Monotonic.now + patience
    while true {
      if let index = end(received) {
        defer { received.removeFirst(index) }
        return Array(received[..<index])
      }
      guard Monotonic.now < deadline, !isClosed else {
        let tail = String(decoding: received.suffix(500), as: UTF8.self)
        throw Tool.Failure(
          description: "no \(what)\(isClosed ? ", closed" : ""); got \(received.count) bytes: …\(tail)")
      }
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, 100) > 0 { take() }
    }
  }

  /// Everything up to and with this text.
  func text(through mark: String, patience: Double = 120) throws -> String {
    let wanted = Array(mark.utf8)
    let bytes = try wait("\"\(mark)\"", patience: patience) { bytes in
      guard bytes.count >= wanted.count else { return nil }
      return (0...(bytes.count - wanted.count)).first { bytes[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits until the other side has closed; false if it does not.
  func waitForEnd(patience: Double = 120) -> Bool {
    let deadline = Monotonic.now + patience
    while !isClosed, Monotonic.now < deadline {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, 100) > 0 { take() }
    }
    return isClosed
  }

  // MARK: JSON-RPC

  /// The next line that is a JSON object; lines of the people's face before it are passed over.
  func document(patience: Double = 120) throws -> JSONValue {
    while true {
      let line = try wait("line", patience: patience) { $0.firstIndex(of: 0x0A).map { $0 + 1 } }
      if line.first == UInt8(ascii: "{") || line.first == UInt8(ascii: "["), let value = try? JSONValue(parsing: line) {
        return value
      }
    }
  }

  /// Calls a method and waits for its answer.
  func call(_ method: String, _ parameters: JSONValue = [:]) throws -> JSONValue {
    requests += 1
    let id = requests
    let request: JSONValue = ["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": parameters]
    send(request.text + "\n")
    while true {
      let answer = try document()
      if answer["method"] != nil { notifications.append(answer) }
      if answer["id"]?.integerValue == id { return answer }
    }
  }

  /// Waits for an event of this topic.
  func event(_ topic: String) throws -> JSONValue {
    while true {
      if let found = notifications.first(where: { $0["params"]?["topic"]?.stringValue == topic }) { return found }
      let next = try document()
      if next["method"] != nil { notifications.append(next) }
    }
  }
}
