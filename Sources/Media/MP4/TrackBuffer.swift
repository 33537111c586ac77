internal import Hardware

/// The samples of one track that are appended and not yet written: where they are copied to once, and written from.
struct TrackBuffer {
  /// Room in front of the first sample for what a fragment has before its samples, so that one write takes both.
  private static let headroom = 2 * MovieFragment.pageBytes + 64
  /// Written bytes that are kept in front of what waits, before it is moved down.
  private static let mostWritten = 256 << 10

  private let track: Track
  private(set) var samples: [MovieSample] = []
  private var bytes = [UInt8](repeating: 0, count: headroom)
  /// Where the first waiting sample begins.
  private var first = headroom
  /// Media times of the first and of the last waiting sample.
  private(set) var time = 0
  private var lastTime = 0

  init(_ track: Track) { self.track = track }

  /// Bytes that wait.
  var count: Int { bytes.count - first }

  /// The first bytes that wait: as many as tell one recording from another.
  var beginning: ArraySlice<UInt8> { bytes[first...].prefix(1024) }

  /// Units that wait; of pictures without the last, whose length is not known.
  var duration: Int {
    track.sampleDuration.map { samples.count * $0 } ?? max(0, lastTime - time)
  }

  /// Samples that can be written: the last picture waits for its length.
  func ready(isEnding: Bool) -> Int {
    if case .pictures = track, !isEnding { max(0, samples.count - 1) } else { samples.count }
  }

  mutating func append(_ sample: UnsafeRawBufferPointer, at time: Int, delay: Int, isKeyframe: Bool) {
    let duration = UInt32(track.sampleDuration ?? 1)
    if case .pictures = track {
      if samples.isEmpty { self.time = time } else { endLast(at: time) }
      lastTime = time
    }
    samples.append(
      MovieSample(
        bytes: UInt32(clamping: sample.count), duration: duration, delay: UInt32(clamping: delay),
        isKeyframe: isKeyframe))
    bytes.append(contentsOf: sample)
  }

  /// Says when the last waiting picture ends.
  mutating func endLast(at time: Int) {
    guard case .pictures = track, !samples.isEmpty else { return }
    samples[samples.count - 1].duration = UInt32(clamping: max(1, time - lastTime))
  }

  /// Writes the bytes of the first samples.
  ///
  /// - Parameter head: what stands before them.
  mutating func write(_ count: Int, after head: [UInt8], to file: any StoredFile, at offset: Int) throws(StorageError) {
    let start = first - head.count
    bytes.replaceSubrange(start..<first, with: head)
    try file.write(bytes, start..<first + count, at: offset)
  }

  /// Forgets a run that is in the file.
  mutating func remove(_ run: MovieFragment.Run) {
    samples.removeFirst(run.samples.count)
    first += run.bytes
    time = run.time + run.duration
    if samples.isEmpty {
      bytes.removeSubrange(Self.headroom...)
      first = Self.headroom
    } else if first > Self.mostWritten {
      bytes.removeSubrange(Self.headroom..<first)
      first = Self.headroom
    }
  }

  /// Gives up what waits.
  ///
  /// - Parameter end: media time at which what is written ends.
  mutating func removeAll(end: Int) {
    samples.removeAll()
    bytes = [UInt8](repeating: 0, count: Self.headroom)
    first = Self.headroom
    time = end
    lastTime = end
  }
}
