internal import CLinux
internal import Glibc
internal import Hardware
internal import Synchronization
internal import Threads

/// Where a console port's connections come from. Called by the poll thread only.
protocol ConnectionSource: AnyObject {
  /// The listening socket, readable when a client connects; −1: there is none.
  var listener: Int32 { get }
  /// When to ask for arrivals though the listener is silent; `nil`: never.
  var nextAttempt: Int64? { get }
  /// Connections that are new. Never blocks.
  ///
  /// - Parameters:
  ///   - isReady: whether the listener is readable.
  ///   - open: how many connections there are.
  func arrivals(isReady: Bool, open: Int, wake: @escaping @Sendable () -> Void) -> [StreamConnection]
  /// A connection of this source is closed.
  func departed()
  /// The port stops: gives everything back.
  func end()
}

/// The one thread of a console port: accepts, reads, writes what was queued, and tells the owner.
final class ConsolePoller: @unchecked Sendable {
  private let source: any ConnectionSource
  private let sink: @Sendable (ConsolePortEvent) -> Void
  private let wakeup: WakePipe
  private let isStopping = Atomic<Bool>(false)
  private var thread: WorkerThread?
  private var clients: [StreamConnection] = []

  /// - Parameter name: the thread's name.
  init(
    name: String, source: any ConnectionSource, wakeup: WakePipe, sink: @escaping @Sendable (ConsolePortEvent) -> Void
  ) {
    self.source = source
    self.sink = sink
    self.wakeup = wakeup
    thread = WorkerThread(name: name) { [self] in run() }
  }

  /// Ends the thread and closes all connections; the sink is not called after it. Not from the sink.
  func stop() {
    isStopping.store(true, ordering: .releasing)
    wakeup.wake()
    thread?.join()
    thread = nil
  }

  private func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { buffer.deallocate() }
    var isReady = false
    // At least once, so that a port which was started and stopped knows whether its line is there.
    repeat {
      admit(isReady: isReady)
      isReady = turn(buffer)
    } while !isStopping.load(ordering: .acquiring)
    for client in clients {
      client.flush()
      client.shut()
      sink(.closed(client))
    }
    clients = []
    source.end()
  }

  private func admit(isReady: Bool) {
    let arrived = source.arrivals(isReady: isReady, open: clients.count, wake: { [wakeup] in wakeup.wake() })
    for connection in arrived {
      clients.append(connection)
      sink(.opened(connection))
    }
  }

  /// Waits for something to happen and deals with it.
  ///
  /// - Returns: whether a client wants to connect.
  private func turn(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let before = Monotonic.now
    var polled = [
      pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: source.listener, events: Int16(POLLIN), revents: 0),
    ]
    var deadline = source.nextAttempt
    for client in clients {
      polled.append(client.interest)
      if let end = client.endsAt { deadline = min(deadline ?? end, end) }
    }
    let result = poll(&polled, nfds_t(polled.count), Monotonic.pollTimeout(until: deadline, now: before))
    // After an interruption nothing is known to be ready; the next turn asks again.
    guard result >= 0 else { return false }
    if polled[0].revents != 0 { wakeup.drain() }
    let now = Monotonic.now
    for (client, answer) in zip(clients, polled.dropFirst(2)) {
      attend(client, to: Int32(answer.revents), buffer)
    }
    let over = clients.filter { $0.endsAt.map { $0 <= now } ?? false }
    if !over.isEmpty {
      clients.removeAll { client in over.contains { $0 === client } }
      for client in over {
        client.shut()
        source.departed()
        sink(.closed(client))
      }
    }
    return polled[1].revents != 0
  }

  private func attend(_ client: StreamConnection, to events: Int32, _ buffer: UnsafeMutableRawBufferPointer) {
    if events & POLLOUT != 0 { client.flush() }
    if client.takeDrained() { sink(.drained(client)) }
    guard events & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0 else { return }
    let count = client.receive(into: buffer, hasHungUp: events & (POLLHUP | POLLERR | POLLNVAL) != 0)
    if count > 0 { sink(.received(client, Array(buffer[..<count]))) }
  }
}

/// Wakes a thread out of poll(2).
final class WakePipe: @unchecked Sendable {
  /// To be polled for reading; −1 if there was no descriptor left.
  let reader: Int32
  private let writer: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    _ = mynah_pipe(&ends)
    reader = ends[0]
    writer = ends[1]
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Any thread; never blocks: a full pipe wakes as well.
  func wake() {
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
  }

  func drain() {
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    while withUnsafeMutableBytes(of: &bytes, { read(reader, $0.baseAddress, $0.count) }) > 0 {}
  }
}
