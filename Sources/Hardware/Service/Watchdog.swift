/// A timer that has the board reset, or the program restarted, unless it is fed in time.
///
/// Control thread only; no call takes more than a millisecond.
public protocol Watchdog: AnyObject {
  /// For logs: `/dev/watchdog`, `service manager`.
  var name: String { get }

  /// Starts the timer. From then on it must be fed.
  ///
  /// - Returns: the time within which it must be fed.
  func start() throws(DeviceError) -> Duration

  /// Starts the time anew. Does nothing before `start`.
  func feed() throws(DeviceError)

  /// Stops the timer, as far as it lets itself be stopped: the program ends in order.
  func stop()
}
