internal import Glibc
public import Hardware
internal import Synchronization

/// A serial line with a console on it: `/dev/ttyS0`, `/dev/ttyAMA0`, `/dev/ttyGS0`.
///
/// One connection at a time, named by the path. When the line vanishes (a USB adapter is pulled), when it is closed,
/// or while it has not appeared yet, it is opened anew every second, as a new connection.
public final class TTYConsolePort: ConsolePort {
  private let path: String
  private let baud: Int
  private var poller: ConsolePoller?
  private let latestProblem = ProblemNote()

  /// - Parameters:
  ///   - path: the line's device file.
  ///   - baud: a usual rate from 1200 to 4 000 000; eight bits, no parity, one stop bit, no flow control.
  public init(path: String, baud: Int = 115_200) {
    self.path = path
    self.baud = baud
  }

  deinit { stop() }

  /// Why the line is not open now; `nil` if it is, and before the first try. Any thread.
  public var problem: DeviceError? { latestProblem.current }

  /// Starts to open the line. A line that is not there is no error: it may come, and `problem` says what is wrong.
  ///
  /// - Throws: `unsupported` for a rate that does not exist.
  public func start(_ sink: @escaping @Sendable (ConsolePortEvent) -> Void) throws(DeviceError) {
    guard poller == nil else { return }
    _ = try SerialLine.speed(baud, of: path)
    let source = TTYSource(path: path, baud: baud, problem: latestProblem) { sink(.trouble($0)) }
    poller = ConsolePoller(name: "console tty", source: source, wakeup: WakePipe(), sink: sink)
  }

  /// Closes the line and waits for the thread; not to be called from the sink. What the peer has not taken is dropped.
  public func stop() {
    poller?.stop()
    poller = nil
  }
}

/// The last failure, for those who ask.
private final class ProblemNote: Sendable {
  private let note = Mutex<DeviceError?>(nil)
  var current: DeviceError? {
    get { note.withLock { $0 } }
    set { note.withLock { $0 = newValue } }
  }
}

/// Opens the line whenever it is not open.
private final class TTYSource: ConnectionSource {
  private static let pause: Int64 = 1_000_000_000

  private let path: String
  private let baud: Int
  private let problem: ProblemNote
  private let tell: (DeviceError?) -> Void
  private var isTold = false
  private(set) var nextAttempt: Int64? = 0

  /// - Parameter tell: called with the first error of a row, and with `nil` when the line is open after one.
  init(path: String, baud: Int, problem: ProblemNote, tell: @escaping (DeviceError?) -> Void) {
    self.path = path
    self.baud = baud
    self.problem = problem
    self.tell = tell
  }

  var listener: Int32 { -1 }

  func arrivals(isReady: Bool, open: Int, wake: @escaping @Sendable () -> Void) -> [StreamConnection] {
    guard let attempt = nextAttempt, Monotonic.now >= attempt else { return [] }
    do throws(DeviceError) {
      let descriptor = try SerialLine.open(path, baud: baud)
      nextAttempt = nil
      problem.current = nil
      if isTold { tell(nil) }
      isTold = false
      return [StreamConnection(name: path, descriptor: descriptor, medium: .tty, wake: wake)]
    } catch {
      problem.current = error
      if !isTold { tell(error) }
      isTold = true
      nextAttempt = Monotonic.now + Self.pause
      return []
    }
  }

  func departed() {
    // Not told: an owner closes lines, too. If it cannot be opened again, that is.
    problem.current = DeviceError(
      .lost, device: path, operation: "go on", hint: "the line is opened again as soon as it is there")
    nextAttempt = Monotonic.now + Self.pause
  }

  func end() {}
}
