/// One sample table of the final `moov` (ISO 14496-12, 8.6.1.2, 8.6.1.3, 8.6.2, 8.7.3 to 8.7.5), made chunk by chunk.
///
/// It is made twice: once to see how long it gets, for a box says so before its content, and once to be written.
struct MovieTable {
  enum Kind {
    /// `stts`: runs of equal durations; a hole makes the sample before it longer.
    case times
    /// `ctts`: runs of equal delays.
    case delays
    /// `stss`: numbers of the keyframes.
    case keyframes
    /// `stsc`: runs of chunks with equally many samples.
    case runs
    /// `stsz`.
    case sizes
    /// `stco`, or `co64` where a chunk lies beyond 4 GiB.
    case places(isWide: Bool)
  }

  let kind: Kind
  /// Entries that were put out.
  private(set) var entries = 0
  private(set) var bytes = 0
  private var time: (run: (count: Int, delta: Int), lastStart: Int?) = ((0, 0), nil)
  private var delay: (count: Int, value: UInt32) = (0, 0)
  private var chunk: (number: Int, samples: Int) = (0, 0)
  private var sample = 0

  init(_ kind: Kind) { self.kind = kind }

  /// Puts out what the first `kept` samples of a chunk add.
  mutating func add(_ chunk: SampleLedger.Chunk, kept: Int, into writer: inout ByteWriter) {
    let before = writer.count
    defer { bytes += writer.count - before }
    switch kind {
    case .times: addTimes(chunk, kept: kept, into: &writer)
    case .delays:
      for place in 0..<kept {
        if chunk.samples[place].delay != delay.value {
          putRun(delay.count, delay.value, into: &writer)
          delay = (0, chunk.samples[place].delay)
        }
        delay.count += 1
      }
    case .keyframes:
      for place in 0..<kept where chunk.samples[place].isKeyframe {
        writer.big32(UInt32(clamping: sample + place + 1))
        entries += 1
      }
      sample += kept
    case .runs:
      self.chunk.number += 1
      guard kept != self.chunk.samples else { return }
      self.chunk.samples = kept
      writer.big32(UInt32(clamping: self.chunk.number))
      writer.big32(UInt32(clamping: kept))
      writer.big32(1)
      entries += 1
    case .sizes:
      for place in 0..<kept { writer.big32(chunk.samples[place].bytes) }
      entries += kept
    case .places(let isWide):
      if isWide { writer.big32(UInt32(truncatingIfNeeded: chunk.offset >> 32)) }
      writer.big32(UInt32(truncatingIfNeeded: chunk.offset))
      entries += 1
    }
  }

  /// Puts out what is only known at the end.
  ///
  /// - Parameter end: media time at which the last sample ends.
  mutating func close(end: Int, into writer: inout ByteWriter) {
    let before = writer.count
    if let start = time.lastStart { addTime(end - start, into: &writer) }
    putTimeRun(into: &writer)
    putRun(delay.count, delay.value, into: &writer)
    bytes += writer.count - before
  }

  private mutating func addTimes(_ chunk: SampleLedger.Chunk, kept: Int, into writer: inout ByteWriter) {
    if let start = time.lastStart { addTime(chunk.time - start, into: &writer) }
    var start = chunk.time
    for place in 0..<kept - 1 {
      addTime(Int(chunk.samples[place].duration), into: &writer)
      start += Int(chunk.samples[place].duration)
    }
    time.lastStart = start
  }

  private mutating func addTime(_ delta: Int, into writer: inout ByteWriter) {
    let delta = max(1, delta)
    if delta != time.run.delta {
      putTimeRun(into: &writer)
      time.run = (0, delta)
    }
    time.run.count += 1
  }

  private mutating func putTimeRun(into writer: inout ByteWriter) {
    putRun(time.run.count, UInt32(clamping: time.run.delta), into: &writer)
    time.run.count = 0
  }

  private mutating func putRun(_ count: Int, _ value: UInt32, into writer: inout ByteWriter) {
    guard count > 0 else { return }
    writer.big32(UInt32(clamping: count))
    writer.big32(value)
    entries += 1
  }
}

/// How long a finished table is, and what stands in front of it.
struct MovieTableHead {
  let kind: MovieTable.Kind
  var entries = 0
  /// Bytes of its entries.
  var bytes = 0

  /// An empty table.
  init(_ kind: MovieTable.Kind) { self.kind = kind }

  init(of table: MovieTable) {
    kind = table.kind
    entries = table.entries
    bytes = table.bytes
  }

  private var type: String {
    switch kind {
    case .times: "stts"
    case .delays: "ctts"
    case .keyframes: "stss"
    case .runs: "stsc"
    case .sizes: "stsz"
    case .places(let isWide): isWide ? "co64" : "stco"
    }
  }

  private var headBytes: Int { if case .sizes = kind { 20 } else { 16 } }

  /// Bytes of the whole box.
  var boxBytes: Int { headBytes + bytes }

  /// The box up to its first entry.
  func write(into writer: inout ByteWriter) {
    writer.big32(UInt32(clamping: boxBytes))
    writer.text(type)
    writer.big32(0)
    // `stsz` has a common size (0: none) before its count.
    if case .sizes = kind { writer.big32(0) }
    writer.big32(UInt32(clamping: entries))
  }
}
