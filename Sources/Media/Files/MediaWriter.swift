public import Hardware

/// Writes a recording so that its file can be played at every instant.
///
/// One thread at a time, the storage lane's: every throwing method blocks on the medium. A method that throws has lost
/// nothing: what was appended stays buffered, and the same call made again goes on where it failed, overwriting any torn
/// bytes. Memory is bounded by what is appended between two successful flushes.
public protocol MediaWriter {
  /// - Parameters:
  ///   - file: new and empty.
  ///   - scratch: an unnamed file for tables that would outgrow memory in a day-long recording; `nil` keeps them in
  ///     memory (4 bytes a piece of sound, 12 a picture).
  init(file: any StoredFile, scratch: (any StoredFile)?, description: FileDescription)

  var description: FileDescription { get }

  /// What `finish` adds to the file. Set it any time before.
  var summary: FileSummary { get set }

  /// Puts the header on the medium: from here on the file plays (with nothing in it).
  mutating func begin() throws(StorageError)

  /// Buffers one sample in memory: one copy, into the bytes that `flush` writes.
  ///
  /// - Parameters:
  ///   - sample: AAC: one access unit, of 1024 frames. ALAC, FLAC: a packet of `LosslessEncoder`. PCM: whole interleaved frames, little-endian. H.264: the NAL
  ///     units of one picture behind their lengths in four bytes. JPEG: the image.
  ///   - track: index into the description's tracks.
  ///   - time: pictures: ticks from the first picture in the file, which has 0; increasing. Sound follows on what was
  ///     there before, without a hole, and its time is not asked.
  ///   - delay: pictures: ticks from then to when it is seen, where they come in another order.
  ///   - isKeyframe: pictures: whether decoding can begin with it.
  mutating func append(_ sample: UnsafeRawBufferPointer, to track: Int, at time: Int, delay: Int, isKeyframe: Bool)

  /// Writes one fragment of what is appended (all but the last picture, whose length is not known yet), so that it
  /// plays from now on, even after kill −9. Does not sync.
  ///
  /// - Returns: true if more can be written.
  mutating func flushStep() throws(StorageError) -> Bool

  /// Does the next bounded piece of turning the file into its final, ordinary form: flushes, writes the tables, syncs.
  ///
  /// If it throws `full`, the file still plays as it is: drop what is buffered and try again, or leave it to
  /// `MediaRepair` once there is room.
  ///
  /// - Parameter ends: where each track ends. Sound: frames, priming not counted; more than was appended is cut down to
  ///   that. Pictures: ticks from the first picture in the file at which the last one ends.
  /// - Returns: true while there is more to do; when it returns false, the file is whole and synced (its directory is
  ///   the caller's).
  mutating func finishStep(at ends: [Int]) throws(StorageError) -> Bool

  /// What can be seen and heard of a file with pictures; `nil` until it is finished.
  var facts: MediaFacts? { get }

  /// Gives up what is appended but not flushed, so that a full card can still be finished.
  mutating func dropBuffered()

  /// What there is of a track, in the file and in memory.
  func amount(of track: Int) -> TrackAmount
  /// Bytes of the file that count: without torn writes.
  var fileBytes: Int { get }
  /// Bytes from the beginning that stay as they are, whatever comes, but for `changing`; of a file that is not finished.
  var settledBytes: Int { get }
  /// Where of a track the media ends that is in them.
  func settledEnd(of track: Int) -> Int
  /// Ranges of the head that are written anew while the file grows, or when it ends; ascending.
  var changing: [Range<Int>] { get }
  /// Bytes that finishing would add now, for the reserve.
  var finishBytes: Int { get }
}

extension MediaWriter {
  public var facts: MediaFacts? { nil }
  public var settledBytes: Int { fileBytes }
  public func settledEnd(of track: Int) -> Int { amount(of: track).end }

  /// Buffers one sample of sound.
  public mutating func append(_ sample: UnsafeRawBufferPointer, to track: Int) {
    append(sample, to: track, at: 0, delay: 0, isKeyframe: true)
  }

  /// Buffers a picture that is seen when it comes.
  public mutating func append(_ sample: UnsafeRawBufferPointer, to track: Int, at time: Int, isKeyframe: Bool) {
    append(sample, to: track, at: time, delay: 0, isKeyframe: isKeyframe)
  }

  /// Writes everything that can be written.
  public mutating func flush() throws(StorageError) {
    while try flushStep() {}
  }

  /// Turns the file into its final form in one go.
  public mutating func finish(at ends: [Int]) throws(StorageError) {
    while try finishStep(at: ends) {}
  }

  /// Bytes that are appended and not flushed.
  public var bufferedBytes: Int { description.tracks.indices.reduce(0) { $0 + amount(of: $1).bufferedBytes } }
}

/// What there is of one track. Lengths are in the track's units: frames of sound, ticks of pictures.
public struct TrackAmount: Hashable, Sendable {
  /// Samples in complete fragments, and those of them with which decoding can begin.
  public var samples = 0
  public var keyframes = 0
  /// Media time at which they end: priming not counted, skipped pictures counted.
  public var end = 0
  /// Length of what is appended and not flushed; of pictures without the last, whose own length is not known.
  public var buffered = 0
  public var bufferedBytes = 0

  public init() {}
}
