internal import Hardware
internal import Synchronization

/// What the camera lane and the media lane share: the ring of pictures, and what either wants of the other.
///
/// Any thread; each call holds a lock for at most the copy of one picture.
public final class PictureBuffer: Sendable {
  let shared: Mutex<Shared>
  private let waker = Mutex<(@Sendable () -> Void)?>(nil)

  public init() { shared = Mutex(Shared()) }

  /// Hands over what makes the camera lane run as soon as possible. Once, before the first step.
  public func attach(wake: @escaping @Sendable () -> Void) { waker.withLock { $0 = wake } }

  func wakeCamera() { waker.withLock { $0 }?() }

  /// What the ring holds.
  public var status: RingStatus { shared.withLock { $0.ring?.status(window: $0.window) ?? RingStatus() } }

  struct Shared {
    var ring: FrameRing?
    var window = Duration.zero
    /// Whether the camera is to run, and what is asked of it.
    var request: CameraRequest?
    var wantsKeyframe = false
    /// What the camera granted; `nil` while there is none.
    var format: VideoFormat?
    /// Oldest picture that an open clip still has to take; none older is let go for its age.
    var pinned: Int?
  }
}
