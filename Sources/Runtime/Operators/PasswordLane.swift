internal import Threads

/// Work on passwords, one at a time: each takes 8 MiB and half a second of a small board's core, on a thread that ends with
/// it. Control lane only.
final class PasswordLane {
  private let inbox: Mailbox<ControlInput>
  private let isRealTime: Bool
  /// The first is under way.
  private var jobs: [(@escaping () -> Void) -> Void] = []
  private static let most = 4

  /// - Parameter isRealTime: in virtual time everything has to happen on this lane.
  init(_ inbox: Mailbox<ControlInput>, isRealTime: Bool) { (self.inbox, self.isRealTime) = (inbox, isRealTime) }

  /// Does a job when its turn comes; it says when it is done.
  ///
  /// - Returns: whether there is room for it.
  func enter(_ job: @escaping (_ done: @escaping () -> Void) -> Void) -> Bool {
    guard jobs.count < Self.most else { return false }
    jobs.append(job)
    if jobs.count == 1 { begin() }
    return true
  }

  private func begin() {
    jobs.first? { [self] in
      jobs.removeFirst()
      begin()
    }
  }

  /// Has something worked out on a thread of its own that stands back behind the others.
  ///
  /// - Parameter then: called with `nil` if the system has no thread to give.
  func work<Answer: Sendable>(_ work: @escaping @Sendable () -> Answer, then: @escaping (Answer?) -> Void) {
    guard isRealTime else { return then(work()) }
    var thread: WorkerThread?
    let answer = ControlLaneReply<Answer>(inbox) { answer in
      // It has nothing left to do, and its stack goes.
      thread?.join()
      thread = nil
      then(answer)
    }
    thread = WorkerThread(ifPossible: "mynah-password", niceness: 10) { answer.send(work()) }
    if thread == nil { then(nil) }
  }
}
