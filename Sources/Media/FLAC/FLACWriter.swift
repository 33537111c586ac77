public import Hardware

/// A recording as FLAC. One sound track.
///
/// Every flush writes whole frames, then the head that claims them, with their number and MD5: at every instant the file
/// is a whole one of what is claimed.
public struct FLACWriter: MediaWriter {
  public let description: FileDescription
  public var summary = FileSummary()

  private let file: any StoredFile
  private let head: FLACHead
  private var hasBegun = false
  private var isFinished = false
  private var buffer: [UInt8] = []
  /// What the head on the medium claims, what is written, what is appended.
  private var claimed = FLACHead.Claim()
  private var written = FLACHead.Claim()
  private var appended = FLACHead.Claim()
  /// Claims of one to two seconds ago, which are synced by now.
  private var safe = FLACHead.Claim()
  private var older = FLACHead.Claim()

  public init(file: any StoredFile, scratch: (any StoredFile)?, description: FileDescription) {
    self.file = file
    self.description = description
    head = FLACHead(pcm: description.sound?.pcm ?? PCMFormat(sampleRate: 48_000, channels: 1))
  }

  public func amount(of track: Int) -> TrackAmount {
    var amount = TrackAmount()
    // What the head does not claim is not heard: it does not count as written.
    amount.end = claimed.frames
    amount.samples = (claimed.frames + SoundCodec.flac.packetFrames - 1) / SoundCodec.flac.packetFrames
    amount.keyframes = amount.samples
    amount.buffered = appended.frames - written.frames
    amount.bufferedBytes = buffer.count
    return amount
  }

  public var fileBytes: Int { hasBegun ? written.end : 0 }
  /// All of the head but rate, channels and width.
  public var changing: [Range<Int>] { [0..<18, 21..<FLACHead.bytes] }
  /// All of the head is there from the beginning.
  public var finishBytes: Int { buffer.count }

  public mutating func begin() throws(StorageError) {
    guard !hasBegun else { return }
    // Marks would not fit into the first sector beside the rest; they come in the end.
    try file.write(
      head.bytes(claimed, safeEnd: safe.end, isFinished: false, description, FileSummary()), at: 0)
    hasBegun = true
  }

  public mutating func append(
    _ sample: UnsafeRawBufferPointer, to track: Int, at time: Int, delay: Int, isKeyframe: Bool
  ) {
    let digestBytes = LosslessEncoder.digestBytes
    guard !isFinished, track == 0, sample.count > digestBytes else { return }
    let frame = UnsafeRawBufferPointer(rebasing: sample[digestBytes...])
    guard let found = FLACFrameHead(frame.assumingMemoryBound(to: UInt8.self), at: 0) else { return }
    appended.add(frames: found.frames, digest: sample[..<digestBytes], bytes: frame.count)
    buffer.append(contentsOf: frame)
  }

  public mutating func flushStep() throws(StorageError) -> Bool {
    try begin()
    if !buffer.isEmpty {
      try file.write(buffer, at: written.end)
      written = appended
      buffer.removeAll(keepingCapacity: true)
    }
    guard claimed != written else { return false }
    try file.write(head.front(written, safeEnd: safe.end, isFinished: false), at: 0)
    claimed = written
    if claimed.frames - older.frames >= head.pcm.sampleRate { (safe, older) = (older, claimed) }
    return false
  }

  /// All but the first sector of the head first, where nothing but padding is so far: it changes in one write.
  public mutating func finishStep(at ends: [Int]) throws(StorageError) -> Bool {
    guard !isFinished else { return false }
    try flush()
    if file.size > written.end { try file.truncate(to: written.end) }
    let bytes = head.bytes(written, safeEnd: written.end, isFinished: true, description, summary)
    try file.write(bytes, FLACHead.sectorBytes..<bytes.count, at: FLACHead.sectorBytes)
    try file.sync()
    try file.write(bytes, 0..<FLACHead.sectorBytes, at: 0)
    try file.sync()
    isFinished = true
    return false
  }

  /// Frames whose head was refused go, too: it ends with what counts as written.
  public mutating func dropBuffered() {
    buffer.removeAll()
    (written, appended) = (claimed, claimed)
  }
}
