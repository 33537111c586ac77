internal import Hardware
internal import Synchronization
internal import Threads

/// What pictures may cost less by.
public struct PictureEconomy: Hashable, Sendable {
  /// Of pictures that are encoded here.
  public var hasHalfTheBits = false
  /// Of pictures that stand alone, or are encoded here.
  public var hasHalfThePictures = false

  public init() {}
}

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
    /// How often it was asked for, and given up: the camera lane may sleep over a change there and back.
    var armings = 0
    var releases = 0
    var wantsKeyframe = false
    /// What the camera is to be spared, from its next keyframe on.
    var economy = PictureEconomy()
    /// What pictures are, by the epochs of those in the ring; the newest one's.
    private(set) var formats: [Int32: VideoFormat] = [:]
    private(set) var epoch: Int32 = 0
    var format: VideoFormat? { formats[epoch] }
    /// Pictures that may be ahead of another one in the stream and behind it on the screen.
    var reorderDepth = 0
    /// Why nothing that the camera sends can be kept: a sentence.
    var complaint: String?
    /// Whether the camera delivers.
    var isRunning = false
    /// Oldest picture that an open clip still has to take; none from it on is let go for its age.
    var pinned: Int?
    var losses = Losses()

    /// What comes now is of this kind; it has nothing to do with what came.
    mutating func begin(_ format: VideoFormat) {
      let oldest = ring.flatMap { $0[$0.first]?.epoch } ?? epoch + 1
      formats = formats.filter { $0.key >= oldest }
      epoch += 1
      formats[epoch] = format
      ring?.interrupt()
    }
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

  /// The newest pictures that show something whole: their first and last, and what they are coded as. One where pictures
  /// stand alone, many where a refresh comes bit by bit (H.264, D.2.8); `nil` if there are none yet, or if they begin
  /// with the one of that number.
  func newestWhole(except number: Int?) -> (pictures: ClosedRange<Int>, codec: VideoCodec, epoch: Int32)? {
    withLock { shared in
      guard let ring = shared.ring, let first = ring.start(of: ring.end - 1), first != number, let entry = ring[first],
        let codec = shared.formats[entry.epoch]?.codec
      else { return nil }
      let last = entry.recovery == 0 ? first : ring.clean(from: first) ?? first
      return (first...max(first, last), codec, entry.epoch)
    }
  }

  /// A picture as it came; `nil` if it is no longer held, or of another kind.
  func picture(_ number: Int, epoch: Int32) -> [UInt8]? {
    withLock { shared in
      guard let ring = shared.ring, ring[number]?.epoch == epoch else { return nil }
      return ring.picture(number).map { Array($0) }
    }
  }

  func withLock<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result {
    lock.withLock { _ in body(&shared) }
  }

  /// Has pictures cost less, or as much as they are worth, from the next keyframe on. Any thread.
  public func economise(_ economy: PictureEconomy) { withLock { $0.economy = economy } }

  func attach(wake: @escaping @Sendable () -> Void) { waker.set(wake) }

  func wakeCamera() { waker.call() }
}
