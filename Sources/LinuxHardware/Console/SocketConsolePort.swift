internal import CLinux
internal import Glibc
public import Hardware

/// A Unix socket that consoles connect to: `mynah console PATH`, socat, a test rig.
///
/// Several clients at once, each a connection of its own. One thread reads and writes for all of them; events come
/// from it. A client that leaves more than 256 KiB untaken is closed; one that ends its input still gets the answers
/// to what it has said.
public final class SocketConsolePort: ConsolePort {
  /// Clients at one time; more are turned away with a line that says so.
  public static let mostClients = 16

  private let path: String
  private let thread: String
  private var poller: ConsolePoller?

  /// - Parameters:
  ///   - path: where the socket file is made, at most 107 bytes; its directory must exist.
  ///   - thread: the name of the thread that reads and writes.
  public init(path: String, thread: String = "console socket") {
    self.path = path
    self.thread = thread
  }

  deinit { stop() }

  /// Makes the socket file, with mode 0660, and listens. A file that a killed process left is replaced.
  ///
  /// - Throws: `busy` if another process listens there, `unsupported` for a path that is too long or no socket,
  ///   `missing` or `denied` for its directory.
  public func start(_ sink: @escaping @Sendable (ConsolePortEvent) -> Void) throws(DeviceError) {
    guard poller == nil else { return }
    let (descriptor, file) = try UnixSocket.listen(path)
    let source = SocketSource(path: path, listener: descriptor, file: file)
    poller = ConsolePoller(name: thread, source: source, wakeup: WakePipe(), sink: sink)
  }

  /// Closes every connection, removes the socket file and waits for the thread; not to be called from the sink.
  public func stop() {
    poller?.stop()
    poller = nil
  }
}

/// Accepts clients.
private final class SocketSource: ConnectionSource {
  private let path: String
  private let socket: Int32
  private let file: FileIdentity
  private var accepted = 0
  /// Set while the system has no descriptors left: a listener that stays readable must not keep the thread spinning.
  private var restsUntil: Int64?

  init(path: String, listener: Int32, file: FileIdentity) {
    self.path = path
    socket = listener
    self.file = file
  }

  var listener: Int32 { restsUntil == nil ? socket : -1 }
  var nextAttempt: Int64? { restsUntil }

  func arrivals(isReady: Bool, open: Int, wake: @escaping @Sendable () -> Void) -> [StreamConnection] {
    if let until = restsUntil {
      guard Monotonic.now >= until else { return [] }
      restsUntil = nil
    } else if !isReady {
      return []
    }
    var arrived: [StreamConnection] = []
    while true {
      let descriptor = mynah_accept(socket)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno != EAGAIN { restsUntil = Monotonic.now + 1_000_000_000 }
        return arrived
      }
      guard open + arrived.count < SocketConsolePort.mostClients else {
        turnAway(descriptor)
        continue
      }
      accepted += 1
      arrived.append(
        StreamConnection(name: "socket client \(accepted)", descriptor: descriptor, medium: .socket, wake: wake))
    }
  }

  private func turnAway(_ descriptor: Int32) {
    let words = Array("too many consoles are open\r\n".utf8)
    _ = words.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    close(descriptor)
  }

  func departed() {}

  func end() {
    // Another file may be there by now.
    if FileIdentity(path) == file { unlink(path) }
    close(socket)
  }
}
