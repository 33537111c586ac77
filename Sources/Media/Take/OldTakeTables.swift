internal import Hardware

/// The sample tables of the final `moov` (`stts`, `stsc`, `stsz`, `stco` or `co64`), streamed from the ledger.
struct OldTakeTables {
  private let ledger: OldTakeLedger
  /// Media time at which the sound ends; access units that would begin at or after it are left out.
  private let endTime: Int
  private(set) var sampleCount = 0
  private var chunkCount = 0
  private var timeRuns = 0
  private var chunkRuns = 0
  private var wide = false

  /// Measures the tables: a first pass over the ledger.
  init(_ ledger: OldTakeLedger, endTime: Int) throws(StorageError) {
    self.ledger = ledger
    self.endTime = endTime
    var samples = 0
    var chunks = 0
    var lastOffset = 0
    try eachChunk { (chunk: OldTakeLedger.Chunk, kept: Int) throws(StorageError) in
      samples += kept
      chunks += 1
      lastOffset = chunk.offset
    }
    sampleCount = samples
    chunkCount = chunks
    wide = lastOffset > Int(UInt32.max)
    var runs = 0
    try eachTimeRun { (_: Int, _: Int) throws(StorageError) in runs += 1 }
    timeRuns = runs
    runs = 0
    try eachChunkRun { (_: Int, _: Int) throws(StorageError) in runs += 1 }
    chunkRuns = runs
  }

  /// Bytes of all the tables.
  var byteCount: Int {
    (16 + 8 * timeRuns) + (16 + 12 * chunkRuns) + (20 + 4 * sampleCount) + (16 + (wide ? 8 : 4) * chunkCount)
  }

  /// Writes all tables.
  func write(to stream: inout TableStream) throws(StorageError) {
    try stream.head("stts", bytes: 16 + 8 * timeRuns, entries: timeRuns)
    try eachTimeRun { (count: Int, delta: Int) throws(StorageError) in
      try stream.big32(UInt32(clamping: count))
      try stream.big32(UInt32(clamping: delta))
    }
    try stream.head("stsc", bytes: 16 + 12 * chunkRuns, entries: chunkRuns)
    try eachChunkRun { (first: Int, samples: Int) throws(StorageError) in
      try stream.big32(UInt32(clamping: first))
      try stream.big32(UInt32(clamping: samples))
      try stream.big32(1)
    }
    // `stsz` has a common size (0: none) before its count.
    try stream.head("stsz", bytes: 20 + 4 * sampleCount, entries: 0)
    try stream.big32(UInt32(clamping: sampleCount))
    try eachChunk { (chunk: OldTakeLedger.Chunk, kept: Int) throws(StorageError) in
      for size in chunk.sizes.prefix(kept) { try stream.big32(size) }
    }
    try stream.head(wide ? "co64" : "stco", bytes: 16 + (wide ? 8 : 4) * chunkCount, entries: chunkCount)
    let wide = wide
    try eachChunk { (chunk: OldTakeLedger.Chunk, _: Int) throws(StorageError) in
      if wide { try stream.big32(UInt32(truncatingIfNeeded: chunk.offset >> 32)) }
      try stream.big32(UInt32(truncatingIfNeeded: chunk.offset))
    }
  }

  /// Calls `body` with every chunk that has access units before the end, and with how many.
  private func eachChunk(
    _ body: (OldTakeLedger.Chunk, Int) throws(StorageError) -> Void
  ) throws(StorageError) {
    let frameSize = OldTakeLedger.frameSize
    var reader = OldTakeLedger.Reader(ledger)
    var chunk = OldTakeLedger.Chunk()
    while try reader.next(&chunk) {
      let audible = (endTime - chunk.baseTime + frameSize - 1) / frameSize
      let kept = min(chunk.sizes.count, audible)
      guard kept > 0, chunk.baseTime < endTime else { return }
      try body(chunk, kept)
    }
  }

  /// Calls `body` with runs of equal durations: all 1024, but before a gap and at the end.
  private func eachTimeRun(_ body: (Int, Int) throws(StorageError) -> Void) throws(StorageError) {
    let frameSize = OldTakeLedger.frameSize
    var run = (count: 0, delta: frameSize)
    var lastStart: Int?
    func add(_ count: Int, _ delta: Int) throws(StorageError) {
      if delta != run.delta, run.count > 0 {
        try body(run.count, run.delta)
        run.count = 0
      }
      run.delta = delta
      run.count += count
    }
    try eachChunk { (chunk: OldTakeLedger.Chunk, kept: Int) throws(StorageError) in
      if let start = lastStart { try add(1, max(1, chunk.baseTime - start)) }
      if kept > 1 { try add(kept - 1, frameSize) }
      lastStart = chunk.baseTime + (kept - 1) * frameSize
    }
    if let start = lastStart { try add(1, max(1, endTime - start)) }
    if run.count > 0 { try body(run.count, run.delta) }
  }

  /// Calls `body` with the number (from 1) of each chunk whose count of access units differs from the one before.
  private func eachChunkRun(_ body: (Int, Int) throws(StorageError) -> Void) throws(StorageError) {
    var number = 0
    var previous = 0
    try eachChunk { (_: OldTakeLedger.Chunk, kept: Int) throws(StorageError) in
      number += 1
      if kept != previous { try body(number, kept) }
      previous = kept
    }
  }
}

/// Writes a long run of big-endian integers to a file through a small buffer.
struct TableStream {
  private let file: any StoredFile
  private var buffer = ByteWriter()
  private static let bufferBytes = 64 << 10
  /// Where the next byte goes.
  private(set) var offset: Int

  init(file: any StoredFile, offset: Int) {
    self.file = file
    self.offset = offset
    buffer.bytes.reserveCapacity(Self.bufferBytes + 16)
  }

  /// The beginning of a full box of `bytes` bytes with a count of entries.
  mutating func head(_ type: String, bytes: Int, entries: Int) throws(StorageError) {
    try big32(UInt32(clamping: bytes))
    buffer.text(type)
    try big32(0)
    try big32(UInt32(clamping: entries))
  }

  mutating func big32(_ value: UInt32) throws(StorageError) {
    buffer.big32(value)
    if buffer.count >= Self.bufferBytes { try drain() }
  }

  mutating func bytes(_ bytes: [UInt8]) throws(StorageError) {
    try drain()
    try file.write(bytes, at: offset)
    offset += bytes.count
  }

  /// Writes what is buffered.
  mutating func drain() throws(StorageError) {
    guard buffer.count > 0 else { return }
    try file.write(buffer.bytes, at: offset)
    offset += buffer.count
    buffer.bytes.removeAll(keepingCapacity: true)
  }
}
