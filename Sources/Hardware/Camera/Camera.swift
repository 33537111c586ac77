/// What the clip recorder would like from a camera.
public struct CameraRequest: Hashable, Sendable {
  /// Codings that will do, best first; size and rate are the same for each.
  public var codecs: [VideoCodec]
  public var width: Int
  public var height: Int
  public var framesPerSecond: Int
  /// Bits a second of a camera that encodes by itself.
  public var bitrate: Int
  /// Most pictures from one keyframe to the next.
  public var keyframeInterval: Int

  public init(
    codecs: [VideoCodec], width: Int, height: Int, framesPerSecond: Int, bitrate: Int, keyframeInterval: Int
  ) {
    self.codecs = codecs
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
    self.bitrate = bitrate
    self.keyframeInterval = keyframeInterval
  }
}

/// What the camera granted, read back from it; may differ from the request in every field.
public struct CameraGrant: Hashable, Sendable {
  public var format: VideoFormat
  /// Where the pictures' times come from: `start-of-exposure`, `end-of-frame`, `arrival`, `simulated`.
  public var timestamps: String
  /// Whether `requestKeyframe` does anything.
  public var canForceKeyframe: Bool
  /// Whether the device numbers its pictures, so that every one it skipped shows in `FrameRecord.missedBefore`.
  public var numbersPictures: Bool
  /// Bytes of its largest picture, where that is known; else `format.largestFrameBytes` has to do.
  public var largestPicture: Int?

  public init(
    format: VideoFormat, timestamps: String, canForceKeyframe: Bool, numbersPictures: Bool = false,
    largestPicture: Int? = nil
  ) {
    self.largestPicture = largestPicture
    self.format = format
    self.timestamps = timestamps
    self.canForceKeyframe = canForceKeyframe
    self.numbersPictures = numbersPictures
  }
}

/// Counters that a camera's thread leaves; they only grow.
public struct CameraCounters: Hashable, Sendable {
  /// Pictures delivered into the queue.
  public var frames: Int
  /// Pictures that the device itself skipped, from holes in its sequence numbers.
  public var missed: Int
  /// Buffers that the device marked as broken.
  public var broken: Int
  /// Pictures dropped because the queue was full.
  public var overflows: Int

  public init(frames: Int = 0, missed: Int = 0, broken: Int = 0, overflows: Int = 0) {
    self.frames = frames
    self.missed = missed
    self.broken = broken
    self.overflows = overflows
  }
}

/// A source of pictures; the same rules as for `Microphone`.
///
/// Control calls come from one worker thread, may block for some 100 ms and may throw. Between `start` and `close`
/// (or a `lost` record) the driver delivers into the queue from a thread of its own, without allocating or locking.
/// A camera that delivers nothing for 1 s is lost, and says so with a `lost` record.
public protocol Camera: AnyObject {
  /// Stable name for people and metadata: the board file's, or the device's.
  var name: String { get }

  /// Opens the device and negotiates. A second call without `close` in between is an error of the caller.
  func open(_ request: CameraRequest) throws(DeviceError) -> CameraGrant

  /// Starts delivery.
  func start(into queue: FrameQueue) throws(DeviceError)

  /// Asks for a keyframe as soon as possible; does nothing on a camera that cannot. Never blocks.
  func requestKeyframe()

  /// Stops delivery and gives the device back. After it returns the queue is not touched again. Never fails.
  func close()

  /// Any thread.
  var counters: CameraCounters { get }

  /// Why the last run ended that was lost, in more words than its `lost` record's errno has; `nil` if nothing more is
  /// known. Control thread, after `close`, until the next `open`.
  var lastLoss: DeviceError? { get }
}

extension Camera {
  public var lastLoss: DeviceError? { nil }
}
