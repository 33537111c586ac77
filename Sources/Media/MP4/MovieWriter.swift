public import Hardware

/// A recording as MP4: a standard fragmented file while it grows, an ordinary one when it is finished.
///
/// Any number of tracks of AAC, ALAC, H.264 or JPEG. Finishing appends the sample tables and then overwrites 16 bytes in the
/// first sector, which makes everything written so far the content of one `mdat`: nothing is copied, however long it is.
public struct MovieWriter: MediaWriter {
  public let description: FileDescription
  public var summary = FileSummary() {
    didSet { if summary != oldValue { closer = nil } }
  }

  private let file: any StoredFile
  private let forms: [MovieFragment.Form]
  private var buffers: [TrackBuffer]
  private var ledger: SampleLedger
  private var head = ByteWriter()
  /// Number of the last fragment; 0 before the first.
  private var sequence = 0
  /// End of the last complete fragment.
  private var end = 0
  private var closer: MovieCloser?
  private var closerEnds: [Int] = []
  private var isFinished = false
  /// Sound goes on behind a picture for no longer, seconds, before that is written: the camera may be away.
  private static let patience = 3
  public private(set) var facts: MediaFacts?

  public init(file: any StoredFile, scratch: (any StoredFile)?, description: FileDescription) {
    self.file = file
    self.description = description
    forms = MovieFragment.forms(of: description.tracks)
    buffers = description.tracks.map { TrackBuffer($0) }
    ledger = SampleLedger(description.tracks, scratch: scratch)
  }

  public var fileBytes: Int { end }
  public var changing: [Range<Int>] { [MovieBoxes.reserveOffset..<MovieBoxes.movieOffset] }

  public var finishBytes: Int {
    var bytes = 4096 + 256 * description.tracks.count
    for (index, track) in description.tracks.enumerated() {
      // A size for every sample, an offset and a run for every fragment; of pictures a time, maybe a delay and a sync sample.
      var perSample = 4
      if case .pictures = track { perSample = ledger.totals[index].hasDelays ? 24 : 16 }
      bytes += perSample * (ledger.totals[index].samples + buffers[index].samples.count)
      bytes += 20 * (ledger.totals[index].chunks + 1) + buffers[index].count
    }
    return bytes + summary.marks.reduce(0) { $0 + 9 + min(255, $1.label.utf8.count) }
  }

  public func amount(of track: Int) -> TrackAmount {
    var amount = TrackAmount()
    guard buffers.indices.contains(track) else { return amount }
    let total = ledger.totals[track]
    amount.samples = total.samples
    amount.keyframes = description.hasOnlyKeyframes(track) ? total.samples : total.keyframes
    amount.end = total.end
    if case .sound = description.tracks[track] {
      amount.end = max(0, total.end - description.firstShown(of: track))
    }
    amount.buffered = buffers[track].duration
    amount.bufferedBytes = buffers[track].count
    return amount
  }

  public mutating func begin() throws(StorageError) {
    guard end == 0 else { return }
    let head = MovieBoxes(description, summary: summary).initialSegment()
    try file.write(head, at: 0)
    end = head.count
  }

  public mutating func append(
    _ sample: UnsafeRawBufferPointer, to track: Int, at time: Int, delay: Int, isKeyframe: Bool
  ) {
    guard !isFinished, !sample.isEmpty, buffers.indices.contains(track) else { return }
    buffers[track].append(sample, at: time, delay: delay, isKeyframe: isKeyframe)
  }

  public mutating func flushStep() throws(StorageError) -> Bool { try flushStep(isEnding: false) }

  public mutating func finishStep(at ends: [Int]) throws(StorageError) -> Bool {
    guard !isFinished else { return false }
    for (index, end) in ends.enumerated() where buffers.indices.contains(index) { buffers[index].endLast(at: end) }
    if try flushStep(isEnding: true) { return true }
    var closer = ends == closerEnds ? closer : nil
    if closer == nil {
      closerEnds = ends
      closer = MovieCloser(file, description, summary, ledger: ledger, end: end, ends: ends)
    }
    let isOver = try closer?.step() ?? false
    self.closer = closer
    guard isOver else { return true }
    end = file.size
    isFinished = true
    facts = closer?.facts
    self.closer = nil
    return false
  }

  public mutating func dropBuffered() {
    for index in buffers.indices { buffers[index].removeAll(end: ledger.totals[index].end) }
    closer = nil
  }

  private mutating func flushStep(isEnding: Bool) throws(StorageError) -> Bool {
    try begin()
    // How long it is seen the next one tells, or the end.
    let lonely = isEnding ? nil : lonelyPicture
    if let lonely { buffers[lonely].endLast(at: buffers[lonely].time + PictureLengths.ordinary) }
    var fragment = MovieFragment()
    for index in buffers.indices {
      let form = buffers[index].samples.contains { $0.delay > 0 } ? forms[index].withDelays : forms[index]
      let count = min(buffers[index].ready(isEnding: isEnding || index == lonely), form.mostSamples)
      guard count > 0 else { continue }
      var time = buffers[index].time
      if case .sound = description.tracks[index] { time = ledger.totals[index].end }
      fragment.runs.append(
        MovieFragment.Run(track: index, time: time, samples: Array(buffers[index].samples.prefix(count))))
    }
    if !fragment.runs.isEmpty { try write(fragment) }
    try ledger.spill()
    return buffers.contains { $0.ready(isEnding: isEnding) > 0 }
  }

  /// The track of pictures, if one waits alone and sound has gone on behind it for long.
  private var lonelyPicture: Int? {
    guard let pictures = description.pictureIndex, let sound = description.soundIndex,
      buffers[pictures].samples.count == 1
    else { return nil }
    let frames = ledger.totals[sound].end + buffers[sound].duration - description.firstShown(of: sound)
    let heard = frames.scaled(by: PictureTrack.timescale, over: description.tracks[sound].timescale)
    let seen = buffers[pictures].time - description.skippedTicks
    return heard - seen > Self.patience * PictureTrack.timescale ? pictures : nil
  }

  /// Writes the head with the first track's samples, then the others behind: a file torn in between ends in a torn
  /// `mdat`, which players take.
  private mutating func write(_ fragment: MovieFragment) throws(StorageError) {
    if sequence == 0, let first = fragment.runs.first {
      let beginning = buffers[first.track].beginning
      sequence = Int(MovieFragment.mark(of: description) + MovieFragment.mark(of: beginning))
    }
    head.bytes.removeAll(keepingCapacity: true)
    fragment.writeHead(at: end, sequence: sequence + 1, forms: forms, into: &head)
    var place = end
    var front = head.bytes
    for run in fragment.runs {
      try buffers[run.track].write(run.bytes, after: front, to: file, at: place)
      place += front.count + run.bytes
      front = []
    }
    place = end + head.count
    for run in fragment.runs {
      ledger.add(SampleLedger.Chunk(track: run.track, offset: place, time: run.time, samples: run.samples))
      buffers[run.track].remove(run)
      place += run.bytes
    }
    sequence += 1
    end = place
  }
}
