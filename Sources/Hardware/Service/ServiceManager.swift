/// Who has started the program as a service and wants to know how it does.
///
/// Control thread only; no call blocks or fails, and a manager that does not listen is no error.
public protocol ServiceManager: AnyObject {
  /// Tells that the service does its work.
  func tellReady()
  /// Tells in a line of words what the service does.
  func tell(status: String)
  /// Tells that the service is ending in order.
  func tellStopping()
}
