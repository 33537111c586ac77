internal import Synchronization

/// What wakes a lane, once it is known. Any thread; calling it blocks no longer than the closure does.
///
/// The closure lies in a structure: one that is a `Mutex`'s whole value is wrapped once more at each access, so that
/// calling it grows slower for ever, until the stack is full (seen with Swift 6.2 and 6.3).
public final class WakeCell: Sendable {
  private struct Content {
    var wake: (@Sendable () -> Void)?
  }

  private let content = Mutex(Content())

  public init() {}

  public func set(_ wake: @escaping @Sendable () -> Void) { content.withLock { $0.wake = wake } }

  /// Wakes the lane; does nothing before it is known how.
  public func call() { content.withLock { $0.wake }?() }
}
