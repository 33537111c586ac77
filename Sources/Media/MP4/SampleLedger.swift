internal import Hardware

/// One sample of a track: its size, what it lasts, whether decoding can begin with it.
struct MovieSample: Hashable {
  var bytes: UInt32
  /// Units of the track to the next one.
  var duration: UInt32
  /// Units from its time to when it is seen; only of pictures that come in another order than they are seen in.
  var delay: UInt32 = 0
  var isKeyframe: Bool
}

/// Where every sample of a recording lies: what the sample tables of the final `moov` are made from.
///
/// A day of 48 kHz AAC is four million sizes, so they live in a scratch file and are streamed; memory holds a few
/// tens of KiB. A record is a chunk (one track's part of one fragment's `mdat`): offset, time, count and track, then the
/// samples: a size each, and of pictures a duration and a delay too.
struct SampleLedger {
  /// Consecutive samples of one track.
  struct Chunk {
    var track = 0
    /// Place in the file of the first sample.
    var offset = 0
    /// Media time of the first sample, priming and skipped pictures included.
    var time = 0
    var samples: [MovieSample] = []
  }

  /// All that is noted of one track.
  struct Totals {
    var samples = 0
    var keyframes = 0
    var chunks = 0
    /// Bytes of all samples.
    var bytes = 0
    /// Media time at which the first sample begins: 0 but where the beginning is lost.
    var start = 0
    /// Media time at which the last sample ends.
    var end = 0
    /// Whether samples have delays.
    var hasDelays = false
  }

  private static let headerBytes = 24
  private static let spillBytes = 32 << 10
  private static let keyframeBit: UInt32 = 1 << 31

  private let scratch: (any StoredFile)?
  private let keepsPlaces: Bool
  /// Of each track, what its samples last; `nil` where they have durations of their own.
  private let durations: [Int?]
  private var storedBytes = 0
  private var tail: [UInt8] = []
  private(set) var totals: [Totals]

  /// - Parameters:
  ///   - scratch: where the records go; `nil` keeps them in memory.
  ///   - keepsPlaces: false if only the totals are of interest.
  init(_ tracks: [Track], scratch: (any StoredFile)?, keepsPlaces: Bool = true) {
    self.scratch = scratch
    self.keepsPlaces = keepsPlaces
    durations = tracks.map(\.sampleDuration)
    totals = tracks.map { _ in Totals() }
  }

  /// Notes one chunk, in memory.
  mutating func add(_ chunk: Chunk) {
    guard !chunk.samples.isEmpty else { return }
    if keepsPlaces { note(chunk) }
    var total = totals[chunk.track]
    if total.samples == 0 { total.start = chunk.time }
    total.samples += chunk.samples.count
    total.chunks += 1
    total.end = chunk.time
    for sample in chunk.samples {
      total.bytes += Int(sample.bytes)
      total.end += Int(sample.duration)
      if sample.isKeyframe { total.keyframes += 1 }
      if sample.delay > 0 { total.hasDelays = true }
    }
    totals[chunk.track] = total
  }

  private mutating func note(_ chunk: Chunk) {
    withUnsafeBytes(of: (Int64(chunk.offset), Int64(chunk.time), Int32(chunk.samples.count), Int32(chunk.track))) {
      tail.append(contentsOf: $0)
    }
    for sample in chunk.samples {
      let word = sample.bytes & ~Self.keyframeBit | (sample.isKeyframe ? Self.keyframeBit : 0)
      withUnsafeBytes(of: word) { tail.append(contentsOf: $0) }
      if durations[chunk.track] == nil {
        withUnsafeBytes(of: (sample.duration, sample.delay)) { tail.append(contentsOf: $0) }
      }
    }
  }

  /// Moves the records in memory to the scratch file once they are worth a write.
  mutating func spill() throws(StorageError) {
    guard let scratch, tail.count >= Self.spillBytes else { return }
    try scratch.write(tail, at: storedBytes)
    storedBytes += tail.count
    tail.removeAll(keepingCapacity: true)
  }

  /// Reads the chunks back in order.
  struct Reader {
    private let ledger: SampleLedger
    private var position = 0
    private var window: [UInt8] = []
    private var windowStart = 0

    init(_ ledger: SampleLedger) { self.ledger = ledger }

    /// The next chunk, into `chunk`.
    ///
    /// - Returns: false after the last one.
    mutating func next(_ chunk: inout Chunk) throws(StorageError) -> Bool {
      guard position < ledger.storedBytes + ledger.tail.count else { return false }
      let header = try place(of: SampleLedger.headerBytes)
      var count = 0
      window.withUnsafeBytes { bytes in
        chunk.offset = Int(bytes.loadUnaligned(fromByteOffset: header, as: Int64.self))
        chunk.time = Int(bytes.loadUnaligned(fromByteOffset: header + 8, as: Int64.self))
        count = Int(bytes.loadUnaligned(fromByteOffset: header + 16, as: Int32.self))
        chunk.track = Int(bytes.loadUnaligned(fromByteOffset: header + 20, as: Int32.self))
      }
      guard ledger.durations.indices.contains(chunk.track), count > 0 else { throw unreadable }
      let common = ledger.durations[chunk.track].map { UInt32($0) }
      let width = common == nil ? 12 : 4
      position += SampleLedger.headerBytes
      let start: Int
      do throws(StorageError) {
        start = try place(of: count * width)
      } catch {
        // The call made again begins with the header.
        position -= SampleLedger.headerBytes
        throw error
      }
      chunk.samples.removeAll(keepingCapacity: true)
      window.withUnsafeBytes { bytes in
        for place in stride(from: start, to: start + count * width, by: width) {
          let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
          chunk.samples.append(
            MovieSample(
              bytes: word & ~SampleLedger.keyframeBit,
              duration: common ?? bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
              delay: width == 12 ? bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self) : 0,
              isKeyframe: word & SampleLedger.keyframeBit != 0))
        }
      }
      position += count * width
      return true
    }

    private var unreadable: StorageError {
      StorageError(.failed, operation: "read back the sample tables", path: ledger.scratch?.path ?? "")
    }

    /// Brings `count` bytes from `position` into the window and says where in it they begin.
    private mutating func place(of count: Int) throws(StorageError) -> Int {
      if position >= windowStart, position + count <= windowStart + window.count { return position - windowStart }
      if position < ledger.storedBytes, let scratch = ledger.scratch {
        let wanted = min(max(count, 64 << 10), ledger.storedBytes - position)
        window = try scratch.bytes(at: position, count: wanted)
        windowStart = position
      } else {
        window = ledger.tail
        windowStart = ledger.storedBytes
      }
      guard position >= windowStart, position + count <= windowStart + window.count else { throw unreadable }
      return position - windowStart
    }
  }
}
