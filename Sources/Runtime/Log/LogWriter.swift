internal import Console
internal import Hardware
internal import Synchronization

/// The log as the storage lane has it.
struct StoredLog {
  let files: LogFiles
  let writer: LogWriter
  /// Takes what earlier runs have left.
  let found: ControlLaneReply<[LogLine]>
}

/// Lines of the log on their way to the storage: in batches, so that a device that does nothing leaves its card alone.
final class LogWriter: Sendable {
  private struct Batch {
    var bytes: [UInt8] = []
    /// When they are to be written.
    var due: Instant?
    /// Lines that found no room, and when the last of them was said.
    var lost = 0
    var lostAt: WallTime?
  }

  private let waiting = Mutex(Batch())

  /// How long lines wait for others.
  static let patience = Duration.seconds(600)
  /// After a failure.
  private static let pause = Duration.seconds(60)
  /// So many bytes wait for nothing more.
  private static let full = 16 * 1024
  /// A card that takes nothing costs the lines beyond.
  private static let most = 64 * 1024

  /// Control lane.
  func add(_ line: LogLine) {
    let bytes = Array((line.stampedLine + "\n").utf8)
    waiting.withLock { batch in
      guard batch.bytes.count + bytes.count <= Self.most else {
        batch.lost += 1
        batch.lostAt = line.wall
        return
      }
      batch.bytes += bytes
      let isPressing = line.severity == .error || batch.bytes.count >= Self.full
      batch.due = min(batch.due ?? .distantFuture, isPressing ? line.at : line.at + Self.patience)
    }
  }

  /// Writes what is due, if something is. Storage lane.
  ///
  /// - Parameter isEnd: everything is due.
  func step(_ files: LogFiles, now: Instant, isEnd: Bool = false) {
    let batch = waiting.withLock { batch -> Batch? in
      guard isEnd ? batch.due != nil : batch.due ?? .distantFuture <= now else { return nil }
      defer { batch = Batch() }
      return batch
    }
    guard let batch else { return }
    var bytes = batch.bytes
    if batch.lost > 0 {
      let complaint = LogLine(at: now, wall: batch.lostAt, .warning, "log", "\(batch.lost) lines found no room")
      bytes += Array((complaint.stampedLine + "\n").utf8)
    }
    do throws(StorageError) { try files.append(bytes) } catch {
      var next = now + Self.pause
      if case .stalled(let until) = error.kind { next = until }
      waiting.withLock { later in
        // In their order, and no more of them than there is room for.
        later.lost += batch.lost
        later.lostAt = later.lostAt ?? batch.lostAt
        later.bytes = batch.bytes + later.bytes
        later.due = next
      }
    }
  }
}
