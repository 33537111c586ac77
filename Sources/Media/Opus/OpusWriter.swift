public import Hardware

/// A recording as Opus in Ogg. One sound track.
///
/// Every flush writes whole pages: at every instant the file plays up to the last of them. The last packet is kept back for
/// the page that ends the stream, so that no page of sound is ever changed.
public struct OpusWriter: MediaWriter {
  public let description: FileDescription
  public var summary = FileSummary()

  private let file: any StoredFile
  private let head: OpusHead
  private var hasBegun = false
  private var hasEnd = false
  private var isFinished = false
  /// Packets that are appended and not written.
  private var sizes: [Int] = []
  private var buffer: [UInt8] = []
  private var writtenPackets = 0
  /// Those of them before the last page.
  private var settledPackets = 0
  private var writtenPages: UInt32 = 2
  private var end = OpusHead.bytes
  private var lastPage = OpusHead.tagsPlace

  public init(file: any StoredFile, scratch: (any StoredFile)?, description: FileDescription) {
    self.file = file
    self.description = description
    let sound = description.sound
    head = OpusHead(
      pcm: sound?.pcm ?? PCMFormat(sampleRate: OpusEncoder.sampleRate, channels: 1),
      preSkip: sound?.primingFrames ?? 0, serial: OpusHead.serial(of: description))
  }

  public func amount(of track: Int) -> TrackAmount {
    var amount = TrackAmount()
    amount.samples = writtenPackets
    amount.keyframes = writtenPackets
    amount.end = max(0, writtenPackets * SoundCodec.opus.packetFrames - head.preSkip)
    amount.buffered = sizes.count * SoundCodec.opus.packetFrames
    amount.bufferedBytes = buffer.count
    return amount
  }

  public var fileBytes: Int { hasBegun ? end : 0 }
  /// The last page may be made the one that ends the stream.
  public var settledBytes: Int { hasBegun ? lastPage : 0 }
  public func settledEnd(of track: Int) -> Int { max(0, settledPackets * SoundCodec.opus.packetFrames - head.preSkip) }
  public var changing: [Range<Int>] { [OpusHead.tagsPlace..<OpusHead.bytes] }
  public var finishBytes: Int { buffer.count + sizes.count * 6 + 2 * OggPage.headBytes }

  public mutating func begin() throws(StorageError) {
    guard !hasBegun else { return }
    try file.write(head.bytes(description), at: 0)
    hasBegun = true
  }

  public mutating func append(
    _ sample: UnsafeRawBufferPointer, to track: Int, at time: Int, delay: Int, isKeyframe: Bool
  ) {
    guard !isFinished, track == 0, (1...OpusEncoder.largestPacket).contains(sample.count) else { return }
    sizes.append(sample.count)
    buffer.append(contentsOf: sample)
  }

  public mutating func flushStep() throws(StorageError) -> Bool {
    try begin()
    guard sizes.count > 1 else { return false }
    return try writePage(of: sizes.count - 1, upTo: nil)
  }

  /// Writes a page of as many of the first `count` packets as it takes.
  ///
  /// - Parameter last: the frame that the stream ends with, if it ends with them.
  /// - Returns: whether there are more.
  private mutating func writePage(of count: Int, upTo last: Int?) throws(StorageError) -> Bool {
    var segments = 0
    let taken = sizes.prefix(count).prefix { size in
      segments += size / 255 + 1
      return segments <= OggPage.mostSegments
    }
    let bytes = taken.reduce(0, +)
    let start = writtenPackets * SoundCodec.opus.packetFrames
    var page = OggPage(serial: head.serial, number: writtenPages)
    page.granule = start + taken.count * SoundCodec.opus.packetFrames
    if let last, taken.count == count {
      page.flags = OggPage.lastFlag
      page.granule = min(max(start, last), page.granule)
    }
    var writer = ByteWriter()
    page.write(packets: taken, body: buffer.prefix(bytes), into: &writer)
    try file.write(writer.bytes, at: end)
    lastPage = end
    end += writer.count
    writtenPages += 1
    settledPackets = writtenPackets
    writtenPackets += taken.count
    buffer.removeFirst(bytes)
    sizes.removeFirst(taken.count)
    if page.isLast { hasEnd = true }
    return taken.count < count
  }

  /// The sound and the marks are on the medium before the page that ends the stream: whatever is torn without it is mended.
  public mutating func finishStep(at ends: [Int]) throws(StorageError) -> Bool {
    guard !isFinished else { return false }
    guard try !flushStep() else { return true }
    let last = head.preSkip + (ends.first ?? 0)
    if !hasEnd {
      if file.size > end { try file.truncate(to: end) }
      if !summary.marks.isEmpty || !summary.comment.isEmpty {
        try head.write(VorbisComments(description, comment: summary.comment), summary.marks, to: file)
      }
      try file.sync()
      if sizes.isEmpty {
        try Self.end(file, page: lastPage, at: end, granule: last)
        hasEnd = true
      } else {
        _ = try writePage(of: 1, upTo: last)
      }
    }
    try file.sync()
    isFinished = true
    return false
  }

  /// Makes the page in `page..<end` the last one.
  ///
  /// - Parameter granule: of the place where the sound ends, if that is in it; `nil`: where the page does.
  static func end(_ file: any StoredFile, page: Int, at end: Int, granule: Int?) throws(StorageError) {
    var bytes = try file.bytes(at: page, count: end - page)
    guard let found = OggPage.whole(bytes, at: 0)?.page else { return }
    OggPage.end(&bytes, granule: min(found.granule, granule ?? .max))
    try file.write(bytes, 0..<OggPage.headBytes, at: page)
  }

  public mutating func dropBuffered() {
    sizes.removeAll()
    buffer.removeAll()
  }
}
