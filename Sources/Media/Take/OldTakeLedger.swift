internal import Hardware

/// Where every access unit of a take lies: what the sample tables of the final `moov` are made from.
///
/// A day of 48 kHz AAC is four million sizes, so they live in a scratch file and are streamed; memory holds a few
/// tens of KiB. A record is a chunk (one fragment's `mdat`): offset, base time, count, then the sizes.
struct OldTakeLedger {
  /// One chunk: consecutive access units of 1024 frames each.
  struct Chunk {
    /// Place in the take's file of the first access unit.
    var offset = 0
    /// Media time of the first access unit: frames from the very first one, priming included.
    var baseTime = 0
    var sizes: [UInt32] = []
  }

  static let frameSize = 1024
  private static let headerBytes = 24
  private static let spillBytes = 32 << 10

  private let scratch: any StoredFile
  private var storedBytes = 0
  private var tail: [UInt8] = []
  /// Access units in all chunks.
  private(set) var sampleCount = 0
  private(set) var chunkCount = 0
  /// Bytes of all access units.
  private(set) var payloadBytes = 0
  /// Media time at which the last access unit ends.
  private(set) var endTime = 0

  init(scratch: any StoredFile) { self.scratch = scratch }

  /// Notes one chunk, in memory.
  mutating func add(offset: Int, baseTime: Int, sizes: [UInt32]) {
    guard !sizes.isEmpty else { return }
    withUnsafeBytes(of: (Int64(offset), Int64(baseTime), Int64(sizes.count))) { tail.append(contentsOf: $0) }
    sizes.withUnsafeBytes { tail.append(contentsOf: $0) }
    sampleCount += sizes.count
    chunkCount += 1
    payloadBytes += sizes.reduce(0) { $0 + Int($1) }
    endTime = baseTime + sizes.count * Self.frameSize
  }

  /// Moves the records in memory to the scratch file once they are worth a write.
  mutating func spill() throws(StorageError) {
    guard tail.count >= Self.spillBytes else { return }
    try scratch.write(tail, at: storedBytes)
    storedBytes += tail.count
    tail.removeAll(keepingCapacity: true)
  }

  /// Reads the chunks back in order.
  struct Reader {
    private let ledger: OldTakeLedger
    private var position = 0
    private var window: [UInt8] = []
    private var windowStart = 0

    init(_ ledger: OldTakeLedger) { self.ledger = ledger }

    /// The next chunk, into `chunk`.
    ///
    /// - Returns: false after the last one.
    mutating func next(_ chunk: inout Chunk) throws(StorageError) -> Bool {
      guard position < ledger.storedBytes + ledger.tail.count else { return false }
      let header = try place(of: OldTakeLedger.headerBytes)
      let (offset, baseTime, count) = window.withUnsafeBytes { bytes in
        (
          bytes.loadUnaligned(fromByteOffset: header, as: Int64.self),
          bytes.loadUnaligned(fromByteOffset: header + 8, as: Int64.self),
          Int(bytes.loadUnaligned(fromByteOffset: header + 16, as: Int64.self))
        )
      }
      position += OldTakeLedger.headerBytes
      let start = try place(of: count * 4)
      chunk.offset = Int(offset)
      chunk.baseTime = Int(baseTime)
      chunk.sizes.removeAll(keepingCapacity: true)
      window.withUnsafeBytes { bytes in
        for index in 0..<count {
          chunk.sizes.append(bytes.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self))
        }
      }
      position += count * 4
      return true
    }

    /// Brings `count` bytes from `position` into the window and says where in it they begin.
    private mutating func place(of count: Int) throws(StorageError) -> Int {
      if position >= windowStart, position + count <= windowStart + window.count { return position - windowStart }
      windowStart = position
      if position < ledger.storedBytes {
        window = try ledger.scratch.bytes(at: position, count: min(max(count, 64 << 10), ledger.storedBytes - position))
      } else {
        window = Array(ledger.tail[(position - ledger.storedBytes)...])
      }
      guard window.count >= count else {
        throw StorageError(.failed, operation: "read back the sample tables", path: ledger.scratch.path)
      }
      return 0
    }
  }
}
