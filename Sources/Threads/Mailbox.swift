internal import Synchronization

/// Messages from any thread to one, in order. Not for real-time threads: it locks and allocates.
public final class Mailbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  private let onPost: @Sendable () -> Void

  /// - Parameter onPost: called after every post, on the posting thread; wakes the receiver.
  public init(onPost: @escaping @Sendable () -> Void = {}) { self.onPost = onPost }

  /// Appends a message. Any thread.
  public func post(_ message: Message) {
    messages.withLock { $0.append(message) }
    onPost()
  }

  /// Takes everything that has arrived, oldest first.
  public func drain() -> [Message] {
    messages.withLock { waiting in
      guard !waiting.isEmpty else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }
}
