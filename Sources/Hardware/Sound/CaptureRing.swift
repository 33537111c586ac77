/// What the microphone driver says about each piece of sound it delivers.
public struct CaptureBlock: Hashable, Sendable {
  public enum Kind: UInt8, Sendable {
    /// `frames` frames are in the sample ring.
    case sound
    /// Frames were lost before the next `sound` block (overrun). How many follows from the blocks' times.
    case discontinuity
    /// The device went away; `code` is the errno. No block follows until the device is started again.
    case lost
  }

  public var kind: Kind
  /// Frames in the sample ring that belong to this block; 0 for other kinds than `sound`.
  public var frames: Int32
  /// errno of a loss, else 0.
  public var code: Int32
  /// When the frame after the last one was (or would be) at the converter.
  public var end: Instant

  @_noLocks @_noAllocation
  public init(_ kind: Kind, frames: Int32 = 0, code: Int32 = 0, end: Instant) {
    self.kind = kind
    self.frames = frames
    self.code = code
    self.end = end
  }
}

/// A ring of capture blocks: `ByteRing` counted in blocks.
public struct BlockRing: ~Copyable {
  private let ring: ByteRing

  /// Allocates and pre-faults room for at least `minimumCapacity` blocks.
  public init(minimumCapacity: Int) {
    ring = ByteRing(minimumCapacity: minimumCapacity * MemoryLayout<CaptureBlock>.stride)
  }

  /// Whether one more block fits. Writing thread only.
  public var hasRoom: Bool {
    @_noLocks @_noAllocation get { ring.writableCount >= MemoryLayout<CaptureBlock>.stride }
  }

  /// Appends one block; false if it does not fit. Writing thread only.
  @_noLocks @_noAllocation
  public borrowing func write(_ block: CaptureBlock) -> Bool {
    var copy = block
    return ring.write(&copy, count: MemoryLayout<CaptureBlock>.stride)
  }

  /// Takes the oldest block, if there is one. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func read() -> CaptureBlock? {
    var block = CaptureBlock(.discontinuity, end: Instant(nanoseconds: 0))
    return ring.read(into: &block, count: MemoryLayout<CaptureBlock>.stride) == 0 ? nil : block
  }

  /// Drops every waiting block. Reading thread only.
  public borrowing func clear() { ring.skip(to: ring.writtenCount) }
}

/// The way from a microphone's real-time thread to the media worker: samples, and what is known about them.
///
/// One writer (the driver's thread), one reader (the media worker). The driver writes samples first, then their
/// block, so a block that is seen has its samples. The rings are reached through pointers so that real-time code
/// touches no reference count; the object must outlive both threads.
public final class CaptureRing: @unchecked Sendable {
  /// Interleaved samples.
  public let samples: UnsafeMutablePointer<SampleRing>
  /// One entry a block, in the order of the samples.
  public let blocks: UnsafeMutablePointer<BlockRing>
  /// Interleaved channels of the samples.
  public let channels: Int

  /// - Parameters:
  ///   - frames: frames of sound that the ring must be able to hold.
  ///   - channels: interleaved channels.
  ///   - blocks: blocks that it must be able to hold.
  public init(frames: Int, channels: Int, blocks: Int) {
    self.channels = channels
    samples = .allocate(capacity: 1)
    samples.initialize(to: SampleRing(minimumCapacity: frames * channels))
    self.blocks = .allocate(capacity: 1)
    self.blocks.initialize(to: BlockRing(minimumCapacity: blocks))
  }

  deinit {
    samples.deinitialize(count: 1)
    samples.deallocate()
    blocks.deinitialize(count: 1)
    blocks.deallocate()
  }

  /// The driver's end, for its real-time thread.
  public var writer: CaptureWriter { CaptureWriter(samples: samples, blocks: blocks, channels: channels) }

  /// Drops everything that is waiting. Reading thread only, with the driver stopped.
  public func clear() {
    samples.pointee.skip(to: samples.pointee.writtenCount)
    blocks.pointee.clear()
  }
}

/// The driver's end of a capture ring: plain pointers, fit for real-time code. The ring must outlive it.
public struct CaptureWriter: @unchecked Sendable {
  let samples: UnsafeMutablePointer<SampleRing>
  let blocks: UnsafeMutablePointer<BlockRing>
  let channels: Int

  /// Delivers one period of interleaved sound.
  ///
  /// - Parameter end: when the frame after the last one is at the converter.
  /// - Returns: false, with nothing delivered, if the reader is so late that the ring is full; the caller counts it
  ///   and announces a discontinuity before the next block that fits.
  @_noLocks @_noAllocation
  public func deliver(_ source: UnsafePointer<Float>, frames: Int, end: Instant) -> Bool {
    guard blocks.pointee.hasRoom, samples.pointee.write(source, count: frames * channels) else {
      return false
    }
    return announce(CaptureBlock(.sound, frames: Int32(truncatingIfNeeded: frames), end: end))
  }

  /// Delivers a block that carries no samples.
  @_noLocks @_noAllocation
  public func announce(_ block: CaptureBlock) -> Bool {
    blocks.pointee.write(block)
  }
}
