internal import CLinux
internal import Glibc

/// A thread that must not be late: an own name, an own small stack, and the first-in-first-out scheduler.
///
/// The body is a plain C function over raw memory, so that nothing is counted, boxed or captured on the way in. What
/// `context` points to must outlive `join`.
public final class RealtimeThread: @unchecked Sendable {
  /// The code that runs on the thread.
  public typealias Body = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// How the thread is scheduled.
  public enum Scheduling: Hashable, Sendable, CustomStringConvertible {
    /// SCHED_FIFO at this priority, 1…99.
    case firstInFirstOut(priority: Int)
    /// The system refused (errno); the thread runs at ordinary priority.
    case ordinary(refusal: Int32)

    public var description: String {
      switch self {
      case .firstInFirstOut(let priority): "SCHED_FIFO \(priority)"
      case .ordinary(EPERM):
        "ordinary priority: SCHED_FIFO needs CAP_SYS_NICE or an RLIMIT_RTPRIO (LimitRTPRIO= in the unit, or group audio)"
      case .ordinary(let refusal): "ordinary priority: SCHED_FIFO refused, errno \(refusal)"
      }
    }
  }

  /// The system would not make a thread.
  public struct StartError: Error, Hashable, Sendable {
    /// errno of pthread_create(3): mostly EAGAIN, out of threads or memory.
    public var code: Int32
  }

  /// What the system granted.
  public let scheduling: Scheduling
  private let thread: pthread_t

  private init(thread: pthread_t, scheduling: Scheduling) {
    self.thread = thread
    self.scheduling = scheduling
  }

  /// Starts a thread and returns when it has its name, its priority and its stack. Not for real-time threads.
  ///
  /// - Parameters:
  ///   - name: as `top -H` shows it, at most 15 bytes; longer is cut.
  ///   - priority: 1…99 as in sched(7); kept within it.
  ///   - stackBytes: at least 64 KiB; all of it but the last 16 KiB is touched before the body runs.
  public static func start(
    name: String, priority: Int, stackBytes: Int = 256 * 1024, context: UnsafeMutableRawPointer?, body: Body
  ) throws(StartError) -> RealtimeThread {
    let size = max(64 * 1024, (stackBytes + 4095) & ~4095)
    let kept = Int32(min(99, max(1, priority)))
    var thread = pthread_t()
    var refusal: Int32 = 0
    let result = mynah_start_realtime_thread(&thread, name, kept, size, body, context, &refusal)
    if result != 0 { throw StartError(code: result) }
    return RealtimeThread(
      thread: thread, scheduling: refusal == 0 ? .firstInFirstOut(priority: Int(kept)) : .ordinary(refusal: refusal))
  }

  /// Waits until the body has returned. Call exactly once.
  public func join() { pthread_join(thread, nil) }
}
