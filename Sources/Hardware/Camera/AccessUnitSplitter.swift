/// One picture of an H.264 byte stream.
public struct AccessUnit {
  /// Its bytes, start codes included; good until the splitter is given more.
  public var bytes: UnsafeRawBufferPointer
  public var isKeyframe: Bool
  /// When the chunk arrived in which it begins.
  public var time: Instant
}

/// Cuts an H.264 byte stream of any chunks into access units (ITU-T H.264, 7.4.1.2.3 and annex B).
///
/// A unit is whole when the next one begins, so the last one waits for that. It is told by the kinds of NAL unit that
/// may only come before a picture, and by slices that begin at the first macroblock: streams with slices in any order
/// (ASO, of the baseline profile) would be cut too often, and no camera makes them. One thread at a time; memory is
/// allocated and touched in `init` only.
public struct AccessUnitSplitter: ~Copyable {
  private let buffer: UnsafeMutableRawPointer
  /// Longest access unit that can be held, in bytes.
  public let capacity: Int
  private var filled = 0
  /// Where the next start code is looked for.
  private var scanned = 0
  private var unitStart = 0
  private var unitTime = Instant.zero
  private var chunkTime = Instant.zero
  private var hasStart = false
  private var hasPicture = false
  private var isKeyframe = false
  /// Bytes that were no part of any picture.
  public private(set) var discardedBytes = 0
  /// Pictures too long to be held.
  public private(set) var oversized = 0

  public init(capacity: Int) {
    self.capacity = max(4096, capacity)
    buffer = .allocate(byteCount: self.capacity, alignment: 64)
    buffer.initializeMemory(as: UInt8.self, repeating: 0, count: self.capacity)
  }

  deinit { buffer.deallocate() }

  /// Where the next bytes of the stream go; never empty. Earlier units are no longer good after this.
  @_noLocks @_noAllocation
  public mutating func room() -> UnsafeMutableRawBufferPointer {
    if unitStart > 0 {
      buffer.copyMemory(from: buffer + unitStart, byteCount: filled - unitStart)
      filled -= unitStart
      scanned -= unitStart
      unitStart = 0
    }
    if filled == capacity {
      if hasPicture { oversized += 1 }
      discardedBytes += filled
      reset()
    }
    return UnsafeMutableRawBufferPointer(start: buffer + filled, count: capacity - filled)
  }

  /// Says that `count` bytes were put at the start of `room`.
  @_noLocks @_noAllocation
  public mutating func append(_ count: Int, at time: Instant) {
    filled = min(capacity, filled + max(0, count))
    chunkTime = time
  }

  /// The next whole access unit; `nil` until there are more bytes.
  @_noLocks @_noAllocation
  public mutating func next() -> AccessUnit? {
    while true {
      let place = NALScan.startCode(in: UnsafeRawBufferPointer(start: buffer, count: filled), from: scanned)
      guard place >= 0 else {
        scanned = max(scanned, filled - 3)
        if !hasStart { drop(until: scanned - 1) }
        return nil
      }
      // The first byte of a slice tells whether it begins a picture.
      guard place + 4 < filled else {
        scanned = place
        if !hasStart { drop(until: place - 1) }
        return nil
      }
      scanned = place + 3
      let type = buffer.load(fromByteOffset: place + 3, as: UInt8.self)
      let first = buffer.load(fromByteOffset: place + 4, as: UInt8.self)
      // The zero in front of a start code of four bytes belongs to it.
      let start =
        place > unitStart && buffer.load(fromByteOffset: place - 1, as: UInt8.self) == 0 ? place - 1 : place
      if !hasStart {
        drop(until: start)
        hasStart = true
        unitTime = chunkTime
      }
      // A header's first bit is always zero: what has it set is no NAL unit and belongs to whatever it is in.
      guard type & 0x80 == 0 else { continue }
      let isSlice = type & 31 == 1 || type & 31 == 2 || type & 31 == 5
      let mayOnlyPrecede = (6...9).contains(type & 31) || (14...18).contains(type & 31)
      guard hasPicture, mayOnlyPrecede || (isSlice && first & 0x80 != 0) else {
        note(type & 31)
        continue
      }
      let unit = AccessUnit(
        bytes: UnsafeRawBufferPointer(start: buffer + unitStart, count: start - unitStart), isKeyframe: isKeyframe,
        time: unitTime)
      unitStart = start
      unitTime = chunkTime
      hasPicture = false
      isKeyframe = false
      note(type & 31)
      return unit
    }
  }

  /// The last access unit of a stream that has ended, if it holds a picture.
  public mutating func finish() -> AccessUnit? {
    guard hasPicture else { return nil }
    hasPicture = false
    return AccessUnit(
      bytes: UnsafeRawBufferPointer(start: buffer + unitStart, count: filled - unitStart), isKeyframe: isKeyframe,
      time: unitTime)
  }

  @_noLocks @_noAllocation
  private mutating func note(_ type: UInt8) {
    if type == 1 || type == 2 || type == 5 { hasPicture = true }
    if type == 5 { isKeyframe = true }
  }

  /// Gives up what lies before `place`, of which nothing can be made.
  @_noLocks @_noAllocation
  private mutating func drop(until place: Int) {
    discardedBytes += max(0, place - unitStart)
    unitStart = max(unitStart, place)
  }

  @_noLocks @_noAllocation
  private mutating func reset() {
    filled = 0
    scanned = 0
    unitStart = 0
    hasStart = false
    hasPicture = false
    isKeyframe = false
  }
}
