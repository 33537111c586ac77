/// The way to a process that decodes one file; ends with it. One lane; nothing waits unless it says so.
public protocol SoundLink: AnyObject {
  /// Whether `receive` waits until something comes, as it does where the clock is virtual.
  var waits: Bool { get }
  /// It turned out that there is no process: it has ended before it could begin.
  var hasNotBegun: Bool { get }
  func send(_ question: [UInt8]) throws(MediaError)
  /// What has come since the last call; called while an answer is to come, the first before any question.
  ///
  /// - Returns: nothing if there is nothing yet.
  /// - Throws: if the process has ended, or is silent for too long.
  func receive() throws(MediaError) -> [UInt8]
}
