internal import CLinux
internal import Glibc

/// A thread of ordinary priority, or less, with a name that `top -H` and the budget show.
public final class WorkerThread: @unchecked Sendable {
  private var thread = pthread_t()
  /// Why there is none; 0: there is.
  private let failure: Int32
  private var isJoined = false

  /// Starts at once. The stack is 512 KiB: enough for decoders, small enough to be locked in memory.
  ///
  /// - Parameters:
  ///   - name: at most 15 bytes (TASK_COMM_LEN − 1); longer is cut.
  ///   - niceness: 0…19; the higher, the more it stands back behind the others (setpriority(2), for this thread alone).
  public convenience init(name: String, niceness: Int = 0, body: @escaping @Sendable () -> Void) {
    self.init(starting: name, niceness, body)
    // Only happens when the system is out of threads or memory at start-up; nothing can work then.
    precondition(failure == 0, "cannot start thread \(name): errno \(failure)")
  }

  /// For what somebody asks of a device that is at work: where the system has no thread to give, there is none, and all
  /// else goes on.
  public convenience init?(ifPossible name: String, niceness: Int = 0, body: @escaping @Sendable () -> Void) {
    self.init(starting: name, niceness, body)
    guard failure == 0 else { return nil }
  }

  private init(starting name: String, _ niceness: Int, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(name: name, niceness: niceness, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    failure = pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw else { return nil }
        let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
        mynah_set_thread_name(start.name)
        mynah_crash_thread()
        if start.niceness > 0 { mynah_set_thread_niceness(Int32(min(19, start.niceness))) }
        start.body()
        return nil
      }, start.toOpaque())
    pthread_attr_destroy(&attributes)
    if failure != 0 { start.release() }
  }

  /// Waits until the body has returned. Call once.
  public func join() {
    isJoined = true
    pthread_join(thread, nil)
  }

  /// A thread that nobody waits for gives its stack back when its body returns.
  deinit { if failure == 0, !isJoined { pthread_detach(thread) } }

  private final class Start {
    let name: String
    let niceness: Int
    let body: @Sendable () -> Void
    init(name: String, niceness: Int, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.niceness = niceness
      self.body = body
    }
  }
}
