internal import Hardware

/// Notes the samples of a broken-off file that can be played: without those that a power cut left as zeros, and without
/// the pictures that are of no use before the next keyframe.
struct FragmentCollector {
  private let file: any StoredFile
  private let tracks: [Track]
  /// Media time of each track from which on it is shown or heard.
  private let begins: [Int]
  private var scanner: FragmentScanner
  private(set) var ledger: SampleLedger
  /// Of each track.
  private var pictures: [ResumedPictures]
  /// Where the last fragment ends.
  private(set) var end: Int
  private var lostBytes = 0
  /// What is missing between what was found.
  private(set) var gaps: [MediaGap] = []
  /// Something was lost behind the last picture.
  private(set) var hasLost = false
  /// Media time of the first picture that is to be seen.
  private(set) var firstSeen: Int?
  /// Pictures in front of the last gap.
  private var picturesToGap = -1

  /// Where there are more, nobody looks at each.
  private static let mostGaps = 1000

  /// Only this much at the end of the media can hold blocks that a power cut left unwritten.
  private static let unsyncedBytes = 8 << 20
  /// Ticks without pictures that are told of where nothing is lost: a slow camera's are a second apart.
  private static let leastAbsence = 2 * PictureTrack.timescale
  /// The same of a picture that lasts much longer than the one before it.
  private static let longestPicture = PictureTrack.timescale / 2
  /// What a picture lasted last.
  private var period = PictureTrack.timescale

  /// - Parameter keepsPlaces: whether the ledger is to be read back, or only its totals count.
  init(
    _ file: any StoredFile, _ description: FileDescription, from start: Int, scratch: (any StoredFile)?,
    keepsPlaces: Bool
  ) {
    self.file = file
    tracks = description.tracks
    begins = tracks.indices.map { description.firstShown(of: $0) }
    scanner = FragmentScanner(
      file, tracks: tracks, mark: MovieFragment.mark(of: description), skippedTicks: description.skippedTicks,
      from: start, end: file.size)
    ledger = SampleLedger(tracks, scratch: scratch, keepsPlaces: keepsPlaces)
    pictures = tracks.map { ResumedPictures($0) }
    end = start
  }

  /// Bytes that belong to nothing that can be played.
  var unreadableBytes: Int { scanner.skippedBytes + lostBytes }

  /// Whether more fragments that are the recording's own, by their form, were left out than taken.
  var leavesMost: Bool {
    let (taken, passed, own) = scanner.counts
    return own > taken || taken == 0 && passed > 0
  }

  /// Whether samples are read to see if they are whole.
  var isAtTail: Bool { end > file.size - Self.unsyncedBytes }

  /// Looks at the next box.
  ///
  /// - Returns: false when there is nothing left to look at.
  mutating func step() throws(StorageError) -> Bool {
    switch try scanner.step() {
    case .more: return true
    case .end: return false
    case .found(let found):
      var place = found.dataOffset
      if found.isBehindDamage { hasLost = true }
      for run in found.fragment.runs {
        // A camera that was away goes on as it does.
        if found.isBehindDamage, run.time != ledger.totals[run.track].end { pictures[run.track].lose() }
        try add(run, at: place, isRisky: found.end > file.size - Self.unsyncedBytes)
        place += run.bytes
      }
      try ledger.spill()
      end = found.end
      return true
    }
  }

  private mutating func add(_ run: MovieFragment.Run, at place: Int, isRisky: Bool) throws(StorageError) {
    var isPictures = false
    if case .pictures = tracks[run.track] { isPictures = true }
    var place = place
    var time = run.time
    // Sound is small: one read for all of it.
    let sound = isRisky && !isPictures ? try file.bytes(at: place, count: run.bytes)[...] : []
    var chunk = SampleLedger.Chunk(track: run.track, offset: place, time: time)
    var soundPlace = 0
    for var sample in run.samples {
      let count = Int(sample.bytes)
      var isGood = true
      if isRisky {
        // No access unit is all zeros: each ends with a non-zero ID_END.
        isGood =
          isPictures
          ? try isWholePicture(at: place, count, tracks[run.track])
          : soundPlace + count <= sound.count && sound[soundPlace..<soundPlace + count].contains { $0 != 0 }
      }
      if isPictures {
        if isGood {
          isGood = try pictures[run.track].takes(&sample, at: place, time: time, in: file)
          let seen = time + Int(sample.delay)
          if isGood, seen >= begins[run.track] { firstSeen = min(firstSeen ?? seen, seen) }
        } else {
          pictures[run.track].lose()
        }
      }
      place += count
      soundPlace += count
      time += Int(sample.duration)
      if isGood {
        chunk.samples.append(sample)
      } else {
        lostBytes += count
        note(chunk)
        if isPictures { hasLost = true }
        chunk = SampleLedger.Chunk(track: run.track, offset: place, time: time)
      }
    }
    note(chunk)
  }

  private mutating func note(_ chunk: SampleLedger.Chunk) {
    guard !chunk.samples.isEmpty else { return }
    let (begin, total) = (begins[chunk.track], ledger.totals[chunk.track])
    let end = max(begin, total.samples == 0 ? begin : total.end)
    var isPictures = false
    if case .pictures = tracks[chunk.track] { isPictures = true }
    let isDamage = hasLost || !isPictures
    if isPictures, total.samples == picturesToGap + 1, let last = gaps.lastIndex(where: \.isPictures) {
      // Behind the one that decoding goes on with those were left out that are seen before it.
      let begin = gaps[last].range.lowerBound
      gaps[last].range = begin..<gaps[last].range.upperBound + max(0, chunk.time - end)
    } else if chunk.time > (isDamage ? end : end + Self.leastAbsence), gaps.count < Self.mostGaps {
      if isPictures { picturesToGap = total.samples }
      gaps.append(
        MediaGap(
          isPictures: isPictures, range: end - begin..<chunk.time - begin, timescale: tracks[chunk.track].timescale,
          isDamage: isDamage))
    }
    if isPictures {
      hasLost = false
      noteAbsences(chunk)
    }
    ledger.add(chunk)
  }

  /// A camera that was away, or silent, and came back: the picture before it lasts until then.
  private mutating func noteAbsences(_ chunk: SampleLedger.Chunk) {
    let begin = begins[chunk.track]
    var time = chunk.time
    for sample in chunk.samples {
      let lasts = Int(sample.duration)
      defer {
        time += lasts
        period = lasts
      }
      guard lasts > Self.longestPicture, lasts > 3 * period, time + lasts > begin, gaps.count < Self.mostGaps else {
        continue
      }
      // What comes behind it is not counted to it any more.
      picturesToGap = -1
      gaps.append(
        MediaGap(
          isPictures: true, range: max(0, time + period - begin)..<time + lasts - begin,
          timescale: PictureTrack.timescale, isDamage: false))
    }
  }

  private func isWholePicture(at offset: Int, _ count: Int, _ track: Track) throws(StorageError) -> Bool {
    let bytes = try file.bytes(at: offset, count: count)
    guard case .pictures(let pictures) = track, bytes.count == count else { return false }
    return CodedPicture.isWhole(bytes, pictures.codec)
  }
}
