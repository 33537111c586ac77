internal import Hardware

/// Inspection and repair of MP4 files with any tracks of ours, a bounded piece at a time.
struct MovieRepair {
  private enum Stage {
    case opening
    case judging(MovieIndexCheck, FinishedMovie, start: Int)
    case collecting
    case closing(MovieCloser, FileDescription)
    case done(MediaInspection)
  }

  private let file: any StoredFile
  private let scratch: (any StoredFile)?
  private let writes: Bool
  private let trustsIndex: Bool
  private var stage = Stage.opening
  private var description = FileDescription(tracks: [], createdAt: WallTime(nanosecondsSince1970: 0))
  /// Bytes of the head that are to be put right.
  private var mended: [UInt8]?
  private var reason = ""
  private var collector: FragmentCollector?
  private var gaps: [MediaGap] = []

  /// Fragments, boxes or windows of a search that one step looks at.
  private static let perStep = 64

  /// - Parameters:
  ///   - scratch: an empty unnamed file for tables; `nil` keeps them in memory.
  ///   - writes: whether an unfinished file is finished, or only looked at.
  ///   - trustsIndex: whether a finished file is taken for whole without a look into its tables.
  init(_ file: any StoredFile, scratch: (any StoredFile)?, writes: Bool, trustsIndex: Bool) {
    self.file = file
    self.scratch = scratch
    self.writes = writes
    self.trustsIndex = trustsIndex
  }

  /// Does the next piece of work; one that throws is made again.
  ///
  /// - Returns: what the file is, once that is known.
  mutating func step() throws(StorageError) -> MediaInspection? {
    var next = self
    try next.advance()
    self = next
    if case .done(let inspection) = stage { return inspection }
    return nil
  }

  private mutating func advance() throws(StorageError) {
    switch stage {
    case .opening: try open()
    case .judging(var check, let movie, let start):
      switch try check.step() {
      case nil: stage = .judging(check, movie, start: start)
      case true?: stage = .done(inspection(.finished, movie))
      case false?: collect(from: start, "Its index is damaged.")
      }
    case .collecting: try collect()
    case .closing(var closer, let description):
      if try closer.step() {
        try conclude(description, closer.facts)
      } else {
        stage = .closing(closer, description)
      }
    case .done: return
    }
  }

  private mutating func open() throws(StorageError) {
    // As it was before some of its bytes went wrong, if that can be told.
    var first: (description: FileDescription, start: Int)?
    if let head = MendedMovieHead(try file.bytes(at: MovieBoxes.movieOffset, count: MendedMovieHead.mostBytes)) {
      first = (head.description, MovieBoxes.movieOffset + head.bytes.count)
      if head.wrong > 0 { mended = head.bytes }
    } else {
      first = try MovieReading.initialMovie(of: file)
    }
    guard let (description, start) = first else {
      stage = .done(try inspectForeign())
      return
    }
    self.description = description
    switch try FinishedMovie.find(in: file) {
    case .whole(let movie):
      stage =
        trustsIndex
        ? .done(inspection(.finished, movie))
        : .judging(MovieIndexCheck(file, movie, first: description, start: start), movie, start: start)
    case .absent: collect(from: start, "The recording was interrupted.")
    case .damaged(let text): collect(from: start, text)
    }
  }

  private mutating func collect(from start: Int, _ reason: String) {
    self.reason = reason
    collector = FragmentCollector(file, description, from: start, scratch: scratch, keepsPlaces: writes)
    stage = .collecting
  }

  private mutating func collect() throws(StorageError) {
    for _ in 0..<Self.perStep {
      guard try collector?.step() == true else { return try finishCollecting() }
      // What a power cut may have left is read whole, a fragment at a time.
      if collector?.isAtTail == true { return }
    }
  }

  /// All fragments are known.
  private mutating func finishCollecting() throws(StorageError) {
    guard let collector else { return }
    guard !collector.leavesMost else {
      let reason = "Most of its fragments are not as its head says."
      stage = .done(MediaInspection(.damaged(reason), format: format, unreadableBytes: file.size))
      return
    }
    let totals = collector.ledger.totals
    if let index = description.pictureIndex, totals[index].samples == 0 {
      stage = .done(
        MediaInspection(.damaged("No picture was found in it."), format: .aac, unreadableBytes: file.size))
      return
    }
    guard writes else {
      stage = .done(inspection(.unfinished(reason), collector))
      return
    }
    let (ending, ends) = RepairedEnd(description, totals).decide()
    gaps = Self.gaps(collector, ending, ends)
    var summary = FileSummary()
    if ending.pictures != nil { summary.comment = "recovered" }
    let head = Array(MovieBoxes(ending).fileHead().prefix(MovieBoxes.reserveOffset))
    if try file.bytes(at: 0, count: head.count) != head { try file.write(head, at: 0) }
    if let mended { try file.write(mended, at: MovieBoxes.movieOffset) }
    let closer = MovieCloser(
      file, ending, summary, ledger: collector.ledger, end: collector.end, ends: ends, looksInside: true)
    stage = .closing(closer, ending)
  }

  /// The file is whole: says what it has by what is written in it.
  private mutating func conclude(_ description: FileDescription, _ facts: MediaFacts) throws(StorageError) {
    guard case .whole(let movie) = try FinishedMovie.find(in: file) else {
      stage = .done(MediaInspection(.damaged("Its index could not be written."), format: format))
      return
    }
    self.description = description
    var inspection = inspection(.finished, movie)
    inspection.unreadableBytes = collector?.unreadableBytes ?? 0
    inspection.gaps = gaps
    if description.pictures != nil { inspection.facts = facts }
    stage = .done(inspection)
  }

  private var format: TakeFormat { description.sound?.codec == .alac ? .alac : .aac }

  private func inspection(_ condition: MediaInspection.Condition, _ movie: FinishedMovie) -> MediaInspection {
    var found = MediaInspection(condition, format: format, pcm: description.sound?.pcm)
    if description.soundIndex != nil, let sound = movie.track("soun") {
      found.frames = min(movie.length, sound.shown.map { $0 + sound.empty } ?? movie.length)
    }
    found.seconds = Double(movie.length) / Double(movie.timescale)
    if let pictures = movie.track("vide") {
      found.pictures = pictures.samples
      found.keyframes = pictures.keyframes ?? pictures.samples
    }
    return found
  }

  private func inspection(
    _ condition: MediaInspection.Condition, _ collector: FragmentCollector
  ) -> MediaInspection {
    let totals = collector.ledger.totals
    var frames = 0
    if let index = description.soundIndex {
      frames = max(0, totals[index].end - description.firstShown(of: index))
    }
    var found = MediaInspection(
      condition, format: format, pcm: description.sound?.pcm, frames: frames,
      unreadableBytes: collector.unreadableBytes)
    let (ending, ends) = RepairedEnd(description, totals).decide()
    found.gaps = Self.gaps(collector, ending, ends)
    if let index = description.pictureIndex {
      found.pictures = totals[index].samples
      found.keyframes = description.hasOnlyKeyframes(index) ? totals[index].samples : totals[index].keyframes
      found.seconds = Double(max(0, ends[index] - ending.skippedTicks)) / Double(PictureTrack.timescale)
    }
    return found
  }

  /// What is missing in between, and of pictures at both ends.
  private static func gaps(_ collector: FragmentCollector, _ ending: FileDescription, _ ends: [Int]) -> [MediaGap] {
    guard let index = ending.pictureIndex else { return collector.gaps }
    let (begin, last) = (ending.skippedTicks, collector.ledger.totals[index].end)
    var gaps = collector.gaps
    // The last picture before a hole that it begins in lasts up to the first behind it, or to what is damaged.
    if let seen = collector.firstSeen, seen < ends[index] {
      let damaged = gaps.first { $0.isPictures && $0.isDamage }?.range.lowerBound ?? seen
      let hole = 0..<max(0, min(damaged, seen - begin))
      if hole.count > MovieCloser.leastHole {
        gaps.removeAll { $0.isPictures && $0.range.overlaps(hole) }
        gaps.insert(MediaGap(isPictures: true, range: hole, timescale: PictureTrack.timescale, isDamage: false), at: 0)
      }
    }
    // They end with the sound, but for less than a packet of it.
    guard ends[index] - last > PictureTrack.timescale / 2 else { return gaps }
    return gaps + [
      MediaGap(
        isPictures: true, range: max(0, last - begin)..<ends[index] - begin, timescale: PictureTrack.timescale,
        isDamage: collector.hasLost)
    ]
  }

  /// A file that is not a recording of ours: an ordinary one is left alone.
  private func inspectForeign() throws(StorageError) -> MediaInspection {
    let walker = BoxWalker(file)
    var offset = 0
    var hasMovie = false
    for _ in 0..<1_000 where offset < file.size {
      guard let box = try walker.box(at: offset, limit: file.size) else { break }
      if box.type == "moov" { hasMovie = true }
      offset = box.end
    }
    if hasMovie { return MediaInspection(.foreign, format: .aac) }
    return MediaInspection(
      .damaged("The header that says how the sound is encoded is unreadable."), format: .aac,
      unreadableBytes: file.size)
  }
}

/// Where a recording ends that nobody ended.
struct RepairedEnd {
  private var description: FileDescription
  private let totals: [SampleLedger.Totals]

  /// Pictures and sound are written twice a second: where sound goes on for longer, seconds, no pictures came.
  private static let longestSkew = 1

  init(_ description: FileDescription, _ totals: [SampleLedger.Totals]) {
    self.description = description
    self.totals = totals
  }

  /// - Returns: what the file is then, and the end of each of its tracks.
  func decide() -> (FileDescription, ends: [Int]) {
    var description = description
    var ends = totals.map { _ in Int.max }
    guard let index = description.pictureIndex else { return (description, ends) }
    let pictureEnd = totals[index].end
    // Nothing but the skipped pictures came through: show those.
    if pictureEnd <= description.skippedTicks { description.skippedTicks = 0 }
    ends[index] = pictureEnd
    guard let soundIndex = description.soundIndex, let sound = description.sound else { return (description, ends) }
    let heard = max(0, totals[soundIndex].end - sound.primingFrames)
    // As long as the longer of both would need a freeze or silence; the shorter one decides, but for a sound that is all
    // but missing.
    let shown = (pictureEnd - description.skippedTicks).scaled(by: sound.pcm.sampleRate, over: PictureTrack.timescale)
    let frames = min(heard, shown)
    if heard - shown > Self.longestSkew * sound.pcm.sampleRate {
      // The last picture stays, as in a clip that somebody ended.
      ends[index] = description.skippedTicks + heard.scaled(by: PictureTrack.timescale, over: sound.pcm.sampleRate)
      ends[soundIndex] = heard
    } else if frames * 2 < shown || frames == 0 {
      // Only the last one goes: those behind it would become others'.
      if heard == 0, soundIndex == description.tracks.count - 1 { description.tracks.removeLast() }
      ends[soundIndex] = heard
    } else {
      ends[index] = description.skippedTicks + frames.scaled(by: PictureTrack.timescale, over: sound.pcm.sampleRate)
      ends[soundIndex] = frames
    }
    return (description, ends)
  }
}
