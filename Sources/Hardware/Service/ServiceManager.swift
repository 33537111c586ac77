/// Who has started the program as a service and wants to know how it does.
///
/// Control thread only; telling never blocks and never fails: nobody may be listening.
public protocol ServiceManager: AnyObject {
  /// Tells that the service does its work.
  func tellReady()
  /// Tells in a line of words what the service does.
  func tell(status: String)
  /// Tells that the service is ending in order.
  func tellStopping()
}
