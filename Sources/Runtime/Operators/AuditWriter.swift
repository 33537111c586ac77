internal import Console
internal import Hardware
internal import JSON
internal import Synchronization

/// Lines of the audit log on their way to the storage: what concerns logins and settings at once, the rest in batches.
final class AuditWriter: Sendable {
  private struct Batch {
    var entries: [JSONValue] = []
    /// When they are to be written.
    var due: Instant?
    /// Lines that found no room.
    var lost = 0
  }

  private let waiting = Mutex(Batch())
  /// How long what operators do every day waits for more of it.
  private static let patience = Duration.seconds(10)
  /// After a failure.
  private static let pause = Duration.seconds(60)
  private static let most = 256

  /// Control lane.
  func add(_ fields: JSONValue, at now: Instant, isPressing: Bool) {
    waiting.withLock { batch in
      guard batch.entries.count < Self.most else {
        batch.lost += 1
        return
      }
      batch.entries.append(fields)
      batch.due = min(batch.due ?? .distantFuture, isPressing ? now : now + Self.patience)
    }
  }

  /// Writes what is due, if something is. Storage lane.
  ///
  /// - Parameter isEnd: everything is due.
  func step(_ files: AuditFiles, now: Instant, isEnd: Bool = false) {
    let batch = waiting.withLock { batch -> Batch? in
      guard let due = batch.due, isEnd || due <= now else { return nil }
      defer { batch = Batch() }
      return batch
    }
    guard var batch else { return }
    if batch.lost > 0 { batch.entries.append(["what": "audit", "lost": .integer(batch.lost)]) }
    do throws(StorageError) { try files.append(batch.entries) } catch {
      var next = now + Self.pause
      if case .stalled(let until) = error.kind { next = until }
      waiting.withLock { later in
        later.entries = batch.entries + later.entries
        later.due = next
      }
    }
  }
}
