public import Hardware

/// The last seconds of sound before anybody pressed REC, packed to the device's own bits.
///
/// Frames are numbered from the first one ever pushed (or from where `restart` said), and keep their numbers. Memory
/// is allocated and touched in `init`. One thread at a time.
public final class PreRecordRing {
  public let format: PCMFormat
  /// Frames that it can hold.
  public let capacity: Int
  /// Number of the frame after the newest one.
  public private(set) var endFrame = 0
  /// Number of the oldest frame that is held.
  public private(set) var firstFrame = 0

  private let bytes: UnsafeMutableRawPointer
  private let frameBytes: Int

  /// - Parameters:
  ///   - format: as granted by the device; 16 bits take 2 bytes a sample, 24 take 3.
  ///   - capacity: frames to hold, at least 1.
  public init(format: PCMFormat, capacity: Int) {
    self.format = format
    self.capacity = max(1, capacity)
    frameBytes = PCMPacking.bytesPerSample(bits: format.bits) * format.channels
    bytes = .allocate(byteCount: self.capacity * frameBytes, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: self.capacity * frameBytes)
  }

  deinit { bytes.deallocate() }

  /// Bytes that `init` allocates for such a ring, for the budget.
  public static func byteCount(format: PCMFormat, capacity: Int) -> Int {
    max(1, capacity) * PCMPacking.bytesPerSample(bits: format.bits) * format.channels
  }

  /// Frames that can be read now.
  public var heldFrames: Int {
    @_noLocks @_noAllocation get { endFrame - firstFrame }
  }

  /// Appends interleaved frames; the oldest make room.
  @_noLocks @_noAllocation
  public func push(_ interleaved: UnsafePointer<Float>, frames: Int) {
    // Of more than fits, only the end.
    let skipped = max(0, frames - capacity)
    var done = skipped
    while done < frames {
      let place = (endFrame + done) % capacity
      let count = min(frames - done, capacity - place)
      PCMPacking.pack(
        interleaved + done * format.channels, into: bytes + place * frameBytes, count: count * format.channels,
        bits: format.bits)
      done += count
    }
    advance(by: frames)
  }

  /// Appends exact silence, as for sound that was lost.
  @_noLocks @_noAllocation
  public func pushSilence(frames: Int) {
    guard frames > 0 else { return }
    var done = max(0, frames - capacity)
    while done < frames {
      let place = (endFrame + done) % capacity
      let count = min(frames - done, capacity - place)
      (bytes + place * frameBytes).initializeMemory(as: UInt8.self, repeating: 0, count: count * frameBytes)
      done += count
    }
    advance(by: frames)
  }

  /// Copies up to `frames` frames from frame number `frame` on into `target`, as interleaved floats.
  ///
  /// - Returns: how many were copied: fewer at the end, 0 if `frame` is no longer or not yet held.
  @_noLocks @_noAllocation
  public func read(from frame: Int, into target: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard frame >= firstFrame, frame < endFrame, frames > 0 else { return 0 }
    let wanted = min(frames, endFrame - frame)
    var done = 0
    while done < wanted {
      let place = (frame + done) % capacity
      let count = min(wanted - done, capacity - place)
      PCMPacking.unpack(
        bytes + place * frameBytes, into: target + done * format.channels, count: count * format.channels,
        bits: format.bits)
      done += count
    }
    return wanted
  }

  /// Empties the ring; the next frame pushed has number `frame` (not negative).
  public func restart(at frame: Int = 0) {
    endFrame = max(0, frame)
    firstFrame = endFrame
  }

  /// A ring of another size with the newest of these frames, as many as fit, under their numbers.
  public func resized(capacity: Int) -> PreRecordRing {
    let ring = PreRecordRing(format: format, capacity: capacity)
    ring.endFrame = endFrame
    ring.firstFrame = max(firstFrame, endFrame - ring.capacity)
    var frame = ring.firstFrame
    while frame < endFrame {
      let place = frame % self.capacity
      let target = frame % ring.capacity
      let count = min(endFrame - frame, self.capacity - place, ring.capacity - target)
      (ring.bytes + target * frameBytes).copyMemory(from: bytes + place * frameBytes, byteCount: count * frameBytes)
      frame += count
    }
    return ring
  }

  @_noLocks @_noAllocation
  private func advance(by frames: Int) {
    endFrame += frames
    firstFrame = max(firstFrame, endFrame - capacity)
  }
}
