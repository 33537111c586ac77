/// What the recorder would like from a microphone, or the player from a speaker.
public struct SoundRequest: Hashable, Sendable {
  public var format: PCMFormat
  /// Frames a period: the driver's unit of delivery and the thread's wake-up rhythm.
  public var periodFrames: Int
  /// Frames that the device itself may buffer.
  public var bufferFrames: Int

  public init(format: PCMFormat, periodFrames: Int, bufferFrames: Int) {
    self.format = format
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
  }
}

/// What the device granted, read back from it; may differ from the request in every field.
public struct SoundGrant: Hashable, Sendable {
  public var format: PCMFormat
  public var periodFrames: Int
  public var bufferFrames: Int
  /// The device's own name for its sample type: `S16_LE`, `S24_3LE`, `S32_LE`, `FLOAT_LE`.
  public var sampleType: String
  /// Where the blocks' times come from: `hardware`, `monotonic`, `counted`, `virtual`.
  public var timestamps: String

  public init(
    format: PCMFormat, periodFrames: Int, bufferFrames: Int, sampleType: String, timestamps: String
  ) {
    self.format = format
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
    self.sampleType = sampleType
    self.timestamps = timestamps
  }
}

/// Counters that a sound device's real-time thread leaves; they only grow.
public struct SoundCounters: Hashable, Sendable {
  /// Frames delivered by or to the device.
  public var frames: Int
  /// Overruns of a microphone, underruns of a speaker (xruns).
  public var xruns: Int
  /// Blocks dropped because the capture ring was full.
  public var ringOverflows: Int
  /// Heap allocations counted on the real-time thread; stays 0.
  public var allocations: Int

  public init(frames: Int = 0, xruns: Int = 0, ringOverflows: Int = 0, allocations: Int = 0) {
    self.frames = frames
    self.xruns = xruns
    self.ringOverflows = ringOverflows
    self.allocations = allocations
  }

  /// Of one device after another.
  public static func + (one: SoundCounters, other: SoundCounters) -> SoundCounters { one.combined(with: other, 1) }
  public static func - (one: SoundCounters, other: SoundCounters) -> SoundCounters { one.combined(with: other, -1) }

  private func combined(with other: SoundCounters, _ sign: Int) -> SoundCounters {
    SoundCounters(
      frames: frames + sign * other.frames, xruns: xruns + sign * other.xruns,
      ringOverflows: ringOverflows + sign * other.ringOverflows, allocations: allocations + sign * other.allocations)
  }
}

/// A sound source.
///
/// Control calls come from one worker thread, may block for some 100 ms and may throw. Between `start` and `stop`
/// (or a `lost` block) the driver delivers into the ring from a thread of its own, at real-time priority where
/// the system allows, without allocating or locking.
public protocol Microphone: AnyObject {
  /// Stable name for people and metadata: the board file's, or the card's.
  var name: String { get }

  /// Opens the device and negotiates. A second call without `close` in between is an error of the caller.
  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant

  /// Starts delivery; the ring must have been made for the granted channels.
  func start(into ring: CaptureRing) throws(DeviceError)

  /// Stops delivery and gives the device back. After it returns the ring is not touched again. Never fails.
  func close()

  /// Any thread.
  var counters: SoundCounters { get }
}

/// A sound sink; the same rules as for `Microphone`.
public protocol Speaker: AnyObject {
  var name: String { get }

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant

  /// Starts to call `render` on the ring once a period; the ring must outlive `close`.
  func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError)

  /// Stops at once and gives the device back. After it returns the ring is not touched again. Never fails.
  func close()

  /// True once the device has gone away since `start`. Any thread.
  var isLost: Bool { get }

  /// Any thread.
  var counters: SoundCounters { get }
}
