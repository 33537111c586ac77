public import Hardware

/// Writes a clip so that its file can be played at every instant: fragments while it grows, an ordinary MP4 at the end.
///
/// One thread at a time, the storage lane's: every throwing method blocks on the medium. A method that throws has lost
/// nothing: what was appended stays buffered, and the same call made again goes on where it failed, overwriting any torn
/// bytes. Nothing is copied at the end, however long the clip: the sample tables are appended, then 16 bytes in the first
/// sector make everything before them the content of one `mdat`.
public struct FragmentedClip {
  /// What the file says of itself; `comment` may change until `finish`.
  public var description: ClipFileDescription

  private let file: any StoredFile
  private var samples = ClipSamples()
  private var waiting: [ClipPicture] = []
  private var pictureBytes: [UInt8] = []
  /// Time of the first waiting picture, and of the last one.
  private var firstWaiting = 0
  private var lastWaiting = 0
  private var soundSizes: [UInt32] = []
  private var soundBytes: [UInt8] = []
  private var fragment = ByteWriter()
  private var sequence = 0
  /// End of the last complete fragment.
  private var end = 0
  private var isFinished = false

  /// - Parameter file: new and empty.
  public init(file: any StoredFile, description: ClipFileDescription) {
    self.file = file
    self.description = description
  }

  /// Bytes of the file that count: without torn writes.
  public var fileBytes: Int { end }
  /// Ticks of pictures that are appended and not flushed; the last one, whose length is not known, is not counted.
  public var bufferedTicks: Int { max(0, lastWaiting - firstWaiting) }
  /// Frames of sound that are appended and not flushed.
  public var bufferedFrames: Int { soundSizes.count * ClipSamples.soundFrames }
  /// Bytes that are appended and not flushed.
  public var bufferedBytes: Int { pictureBytes.count + soundBytes.count }
  /// Pictures and keyframes in complete fragments.
  public var storedPictures: Int { samples.pictures.count }
  public var storedKeyframes: Int {
    description.pictures.codec == .mjpeg ? samples.pictures.count : samples.pictures.keyframes.count
  }
  /// Media times at which pictures (ticks) and sound (frames, without priming) in complete fragments end.
  public var storedTicks: Int { samples.pictureEnd }
  public var storedFrames: Int { max(0, samples.soundEnd - (description.sound?.primingFrames ?? 0)) }

  /// Puts the header on the medium.
  public mutating func begin() throws(StorageError) {
    guard end == 0 else { return }
    let head = ClipBoxes(description).initialSegment()
    try file.write(head, at: 0)
    end = head.count
  }

  /// Buffers one picture.
  ///
  /// - Parameters:
  ///   - bytes: H.264: NAL units behind their lengths in four bytes. JPEG: the image.
  ///   - time: ticks from the first picture, which has 0; increasing.
  public mutating func appendPicture(_ bytes: UnsafeRawBufferPointer, time: Int, isKeyframe: Bool) {
    guard !isFinished, !bytes.isEmpty else { return }
    if waiting.isEmpty {
      firstWaiting = time
    } else {
      waiting[waiting.count - 1].duration = UInt32(clamping: max(1, time - lastWaiting))
    }
    lastWaiting = time
    waiting.append(ClipPicture(bytes: UInt32(clamping: bytes.count), duration: 1, isKeyframe: isKeyframe))
    pictureBytes.append(contentsOf: bytes)
  }

  /// Buffers one access unit of AAC.
  public mutating func appendSound(_ bytes: UnsafeRawBufferPointer) {
    guard !isFinished, !bytes.isEmpty, description.sound != nil else { return }
    soundSizes.append(UInt32(clamping: bytes.count))
    soundBytes.append(contentsOf: bytes)
  }

  /// Writes everything appended but the last picture, whose length is not known yet. Does not sync.
  public mutating func flush() throws(StorageError) { try flush(holding: 1) }

  /// Flushes and turns the file into an ordinary MP4; synced on return (the directory is the caller's).
  ///
  /// - Parameters:
  ///   - endTime: ticks at which the last picture ends, from the first picture on.
  ///   - frames: of sound, without priming; of a clip without sound it does not count.
  public mutating func finish(endTime: Int, frames: Int) throws(StorageError) {
    guard !isFinished else { return }
    if !waiting.isEmpty {
      waiting[waiting.count - 1].duration = UInt32(clamping: max(1, endTime - lastWaiting))
    }
    try flush(holding: 0)
    try Self.finalise(file, description: description, samples: samples, end: end, endTime: endTime, frames: frames)
    end = file.size
    isFinished = true
  }

  /// Gives up what is appended but not flushed, so that a full card can still be finished.
  public mutating func dropBuffered() {
    waiting.removeAll()
    pictureBytes.removeAll()
    soundSizes.removeAll()
    soundBytes.removeAll()
    lastWaiting = samples.pictureEnd
    firstWaiting = lastWaiting
  }

  private mutating func flush(holding held: Int) throws(StorageError) {
    try begin()
    while waiting.count > held || !soundSizes.isEmpty {
      var next = ClipFragment()
      next.pictures = Array(waiting.prefix(max(0, min(ClipFragment.mostPictures, waiting.count - held))))
      next.pictureTime = firstWaiting
      next.sound = Array(soundSizes.prefix(ClipFragment.mostSound))
      next.soundTime = samples.soundEnd
      try write(next)
      let ticks = next.pictures.reduce(0) { $0 + Int($1.duration) }
      waiting.removeFirst(next.pictures.count)
      pictureBytes.removeFirst(next.pictureBytes)
      firstWaiting += ticks
      soundSizes.removeFirst(next.sound.count)
      soundBytes.removeFirst(next.soundBytes)
    }
  }

  private mutating func write(_ next: ClipFragment) throws(StorageError) {
    fragment.bytes.removeAll(keepingCapacity: true)
    let padding = next.padding(at: end)
    if padding > 0 { fragment.box("free") { $0.zeros(padding - 8) } }
    next.writeHead(sequence: sequence + 1, into: &fragment)
    let start = end + fragment.count
    fragment.bytes.append(contentsOf: pictureBytes.prefix(next.pictureBytes))
    fragment.bytes.append(contentsOf: soundBytes.prefix(next.soundBytes))
    try file.write(fragment.bytes, at: end)
    sequence += 1
    end += fragment.count
    samples.addPictures(at: start, time: next.pictureTime, next.pictures)
    samples.addSound(at: start + next.pictureBytes, time: next.soundTime, sizes: next.sound)
  }

  /// The last step of a clip, also of one that repair has put together.
  static func finalise(
    _ file: any StoredFile, description: ClipFileDescription, samples: ClipSamples, end: Int, endTime: Int, frames: Int
  ) throws(StorageError) {
    var kept = samples
    kept.cutPictures(at: max(endTime, description.skippedTicks + 1))
    let length: Int
    if let sound = description.sound {
      let available = max(0, samples.soundEnd - sound.primingFrames)
      length = min(max(0, frames), available)
      kept.cutSound(at: sound.primingFrames + length)
    } else {
      length = max(0, kept.pictureEnd - description.skippedTicks)
    }
    let movie = ClipBoxes(description).finalMovie(length: length, samples: kept)
    try file.write(movie, at: end)
    // A longer write may have been torn here before.
    if file.size > end + movie.count { try file.truncate(to: end + movie.count) }
    try file.sync()
    try file.write(OldTakeBoxes.mediaDataHeader(end: end), at: OldTakeBoxes.reserveOffset)
    try file.sync()
  }
}
