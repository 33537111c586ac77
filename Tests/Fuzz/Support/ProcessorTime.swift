import Glibc

/// Time that this thread has had the processor: what others do beside it does not count.
enum ProcessorTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// What an input may cost: in proportion to its size. Measured code is some times slower than the program, and what is
  /// not optimised ten times more.
  static func most(for bytes: Int) -> Duration {
    (.seconds(2) + .microseconds(50) * bytes) * (_isDebugAssertConfiguration() ? 10 : 1)
  }
}
