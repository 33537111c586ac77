internal import Glibc
public import Hardware
internal import Synchronization
internal import Threads

/// Keys on GPIO lines: one thread polls them all and delivers their edges with the kernel's times.
///
/// A line that cannot be requested, or that is lost (an expander is pulled), is tried again every second; a key that was held
/// then is released, so that it does not stay held for ever.
public final class GPIOButtons: Buttons {
  private let lines: [ButtonLine]
  private let port: any GPIOPort
  private var running: (thread: WorkerThread, poller: ButtonPoller)?

  public convenience init(lines: [ButtonLine]) { self.init(lines: lines, port: KernelGPIO()) }

  init(lines: [ButtonLine], port: any GPIOPort) {
    self.lines = lines
    self.port = port
  }

  deinit { stop() }

  /// Whether a key is held at this moment; its line is given back at once.
  public static func isHeld(_ line: ButtonLine) throws(DeviceError) -> Bool {
    try KernelGPIO().input(line.address, bias: line.bias).level() ?? false
  }

  /// Requests the lines and starts to deliver edges, from the driver's own thread.
  ///
  /// Keys that are held now deliver nothing until they are let go and pressed again: an edge is a change.
  ///
  /// - Throws: what is wrong with the first line that cannot be requested, and in `operation` the keys that are left out. The
  ///   others work all the same, and the missing ones as soon as they can be requested.
  public func start(_ sink: @escaping @Sendable (ButtonEdge) -> Void) throws(DeviceError) {
    guard running == nil else { return }
    let poller = ButtonPoller(lines: lines, port: port, sink: sink)
    let failures = poller.acquire()
    running = (WorkerThread(name: "buttons") { poller.run() }, poller)
    guard let first = failures.first else { return }
    let names = failures.map { "\($0.line.button.rawValue) (\($0.line.address.name))" }.joined(separator: ", ")
    throw DeviceError(
      first.error.kind, device: first.error.device, operation: "watch the keys \(names)", code: first.error.code,
      hint: first.error.hint)
  }

  /// Stops and gives the lines back; after it returns the sink is not called again. Not from the sink.
  public func stop() {
    guard let (thread, poller) = running else { return }
    poller.stop()
    thread.join()
    running = nil
  }
}

/// The thread's own part. `acquire` is called before there is a thread, `stop` by any, the rest by the thread.
private final class ButtonPoller: @unchecked Sendable {
  private static let retryPause: Int64 = 1_000_000_000

  private struct Key {
    let line: ButtonLine
    var input: (any GPIOInput)?
    /// What was delivered last.
    var isPressed = false
  }

  private var keys: [Key]
  private let port: any GPIOPort
  private let sink: @Sendable (ButtonEdge) -> Void
  private let wakeup = WakePipe()
  private let isStopping = Atomic<Bool>(false)
  private var retryAt: Int64 = 0

  init(lines: [ButtonLine], port: any GPIOPort, sink: @escaping @Sendable (ButtonEdge) -> Void) {
    keys = lines.map { Key(line: $0) }
    self.port = port
    self.sink = sink
  }

  /// Requests the lines that are not held.
  ///
  /// - Returns: the lines that cannot be requested, and why.
  func acquire() -> [(line: ButtonLine, error: DeviceError)] {
    var failures: [(line: ButtonLine, error: DeviceError)] = []
    for index in keys.indices where keys[index].input == nil {
      do throws(DeviceError) {
        let input = try port.input(keys[index].line.address, bias: keys[index].line.bias)
        keys[index].input = input
        keys[index].isPressed = input.level() ?? false
      } catch {
        failures.append((keys[index].line, error))
      }
    }
    retryAt = Monotonic.now + Self.retryPause
    return failures
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    wakeup.wake()
  }

  func run() {
    while !isStopping.load(ordering: .acquiring) {
      let now = Monotonic.now
      let isComplete = keys.allSatisfy { $0.input != nil }
      if !isComplete, now >= retryAt { _ = acquire() }
      var polled = keys.map { pollfd(fd: $0.input?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
      polled.append(pollfd(fd: wakeup.reader, events: Int16(POLLIN), revents: 0))
      let timeout = Monotonic.pollTimeout(until: isComplete ? nil : retryAt, now: now)
      guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { continue }
      if polled[keys.count].revents != 0 { wakeup.drain() }
      for index in keys.indices where polled[index].revents != 0 {
        attend(index, isGone: Int32(polled[index].revents) & (POLLERR | POLLHUP | POLLNVAL) != 0)
      }
    }
    // Gives the lines back on the thread that used them.
    for index in keys.indices { keys[index].input = nil }
  }

  private func attend(_ index: Int, isGone: Bool) {
    guard let input = keys[index].input else { return }
    while true {
      guard let edges = input.edges() else { return lose(index) }
      if edges.isEmpty { break }
      let clock = SystemClock()
      let (monotonic, realtime) = (clock.now.nanoseconds, clock.wallNow.nanosecondsSince1970)
      for edge in edges {
        deliver(
          index, edge.isActive, EdgeClock.instant(stamp: edge.stamp, monotonic: monotonic, realtime: realtime))
      }
      if isStopping.load(ordering: .acquiring) { return }
    }
    if isGone { return lose(index) }
    // The kernel keeps 16 edges a line and drops the rest. The level that remained is true in any case; the time is
    // taken first, so that an edge which comes meanwhile is not older.
    let now = Monotonic.now
    guard let level = input.level() else { return lose(index) }
    deliver(index, level, Instant(nanoseconds: now))
  }

  /// Delivers changes only: the level that was asked for may already have told what a late edge tells again.
  private func deliver(_ index: Int, _ isPressed: Bool, _ at: Instant) {
    guard keys[index].isPressed != isPressed else { return }
    keys[index].isPressed = isPressed
    sink(ButtonEdge(keys[index].line.button, isPressed: isPressed, at: at))
  }

  private func lose(_ index: Int) {
    keys[index].input = nil
    deliver(index, false, Instant(nanoseconds: Monotonic.now))
    retryAt = Monotonic.now + Self.retryPause
  }
}

extension ButtonLine {
  var address: GPIOAddress { GPIOAddress(chip: chip, line: line, isActiveLow: isActiveLow) }
}
