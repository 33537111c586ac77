/// A byte stream to a person or a program: a serial line or one client of the console socket.
public protocol ConsoleConnection: AnyObject, Sendable {
  /// Names the peer in logs: `/dev/ttyS0`, `socket client 3`.
  var name: String { get }
  /// Queues bytes for the peer. Never blocks: what a stuck peer does not take within the bound is dropped and
  /// the connection closed.
  func send(_ bytes: [UInt8])
  /// Drops what was sent and the peer has not taken: it wants no more of it. Never blocks.
  func discardUnsent()
  /// Bytes that can be sent now without crowding out answers to what the peer asks: what is told unasked waits for room.
  /// After less than all of it was there, the port says `.drained` when it is there again.
  var room: Int { get }
  /// A person's terminal may be at the other end, and nothing says how many lines it has: a serial line.
  var isTerminal: Bool { get }
  /// The owner has dealt with this many of the bytes that were received. A port reads on only while little is
  /// unhandled and little waits to be sent, so that a flood from the peer meets flow control, not a growing queue.
  func handled(_ count: Int)
  /// Something that the peer has asked is to be answered yet, or nothing is any more: one that has said all it wants to is
  /// kept that long.
  func owes(_ isOwing: Bool)
  /// Closes the connection; a serial line opens again by itself.
  func close()
}

extension ConsoleConnection {
  public func owes(_ isOwing: Bool) {}
}

/// What a console port tells its owner, from the port's own thread.
public enum ConsolePortEvent: Sendable {
  case opened(any ConsoleConnection)
  case received(any ConsoleConnection, [UInt8])
  case closed(any ConsoleConnection)
  /// The peer has taken what waited for it.
  case drained(any ConsoleConnection)
  /// The place itself has gone, or has not been there; told once, and again with `nil` when it is (back) there.
  case trouble(DeviceError?)
}

/// A place where consoles appear: a Unix socket that is listened on, or a tty.
public protocol ConsolePort: AnyObject {
  /// Starts to listen. The sink returns at once.
  func start(_ sink: @escaping @Sendable (ConsolePortEvent) -> Void) throws(DeviceError)
  /// Stops listening and closes every connection.
  func stop()
}
