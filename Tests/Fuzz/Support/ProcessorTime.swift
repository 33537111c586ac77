import Glibc

/// Time that this thread has had the processor: what others do beside it does not count.
enum ProcessorTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// What an input may cost: in proportion to its size. Unoptimised and measured code is some ten times slower than the
  /// program.
  static func most(for bytes: Int) -> Duration { .seconds(2) + .microseconds(50) * bytes }
}
