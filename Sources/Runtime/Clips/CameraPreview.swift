internal import Clips
internal import Hardware
internal import Media
internal import Panel
internal import Synchronization
internal import Threads

/// A small grey picture of what the camera sees, for the OLED: the newest whole picture in the ring, decoded, while
/// somebody looks. Nothing is decoded while nobody does.
///
/// `picture(at:)`: any thread. Everything else: the pictures' lane, some milliseconds a picture on a small board.
final class CameraPreview: Stepper, Sendable {
  private struct Shared {
    var picture: GreyPicture?
    /// Somebody looks until then.
    var wantedUntil = Instant.zero
    var isAsleep = true
    /// What is being decoded is of another camera.
    var mustBeginAnew = false
  }

  /// The lane's own.
  private struct Work: ~Copyable {
    let newest: NewestPicture
    /// When the picture in hand was begun.
    var begun: Instant?
  }

  private let work: Mutex<Work>
  private let shared = Mutex(Shared())
  private let wake: @Sendable () -> Void

  /// From one picture to the next. Keyframes come twice a second.
  private static let interval = Duration.milliseconds(500)
  /// One that many have to be decoded for costs a fifth of a processor at most, and comes every five seconds at least.
  private static let rest = 4
  private static let longestRest = Duration.seconds(5)
  /// Who looks asks again before this is over.
  private static let patience = Duration.seconds(1)

  /// - Parameters:
  ///   - room: bytes of decoded pictures at a time.
  ///   - wake: wakes the pictures' lane.
  init(buffer: PictureBuffer, room: Int, wake: @escaping @Sendable () -> Void) {
    work = Mutex(Work(newest: NewestPicture(buffer, room: room)))
    self.wake = wake
  }

  /// What the camera saw a moment ago, if that is known; asking keeps pictures coming.
  func picture(at now: Instant) -> GreyPicture? {
    let (picture, mustWake) = shared.withLock { shared -> (GreyPicture?, Bool) in
      // What was seen before a pause is not what is seen now.
      if now > shared.wantedUntil { shared.picture = nil }
      shared.wantedUntil = now + Self.patience
      defer { shared.isAsleep = false }
      return (shared.picture, shared.isAsleep)
    }
    if mustWake { wake() }
    return picture
  }

  /// The camera went, or another came: what is shown is not what it sees.
  func forget() { shared.withLock { ($0.picture, $0.mustBeginAnew) = (nil, true) } }

  func step(now: Instant) -> Instant? {
    let (isWanted, mustBeginAnew) = shared.withLock { shared in
      shared.isAsleep = now > shared.wantedUntil
      defer { shared.mustBeginAnew = false }
      return (!shared.isAsleep, shared.mustBeginAnew)
    }
    return work.withLock { work in
      if mustBeginAnew || !isWanted {
        work.newest.forget()
        work.begun = nil
      }
      guard isWanted else { return nil }
      let begun = work.begun ?? now
      switch work.newest.step() {
      case .more:
        work.begun = begun
        return now
      case .nothing: break
      case .picture(let picture):
        let grey = ClipThumbnails.grey(picture)
        shared.withLock { $0.picture = grey ?? $0.picture }
      }
      work.begun = nil
      let taken = now - begun
      return now + max(Self.interval, min(Self.longestRest, .nanoseconds(taken.nanoseconds * Int64(Self.rest))))
    }
  }
}
