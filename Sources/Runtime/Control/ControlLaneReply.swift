internal import Threads

/// A closure of the control lane's on its way through another lane: it is only ever called on its own.
struct ControlLaneReply<Value: Sendable>: @unchecked Sendable {
  private let inbox: Mailbox<ControlInput>
  private let reply: (Value) -> Void

  /// Control lane only.
  init(_ inbox: Mailbox<ControlInput>, _ reply: @escaping (Value) -> Void) {
    self.inbox = inbox
    self.reply = reply
  }

  /// Has the closure called with this. Any thread.
  func send(_ value: Value) { inbox.post(.run { reply(value) }) }
}
