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
  }

  private struct Inner {
    var news = Event()
    var bytes = 0
    /// After some were thrown away, nothing can be decoded before a keyframe.
    var needsKeyframe = false
  }

  private let inner = Mutex(Inner())
  /// Some seconds of the best stream there is; more only comes if nobody takes anything.
  private static let mostBytes = 4 << 20
  private static let mostPictures = 256

  func take(_ picture: ProgrammePicture) {
    inner.withLock {
      if $0.bytes + picture.bytes.count > Self.mostBytes || $0.news.pictures.count >= Self.mostPictures {
        $0.news.pictures = []
        $0.bytes = 0
        $0.needsKeyframe = true
      }
      if $0.needsKeyframe, !picture.isKeyframe { return }
      $0.needsKeyframe = false
      $0.news.pictures.append(picture)
      $0.bytes += picture.bytes.count
    }
  }

  func restart(isPlaying: Bool) {
    inner.withLock {
      $0.news = Event(isPlaying: isPlaying, generation: $0.news.generation &+ 1)
      $0.bytes = 0
      $0.needsKeyframe = false
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
      defer {
        inner.news.pictures = []
        inner.bytes = 0
      }
      return inner.news
    }
  }
}
