public import Hardware

/// Clip capture at a moment, for screens and status calls.
public struct ClipStatus: Hashable, Sendable {
  public var isArmed = false
  /// Whether the camera delivers.
  public var hasCamera = false
  /// What its pictures are, as they say themselves; `nil` while there is none.
  public var format: VideoFormat?
  public var ring = RingStatus()
  /// Clips whose range is still open.
  public var capturing = 0
  /// Seconds until the last open clip's end; 0 if there is none, infinite while recording without end or in a time-lapse.
  public var remainingSeconds = 0.0
  public var isContinuous = false
  /// Whether the storage gets a copy of the ring.
  public var isSpooling = false
  /// Pictures of the time-lapse that is being made.
  public var timeLapsePictures: Int?
  /// Pictures that came into the ring in the last second.
  public var framesPerSecond = 0.0
  public var droppedPictures = 0
  /// Clips made since the recorder was.
  public var clips = 0

  public init() {}
}

/// Counts per second, over the last second.
struct RateMeter {
  private var mark: (time: Instant, count: Int)?
  private(set) var perSecond = 0.0

  mutating func add(_ count: Int, at now: Instant) {
    guard let (time, before) = mark else {
      mark = (now, count)
      return
    }
    let elapsed = (now - time).inSeconds
    guard elapsed >= 1 else { return }
    perSecond = Double(max(0, count - before)) / elapsed
    mark = (now, count)
  }
}
