internal import Glibc
internal import Synchronization

/// A fixed ring of bytes between exactly one writing and one reading thread, without locks or allocation.
///
/// Indices only grow; the place is the index modulo the capacity, which is a power of two. The writer publishes
/// with a release store, the reader takes with an acquire load. Memory is allocated and touched in `init`.
/// It is not generic because the compiler can only prove concrete code free of allocation.
public struct ByteRing: ~Copyable {
  private let bytes: UnsafeMutableRawPointer
  private let mask: Int
  /// Whether the memory is a mapping of its own, which can be given back.
  private let isMapped: Bool
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  /// Allocates and pre-faults room for at least `minimumCapacity` bytes.
  public init(minimumCapacity: Int) {
    var capacity = 64
    while capacity < minimumCapacity { capacity *= 2 }
    bytes = .allocate(byteCount: capacity, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: capacity)
    mask = capacity - 1
    isMapped = false
  }

  /// Reserves room for at least `minimumCapacity` bytes, which is memory only where and while it is used: for rings that
  /// one job of several needs.
  public init(reservingCapacity minimumCapacity: Int) {
    var capacity = 4096
    while capacity < minimumCapacity { capacity *= 2 }
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    let mapping = mmap(nil, capacity, PROT_READ | PROT_WRITE, flags, -1, 0)
    if let mapping, mapping != UnsafeMutableRawPointer(bitPattern: -1) {
      bytes = mapping
      isMapped = true
    } else {
      bytes = .allocate(byteCount: capacity, alignment: 64)
      isMapped = false
    }
    mask = capacity - 1
  }

  deinit {
    if isMapped { munmap(bytes, mask + 1) } else { bytes.deallocate() }
  }

  /// Touches all of a reserved ring, so that no later write waits for memory. The writing thread; may take some ms.
  public borrowing func occupy() {
    guard isMapped, isEmpty else { return }
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: mask + 1)
  }

  /// Gives the memory of a reserved ring back if nothing waits in it; it stays reserved. The writing thread.
  public borrowing func vacate() {
    guard isMapped, isEmpty else { return }
    // A mapping in its place: locked pages cannot be given back one by one.
    _ = mmap(bytes, mask + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
  }

  private var isEmpty: Bool { writtenCount == takenCount }

  /// Bytes that the ring can hold.
  public var capacity: Int {
    @_noLocks @_noAllocation get { mask + 1 }
  }

  /// Bytes ever written. Any thread.
  public var writtenCount: Int {
    @_noLocks @_noAllocation get { written.load(ordering: .acquiring) }
  }

  /// Bytes ever taken. Any thread.
  public var takenCount: Int {
    @_noLocks @_noAllocation get { taken.load(ordering: .acquiring) }
  }

  /// Bytes waiting to be read. Any thread; exact on the reading one.
  public var readableCount: Int {
    @_noLocks @_noAllocation
    get {
      // The reader's index first: read the other way round, a reader that moves on in between makes it negative.
      let start = taken.load(ordering: .acquiring)
      return written.load(ordering: .acquiring) - start
    }
  }

  /// Free places. Any thread; exact on the writing one.
  public var writableCount: Int {
    @_noLocks @_noAllocation get { mask + 1 - readableCount }
  }

  /// Copies `count` bytes in if all of them fit. Writing thread only.
  ///
  /// - Returns: false, with nothing written, if they do not fit.
  @_noLocks @_noAllocation
  public borrowing func write(_ source: UnsafeRawPointer, count: Int) -> Bool {
    let start = written.load(ordering: .relaxed)
    guard mask + 1 - (start - taken.load(ordering: .acquiring)) >= count else { return false }
    let place = start & mask
    let first = min(count, mask + 1 - place)
    (bytes + place).copyMemory(from: source, byteCount: first)
    bytes.copyMemory(from: source + first, byteCount: count - first)
    written.store(start + count, ordering: .releasing)
    return true
  }

  /// Copies up to `count` bytes out. Reading thread only.
  ///
  /// - Returns: how many were there.
  @_noLocks @_noAllocation
  public borrowing func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
    let size = peek(into: target, count: count)
    taken.store(taken.load(ordering: .relaxed) + size, ordering: .releasing)
    return size
  }

  /// Copies up to `count` bytes out and leaves them in the ring. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func peek(into target: UnsafeMutableRawPointer, count: Int) -> Int {
    let start = taken.load(ordering: .relaxed)
    let size = min(count, written.load(ordering: .acquiring) - start)
    guard size > 0 else { return 0 }
    let place = start & mask
    let first = min(size, mask + 1 - place)
    target.copyMemory(from: bytes + place, byteCount: first)
    (target + first).copyMemory(from: bytes, byteCount: size - first)
    return size
  }

  /// The next `count` bytes where they are, until they are taken; `nil` if they are not all there, or lie across the end.
  /// Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func front(count: Int) -> UnsafeRawBufferPointer? {
    let start = taken.load(ordering: .relaxed)
    guard count > 0, written.load(ordering: .acquiring) - start >= count, start & mask + count <= mask + 1 else {
      return nil
    }
    return UnsafeRawBufferPointer(start: bytes + (start & mask), count: count)
  }

  /// Drops bytes until `index` (as counted by `writtenCount`) is the next to be read. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func skip(to index: Int) {
    let start = taken.load(ordering: .relaxed)
    let end = min(index, written.load(ordering: .acquiring))
    if end > start { taken.store(end, ordering: .releasing) }
  }
}

/// A ring of interleaved `Float` samples: `ByteRing` counted in samples.
public struct SampleRing: ~Copyable {
  private let ring: ByteRing

  /// Allocates and pre-faults room for at least `minimumCapacity` samples.
  public init(minimumCapacity: Int) { ring = ByteRing(minimumCapacity: minimumCapacity * 4) }

  /// Samples that the ring can hold.
  public var capacity: Int {
    @_noLocks @_noAllocation get { ring.capacity / 4 }
  }

  /// Samples ever written. Any thread.
  public var writtenCount: Int {
    @_noLocks @_noAllocation get { ring.writtenCount / 4 }
  }

  /// Samples ever taken. Any thread.
  public var takenCount: Int {
    @_noLocks @_noAllocation get { ring.takenCount / 4 }
  }

  /// Samples waiting to be read. Any thread; exact on the reading one.
  public var readableCount: Int {
    @_noLocks @_noAllocation get { ring.readableCount / 4 }
  }

  /// Free places. Any thread; exact on the writing one.
  public var writableCount: Int {
    @_noLocks @_noAllocation get { ring.writableCount / 4 }
  }

  /// Copies `count` samples in; all or nothing. Writing thread only.
  @_noLocks @_noAllocation
  public borrowing func write(_ source: UnsafePointer<Float>, count: Int) -> Bool {
    ring.write(UnsafeRawPointer(source), count: count * 4)
  }

  /// Copies up to `count` samples out and returns how many were there. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func read(into target: UnsafeMutablePointer<Float>, count: Int) -> Int {
    ring.read(into: UnsafeMutableRawPointer(target), count: count * 4) / 4
  }

  /// Drops samples until `index` (as counted by `writtenCount`) is the next to be read. Reading thread only.
  @_noLocks @_noAllocation
  public borrowing func skip(to index: Int) { ring.skip(to: index * 4) }
}
