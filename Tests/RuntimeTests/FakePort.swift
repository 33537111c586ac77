import Hardware
import Synchronization

/// A console port with one connection, opened as soon as it starts.
final class FakePort: ConsolePort, Sendable {
  private struct Core {
    var sink: (@Sendable (ConsolePortEvent) -> Void)?
    var isStopped = false
  }

  private final class Connection: ConsoleConnection {
    let name = "fake"
    let sent = Mutex<[UInt8]>([])
    func send(_ bytes: [UInt8]) { sent.withLock { $0 += bytes } }
    func discardUnsent() {}
    func handled(_ count: Int) {}
    var room: Int { .max }
    var isTerminal: Bool { false }
    func close() {}
  }

  private let core = Mutex(Core())
  private let connection = Connection()

  var text: String { String(decoding: connection.sent.withLock { $0 }, as: UTF8.self) }
  var lines: [String] { text.split(whereSeparator: \.isNewline).map(String.init) }
  var isStopped: Bool { core.withLock { $0.isStopped } }

  func start(_ sink: @escaping @Sendable (ConsolePortEvent) -> Void) throws(DeviceError) {
    core.withLock { $0.sink = sink }
    open()
  }

  /// Somebody connects, for the first time or again.
  func open() { core.withLock { $0.sink }?(.opened(connection)) }

  func stop() { core.withLock { $0.isStopped = true } }

  func type(_ line: String) { core.withLock { $0.sink }?(.received(connection, Array((line + "\n").utf8))) }

  func hangUp() { core.withLock { $0.sink }?(.closed(connection)) }
}
