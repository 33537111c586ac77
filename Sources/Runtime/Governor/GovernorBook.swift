internal import Board
internal import Budget
internal import Hardware
internal import Recording
internal import Synchronization

/// The governor's latest steps, for the receipts of what was open meanwhile. Any thread.
final class GovernorBook: Sendable {
  private let steps = Mutex<[GovernorStep]>([])

  /// So many are remembered; a receipt has no more.
  private static let most = 64

  func add(_ step: GovernorStep) {
    steps.withLock {
      if $0.count == Self.most { $0.removeFirst() }
      $0.append(step)
    }
  }

  /// Those between two instants.
  func notes(from start: Instant, to end: Instant) -> [Receipt.GovernorNote] {
    steps.withLock { steps in
      steps.compactMap { step in
        guard (start.nanoseconds...max(start.nanoseconds, end.nanoseconds)).contains(step.at) else { return nil }
        return Receipt.GovernorNote(
          at: Instant(nanoseconds: step.at), rung: step.rung.rawValue, direction: step.direction.rawValue,
          reason: step.reason, value: step.value, limit: step.limit)
      }
    }
  }
}
