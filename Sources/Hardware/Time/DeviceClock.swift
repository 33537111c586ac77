/// The device's clock: the monotonic time base and the wall clock that annotates it.
///
/// Any thread may read it; reading never blocks.
public protocol DeviceClock: AnyObject, Sendable {
  /// Now on CLOCK_MONOTONIC, or on the virtual clock.
  var now: Instant { get }
  /// Now on the wall clock. May jump either way at any time.
  var wallNow: WallTime { get }
}

/// Something that does its work in small steps and says when it wants to be called next.
///
/// A stepper owns no thread and reads no clock. The runtime calls the same `step` from a thread of its lane
/// on a device, and from a discrete-event scheduler in virtual time. One stepper is only ever called from
/// one thread at a time.
public protocol Stepper: AnyObject {
  /// Does everything that is due at `now`.
  ///
  /// - Returns: when to call again at the latest; `nil` to sleep until woken. Calls may come earlier than asked.
  func step(now: Instant) -> Instant?
  /// Hands over what makes `step` run as soon as possible: for work that is given from outside. Called once, before
  /// the first step; the closure may be called from any thread.
  func attach(wake: @escaping @Sendable () -> Void)
}

extension Stepper {
  /// For steppers that are not given work from outside, or were given a way to say so when they were made.
  public func attach(wake: @escaping @Sendable () -> Void) {}
}
