public import Hardware
internal import Synchronization
internal import Threads

/// What the camera lane and the media lane share: the ring of pictures, and what either wants of the other.
///
/// Any thread; each call holds a lock for at most the copy of one picture.
public final class PictureBuffer: @unchecked Sendable {
  struct Shared {
    /// There while the recorder is armed.
    var ring: FrameRing?
    /// What is asked for from before now, and how long pictures are kept beyond it.
    var window = Duration.zero
    /// What is asked of the camera; `nil`: it is to be closed.
    var request: CameraRequest?
    var wantsKeyframe = false
    /// What the pictures in the ring are; grows with every change of size, codec or parameter sets.
    var format: VideoFormat?
    var epoch = 0
    /// Whether the camera delivers.
    var isRunning = false
    /// Oldest picture that an open clip still has to take; none from it on is let go for its age.
    var pinned: Int?
    var losses = Losses()
  }

  /// Pictures that were lost on the way into the ring, since the start, by cause.
  struct Losses: Hashable {
    var missedByDevice = 0
    var droppedInQueue = 0
    var droppedBeforeKeyframe = 0
    /// Too large for the ring, or refused by the encoder.
    var refused = 0
    var late = 0

    var total: Int { missedByDevice + droppedInQueue + droppedBeforeKeyframe + refused }

    static func - (left: Losses, right: Losses) -> Losses {
      Losses(
        missedByDevice: left.missedByDevice - right.missedByDevice,
        droppedInQueue: left.droppedInQueue - right.droppedInQueue,
        droppedBeforeKeyframe: left.droppedBeforeKeyframe - right.droppedBeforeKeyframe,
        refused: left.refused - right.refused, late: left.late - right.late)
    }
  }

  /// Pictures are kept this much longer than the window: what a trigger's way to the recorder may take.
  static let slack = Duration.seconds(2)

  /// Guards `shared`; apart from it because a ring that is handed out for a moment cannot be sent.
  private let lock = Mutex(())
  private var shared = Shared()
  private let waker = WakeCell()

  public init() {}

  /// What the ring holds.
  public var status: RingStatus { withLock { $0.ring?.status(window: $0.window) ?? RingStatus() } }

  /// The newest picture that can be decoded by itself, as it came; `nil` if there is none, or if it is the one with that
  /// number.
  public func newestKeyframe(except number: Int?) -> (number: Int, codec: VideoCodec, bytes: [UInt8])? {
    withLock { shared in
      guard let ring = shared.ring, let codec = shared.format?.codec, let newest = ring.start(of: ring.end - 1),
        newest != number, let bytes = ring.picture(newest)
      else { return nil }
      return (newest, codec, Array(bytes))
    }
  }

  func withLock<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result {
    lock.withLock { _ in body(&shared) }
  }

  func attach(wake: @escaping @Sendable () -> Void) { waker.set(wake) }

  func wakeCamera() { waker.call() }
}
