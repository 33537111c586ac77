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
/// One writer (the driver's thread, through `writer`) and one reader. A record lies whole in the arena, so that the
/// reader can look at a picture (and encode a raw one) where it is; what does not fit before the arena's end begins at
/// its start. Memory is allocated and touched in `init`. Indices only grow; the place is the index modulo the capacity.
public final class FrameQueue: @unchecked Sendable {
  private let arena: UnsafeMutableRawPointer
  private let indices: UnsafeMutablePointer<FrameIndices>
  public let capacity: Int
  /// The writing end, for as long as the queue lives. One thread at a time.
  public let writer: FrameWriter

  /// Allocates and pre-faults room for `bytes` of records with their headers.
  public init(bytes: Int) {
    capacity = max(1024, (bytes + 63) & ~63)
    arena = .allocate(byteCount: capacity, alignment: 64)
    arena.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
    indices = .allocate(capacity: 1)
    indices.initialize(to: FrameIndices())
    writer = FrameWriter(arena: arena, indices: indices, capacity: capacity)
  }

  deinit {
    indices.deinitialize(count: 1)
    indices.deallocate()
    arena.deallocate()
  }

  /// Bytes waiting, headers and padding included. Any thread.
  public var queuedBytes: Int {
    let start = indices.pointee.taken.load(ordering: .acquiring)
    return indices.pointee.written.load(ordering: .acquiring) - start
  }

  /// Copies one record in, as `FrameWriter.write` does. Writing thread only.
  ///
  /// - Parameter source: `record.bytes` bytes; not looked at if there are none.
  /// - Returns: false, with nothing written, if it does not fit.
  @_noLocks @_noAllocation
  public func write(_ record: FrameRecord, _ source: UnsafeRawPointer?) -> Bool { writer.write(record, source) }

  /// The oldest record and its bytes, left where they are until `drop`. Reading thread only.
  public func peek() -> (record: FrameRecord, bytes: UnsafeRawBufferPointer)? {
    var index = indices.pointee.taken.load(ordering: .relaxed)
    guard indices.pointee.written.load(ordering: .acquiring) > index else { return nil }
    if arena.load(fromByteOffset: index % capacity, as: UInt8.self) == holeMark {
      index += capacity - index % capacity
      indices.pointee.taken.store(index, ordering: .releasing)
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
    let index = indices.pointee.taken.load(ordering: .relaxed)
    indices.pointee.taken.store(index + room(for: record.bytes), ordering: .releasing)
  }

  /// Drops everything that is waiting. Reading thread only.
  public func clear() {
    indices.pointee.taken.store(indices.pointee.written.load(ordering: .acquiring), ordering: .releasing)
  }
}

/// Where a frame queue's ends are.
private struct FrameIndices: ~Copyable {
  let written = Atomic<Int>(0)
  let taken = Atomic<Int>(0)
}

/// The writing end of a frame queue: plain pointers, so that a real-time thread holds it without counting references.
/// The queue must outlive it.
public struct FrameWriter: @unchecked Sendable {
  private let arena: UnsafeMutableRawPointer
  private let indices: UnsafeMutablePointer<FrameIndices>
  private let capacity: Int

  fileprivate init(arena: UnsafeMutableRawPointer, indices: UnsafeMutablePointer<FrameIndices>, capacity: Int) {
    self.arena = arena
    self.indices = indices
    self.capacity = capacity
  }

  /// Where a record of `bytes` bytes would begin, and the hole in front of it; `nil` if there is no room.
  @_noLocks @_noAllocation
  private func place(for bytes: Int) -> (end: Int, hole: Int)? {
    let size = room(for: bytes)
    let end = indices.pointee.written.load(ordering: .relaxed)
    // Too long for what is left before the arena's end: a hole up to there.
    let left = capacity - end % capacity
    let hole = size > left ? left : 0
    guard size <= capacity,
      capacity - (end - indices.pointee.taken.load(ordering: .acquiring)) >= hole + size
    else { return nil }
    return (end, hole)
  }

  /// Room for a picture of `bytes` bytes, to be filled and then handed over with `commit`; `nil` if it does not fit.
  @_noLocks @_noAllocation
  public func reserve(_ bytes: Int) -> UnsafeMutableRawPointer? {
    guard bytes >= 0, let (end, hole) = place(for: bytes) else { return nil }
    return arena + (end + hole) % capacity + headerBytes
  }

  /// Hands a record over whose bytes were put where `reserve` said, asked for as many.
  ///
  /// - Returns: false if there is no room, which cannot be after `reserve`.
  @_noLocks @_noAllocation
  public func commit(_ record: FrameRecord) -> Bool {
    guard let (end, hole) = place(for: record.bytes) else { return false }
    if hole > 0 { (arena + end % capacity).storeBytes(of: holeMark, as: UInt8.self) }
    let start = arena + (end + hole) % capacity
    start.storeBytes(of: record.kind.rawValue, as: UInt8.self)
    start.storeBytes(of: record.isKeyframe ? 1 : 0, toByteOffset: 1, as: UInt8.self)
    start.storeBytes(of: record.code, toByteOffset: 4, as: Int32.self)
    start.storeBytes(of: record.bytes, toByteOffset: 8, as: Int.self)
    start.storeBytes(of: record.missedBefore, toByteOffset: 16, as: Int.self)
    start.storeBytes(of: record.time.nanoseconds, toByteOffset: 24, as: Int64.self)
    indices.pointee.written.store(end + hole + room(for: record.bytes), ordering: .releasing)
    return true
  }

  /// Copies one record in.
  ///
  /// - Parameter source: `record.bytes` bytes; not looked at if there are none.
  /// - Returns: false, with nothing written, if it does not fit.
  @_noLocks @_noAllocation
  public func write(_ record: FrameRecord, _ source: UnsafeRawPointer?) -> Bool {
    guard let target = reserve(record.bytes) else { return false }
    if record.bytes > 0, let source { target.copyMemory(from: source, byteCount: record.bytes) }
    return commit(record)
  }
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
