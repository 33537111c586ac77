internal import Hardware
internal import Media

/// The file of a take being written: its container, and when that is due to be flushed and synced.
struct StoredTake {
  let id: String
  let opening: TakeOpening
  private let place: ShelvedTake
  private var container: any TakeContainer
  private var marks: [TakeMark] = []
  private var appendedFrames = 0
  /// Frames that are in the file, as of the refusal.
  private var keptAtRefusal = 0
  /// Frames in fragments that are not synced yet.
  private var unsyncedFrames = 0
  /// Whether any sound is durable.
  private var hasSound = false
  private var isRefused = false

  /// Least sound in a fragment, ms. Each is synced, so that a power cut takes little more than one. The storage is
  /// woken for some 0.2 s of sound; a little less, because packets and periods have lengths of their own.
  private static let fragmentMilliseconds = 150
  /// Most sound that is written without a sync, ms, while there is more in the pipe.
  private static let backlogMilliseconds = 500

  init(_ place: ShelvedTake, opening: TakeOpening) {
    id = place.id
    self.opening = opening
    self.place = place
    let description = TakeFileDescription(
      format: opening.format == .aac ? .aac : .wav, pcm: opening.pcm, bitrateKbps: opening.bitrateKbps,
      createdAt: opening.firstFrameAt, title: place.id, primingFrames: opening.primingFrames,
      decoderConfiguration: opening.decoderConfiguration)
    container =
      switch opening.format {
      case .aac: FragmentedM4A(file: place.file, scratch: place.scratch, description: description)
      case .wav: BroadcastWave(file: place.file, scratch: place.scratch, description: description)
      }
  }

  var bytes: Int { place.file.size }

  mutating func begin() throws(StorageError) {
    try container.begin()
    try place.file.sync()
  }

  mutating func append(_ packet: UnsafeRawBufferPointer, frames: Int) {
    container.append(packet, frames: frames)
    appendedFrames += frames
  }

  /// Remembers a mark for the finished file's cue points or chapters.
  mutating func mark(frame: Int, title: String?) {
    marks.append(TakeMark(frame: frame, label: title ?? "mark \(marks.count + 1)"))
  }

  /// Writes a fragment if there is enough for one, and makes what was written durable.
  ///
  /// - Parameter hasMore: whether more sound waits in the pipe. Then one sync serves several fragments: a card whose syncs
  ///   take longer than the sound of a fragment must not fall behind, and the pre-record comes all at once.
  mutating func flushIfDue(hasMore: Bool) throws(StorageError) {
    let rate = opening.pcm.sampleRate
    let buffered = container.bufferedFrames
    // The first packet is not waited with: whatever happens from here on, there is a take.
    if !hasSound && buffered > 0 || buffered * 1000 >= rate * Self.fragmentMilliseconds {
      try container.flush()
      unsyncedFrames += buffered
    }
    if unsyncedFrames > 0, !hasSound || !hasMore || unsyncedFrames * 1000 >= rate * Self.backlogMilliseconds {
      try place.file.sync()
      unsyncedFrames = 0
      hasSound = true
    }
  }

  /// The take after the storage refused to hold more: it ends with what was flushed.
  func refused() -> StoredTake {
    var take = self
    if !isRefused { take.keptAtRefusal = appendedFrames - container.bufferedFrames }
    take.isRefused = true
    take.container.dropBuffered()
    return take
  }

  /// The frames that the completed file has.
  func keptFrames(of ending: TakeEnding) -> Int {
    isRefused ? min(ending.frames, max(0, keptAtRefusal - opening.primingFrames)) : ending.frames
  }

  /// Completes and closes the file, with the reserve if need be; can be repeated until it succeeds.
  mutating func finish(_ ending: TakeEnding) throws(StorageError) -> StoredTake {
    place.file.usesReserve = true
    place.scratch.usesReserve = true
    let kept = keptFrames(of: ending)
    container.summary.marks = marks.filter { $0.frame <= kept }
    container.summary.loudness = TakeLoudness(integrated: ending.integratedLUFS, truePeak: ending.truePeakDBTP)
    if ending.reason != .user { container.summary.comment = "stopped: \(ending.reason.rawValue)" }
    try container.finish(totalFrames: kept)
    try place.file.sync()
    close()
    return self
  }

  /// Gives the files back.
  func close() {
    place.file.close()
    place.scratch.close()
  }
}
