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
  private var mustSync = false
  private var isRefused = false

  /// Least sound in a fragment, ms. Each is synced, so that a power cut takes little more than one. The storage is
  /// woken for some 0.2 s of sound; a little less, because packets and periods have lengths of their own.
  private static let fragmentMilliseconds = 150

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

  mutating func flushIfDue() throws(StorageError) {
    let rate = opening.pcm.sampleRate
    let buffered = container.bufferedFrames
    if buffered * 1000 >= rate * Self.fragmentMilliseconds {
      try container.flush()
      mustSync = true
    }
    if mustSync {
      try place.file.sync()
      mustSync = false
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
