internal import Hardware
internal import Streaming
internal import Synchronization

/// Pictures on their way from the dubbing lane to that of the pictures, and the clock by which they go. Any thread.
final class PictureIntake: Sendable {
  /// What has come since the last look.
  struct Event {
    var pictures: [ProgrammePicture] = []
    var clock: HeardClock?
    var isPlaying = false
    /// Counts restarts: what was taken before is void.
    var generation = 0
    /// Counts what has been played to its end, or left: its pictures are shown no more.
    var ends = 0
  }

  private struct Inner {
    var news = Event()
    var queue: PictureQueue
  }

  private let inner: Mutex<Inner>

  /// - Parameter mostBytes: of pictures that wait to be collected.
  init(mostBytes: Int) { inner = Mutex(Inner(queue: PictureQueue(mostBytes: mostBytes))) }

  func take(_ picture: ProgrammePicture) { inner.withLock { $0.queue.append(picture) } }

  func restart(isPlaying: Bool) {
    inner.withLock {
      $0.news = Event(
        isPlaying: isPlaying, generation: $0.news.generation &+ 1, ends: $0.news.ends &+ (isPlaying ? 0 : 1))
      $0.queue.removeAll()
    }
  }

  /// - Returns: whether whoever follows it has to look at once: it started, stopped, or went elsewhere.
  func follow(_ clock: HeardClock) -> Bool {
    inner.withLock {
      let before = $0.news.clock
      $0.news.clock = clock
      guard let before, before.isRunning == clock.isRunning, before.isEnding == clock.isEnding else { return true }
      return abs(before.frame(at: clock.at) - clock.frame) > 480
    }
  }

  /// Hands over what has come.
  func collect() -> Event {
    inner.withLock { inner in
      var news = inner.news
      while let picture = inner.queue.next() { news.pictures.append(picture) }
      return news
    }
  }
}
