internal import CLinux

/// Lets one thread sleep until a time on CLOCK_MONOTONIC or until another thread calls.
///
/// A signal without a waiter is kept: the next wait returns at once.
public final class Wakeup: @unchecked Sendable {
  private let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

  public init() { word.initialize(to: 0) }

  deinit { word.deallocate() }

  /// Wakes the waiting thread, or makes its next wait return at once. Any thread.
  public func signal() { mynah_wakeup_signal(word) }

  /// Sleeps until a signal or until `nanoseconds` on CLOCK_MONOTONIC (`Int64.max`: for ever). One thread only.
  public func wait(until nanoseconds: Int64) { mynah_wakeup_wait(word, nanoseconds) }
}
