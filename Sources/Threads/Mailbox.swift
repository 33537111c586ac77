public import Synchronization

/// Messages from any thread to one, in order. Not for real-time threads: it locks and allocates.
public final class Mailbox<Message: Sendable>: Sendable {
  // Inlinable: without its type known every look would search the runtime's tables for it, 25 times a second a lane.
  @usableFromInline let messages = Mutex<[Message]>([])
  @usableFromInline let onPost: @Sendable () -> Void

  /// - Parameter onPost: called after every post, on the posting thread; wakes the receiver.
  public init(onPost: @escaping @Sendable () -> Void = {}) { self.onPost = onPost }

  /// Appends a message. Any thread.
  @inlinable
  public func post(_ message: Message) {
    messages.withLock { $0.append(message) }
    onPost()
  }

  /// Takes everything that has arrived, oldest first.
  @inlinable
  public func drain() -> [Message] {
    messages.withLock { waiting in
      guard !waiting.isEmpty else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }
}
