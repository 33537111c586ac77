internal import Hardware
internal import Synchronization

/// Who has started what is being recorded, by the instant at which it was asked for: that is in every receipt. Any thread.
final class RecordingAuthors: Sendable {
  struct Author: Sendable {
    let name: String
    /// Whether it is to be in the file's name.
    let isInName: Bool
  }

  private let known = Mutex<[(at: Instant, author: Author)]>([])
  /// Recordings that may be open, or about to begin, at once.
  private static let most = 64

  /// Control lane.
  ///
  /// - Parameter name: nil: nobody had logged in.
  func note(_ name: String?, at: Instant, isInName: Bool) {
    guard let name else { return }
    known.withLock { known in
      known.append((at, Author(name: name, isInName: isInName)))
      if known.count > Self.most { known.removeFirst() }
    }
  }

  func author(at: Instant?) -> Author? {
    guard let at else { return nil }
    return known.withLock { $0.last { $0.at == at }?.author }
  }
}
