internal import Synchronization

/// What the camera driver says about each record it delivers.
public struct FrameRecord: Hashable, Sendable {
  public enum Kind: UInt8, Sendable {
    /// `bytes` bytes of one picture follow.
    case picture
    /// The device went away, or has been silent for too long; `code` is the errno. No record follows until the camera
    /// is started again.
    case lost
  }

  public var kind: Kind
  /// For compressed pictures: whether decoding can begin here. Raw ones and JPEG always can.
  public var isKeyframe: Bool
  /// errno of a loss, else 0.
  public var code: Int32
  /// Bytes of the picture.
  public var bytes: Int
  /// Pictures of the device's rhythm that are absent just before this one, whatever the cause: skipped by the device,
  /// broken, or dropped because the queue was full. `CameraCounters` tells the causes apart.
  public var missedBefore: Int
  /// When the picture was taken (see `CameraGrant.timestamps`).
  public var time: Instant

  @_noLocks @_noAllocation
  public init(
    _ kind: Kind, isKeyframe: Bool = false, code: Int32 = 0, bytes: Int = 0, missedBefore: Int = 0, time: Instant
  ) {
    self.kind = kind
    self.isKeyframe = isKeyframe
    self.code = code
    self.bytes = bytes
    self.missedBefore = missedBefore
    self.time = time
  }
}

/// The way from a camera's thread to the worker that keeps the pictures: one arena, records in line, each in one piece.
///
/// One writer (the driver's thread) and one reader. A record lies whole in the arena, so that the reader can look at a
/// picture (and encode a raw one) where it is; what does not fit before the arena's end begins at its start. Memory is
/// allocated and touched in `init`. Indices only grow; the place is the index modulo the capacity.
public final class FrameQueue: @unchecked Sendable {
  private let arena: UnsafeMutableRawPointer
  public let capacity: Int
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  /// Allocates and pre-faults room for `bytes` of records with their headers.
  public init(bytes: Int) {
    capacity = max(1024, (bytes + 63) & ~63)
    arena = .allocate(byteCount: capacity, alignment: 64)
    arena.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
  }

  deinit { arena.deallocate() }

  /// Bytes waiting, headers and padding included. Any thread.
  public var queuedBytes: Int {
    let start = taken.load(ordering: .acquiring)
    return written.load(ordering: .acquiring) - start
  }

  /// Copies one record in. Writing thread only.
  ///
  /// - Parameter source: `record.bytes` bytes; not looked at if there are none.
  /// - Returns: false, with nothing written, if it does not fit.
  @_noLocks @_noAllocation
  public func write(_ record: FrameRecord, _ source: UnsafeRawPointer?) -> Bool {
    let size = room(for: record.bytes)
    let end = written.load(ordering: .relaxed)
    let place = end % capacity
    // Too long for what is left before the end: a hole up to there, told by a header of kind 255.
    let hole = size > capacity - place ? capacity - place : 0
    guard size <= capacity, capacity - (end - taken.load(ordering: .acquiring)) >= hole + size else { return false }
    if hole > 0 { (arena + place).storeBytes(of: holeMark, as: UInt8.self) }
    let start = arena + (end + hole) % capacity
    start.storeBytes(of: record.kind.rawValue, as: UInt8.self)
    start.storeBytes(of: record.isKeyframe ? 1 : 0, toByteOffset: 1, as: UInt8.self)
    start.storeBytes(of: record.code, toByteOffset: 4, as: Int32.self)
    start.storeBytes(of: record.bytes, toByteOffset: 8, as: Int.self)
    start.storeBytes(of: record.missedBefore, toByteOffset: 16, as: Int.self)
    start.storeBytes(of: record.time.nanoseconds, toByteOffset: 24, as: Int64.self)
    if record.bytes > 0, let source { (start + headerBytes).copyMemory(from: source, byteCount: record.bytes) }
    written.store(end + hole + size, ordering: .releasing)
    return true
  }

  /// The oldest record and its bytes, left where they are until `drop`. Reading thread only.
  public func peek() -> (record: FrameRecord, bytes: UnsafeRawBufferPointer)? {
    var index = taken.load(ordering: .relaxed)
    guard written.load(ordering: .acquiring) > index else { return nil }
    if arena.load(fromByteOffset: index % capacity, as: UInt8.self) == holeMark {
      index += capacity - index % capacity
      taken.store(index, ordering: .releasing)
    }
    let start = arena + index % capacity
    let record = FrameRecord(
      start.load(as: UInt8.self) == 0 ? .picture : .lost,
      isKeyframe: start.load(fromByteOffset: 1, as: UInt8.self) != 0,
      code: start.load(fromByteOffset: 4, as: Int32.self), bytes: start.load(fromByteOffset: 8, as: Int.self),
      missedBefore: start.load(fromByteOffset: 16, as: Int.self),
      time: Instant(nanoseconds: start.load(fromByteOffset: 24, as: Int64.self)))
    return (record, UnsafeRawBufferPointer(start: start + headerBytes, count: record.bytes))
  }

  /// Gives the oldest record's room back. Reading thread only.
  public func drop() {
    guard let (record, _) = peek() else { return }
    taken.store(taken.load(ordering: .relaxed) + room(for: record.bytes), ordering: .releasing)
  }

  /// Drops everything that is waiting. Reading thread only.
  public func clear() { taken.store(written.load(ordering: .acquiring), ordering: .releasing) }
}

/// What stands in the place of a kind where the rest of the arena's end is a hole.
private var holeMark: UInt8 {
  @_noLocks @_noAllocation get { 255 }
}

/// Bytes in front of each picture: its header, kept to the arena's alignment.
private var headerBytes: Int {
  @_noLocks @_noAllocation get { 64 }
}

/// Bytes that a record takes in the arena.
@_noLocks @_noAllocation
private func room(for bytes: Int) -> Int { headerBytes + (bytes + 63) & ~63 }
