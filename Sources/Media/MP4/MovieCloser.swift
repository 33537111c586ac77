internal import Hardware

/// Turns a fragmented file into an ordinary one: appends the final `moov`, syncs, turns the reserve into the header of an
/// `mdat` that swallows everything up to it, syncs. A bounded piece at a time; a step that throws is made again.
struct MovieCloser {
  /// A track as it is in the final file.
  struct TrackShape {
    /// Media time at which its first sample begins, and at which its last one ends.
    var start = 0
    var end = 0
    /// Media time at which there is something to be shown: later than what is to be shown first where that is lost.
    var seen = 0
    var samples = 0
    var tables: [MovieTableHead]
  }

  private enum Stage {
    case measuring
    case writing(piece: Int)
    case syncing
    case claiming
    case done
  }

  /// What the final `moov` is made of, in order.
  enum Piece {
    case bytes([UInt8])
    case table(track: Int, MovieTable.Kind)
  }

  /// Where each track is cut: samples that begin there or later are left out.
  private struct Cut {
    var end: Int
    /// Of pictures at least one stays.
    var keepsFirst: Bool
  }

  private let file: any StoredFile
  private let description: FileDescription
  private let summary: FileSummary
  private let ledger: SampleLedger
  private let edits: [[MovieEdit]]?
  /// End of the media.
  private let end: Int
  private var cuts: [Cut] = []
  /// Of the file, and of what is shown of each track, in the file's own units.
  private var length = 0
  private var lengths: [Int] = []

  private var stage = Stage.measuring
  private var reader: SampleLedger.Reader
  private var chunk = SampleLedger.Chunk()
  private var measured: [[MovieTable]]
  private var kept: [Int]
  private var pieces: [Piece] = []
  private var table: MovieTable?
  private var shown: ShownPictures
  /// Media time of the first picture at or after what is shown first.
  private var firstSeen: Int?
  private var heads: RefreshHeads?
  /// Of the finished file; complete once its tables are measured.
  private(set) var facts = MediaFacts()
  /// Where the next byte goes.
  private var offset: Int

  /// Chunks that one step looks at.
  private static let chunksPerStep = 512
  /// The same while keyframes are looked into.
  private static let chunksPerLook = 16
  /// Bytes after which a step writes what it has.
  private static let bytesPerWrite = 64 << 10
  /// Ticks without a picture at the beginning that are more than one that lasts long.
  static let leastHole = PictureTrack.timescale / 10

  /// - Parameters:
  ///   - ends: see `MediaWriter.finishStep`.
  ///   - edits: of every track; `nil`: one edit, from its first shown sample on.
  ///   - looksInside: whether pictures that are not whole are found by what is in the file: nobody else knows of them.
  init(
    _ file: any StoredFile, _ description: FileDescription, _ summary: FileSummary, ledger: SampleLedger, end: Int,
    ends: [Int], edits: [[MovieEdit]]? = nil, looksInside: Bool = false
  ) {
    heads = looksInside ? RefreshHeads(description.pictures) : nil
    self.file = file
    self.description = description
    self.summary = summary
    self.ledger = ledger
    self.end = end
    self.edits = edits
    offset = end
    reader = SampleLedger.Reader(ledger)
    kept = description.tracks.map { _ in 0 }
    measured = description.tracks.indices.map { index in
      let isWide = end > Int(UInt32.max)
      return Self.kinds(description, index, isWide: isWide, hasDelays: ledger.totals[index].hasDelays)
        .map { MovieTable($0) }
    }
    for (index, track) in description.tracks.enumerated() {
      let total = ledger.totals[index]
      let wanted = ends.indices.contains(index) ? ends[index] : Int.max
      switch track {
      case .pictures:
        let cut = edits == nil ? max(wanted, description.skippedTicks + 1, total.start + 1) : total.end
        cuts.append(Cut(end: total.samples == 0 ? 0 : cut, keepsFirst: true))
      case .sound(let sound):
        let heard = min(max(0, wanted), max(0, total.end - sound.primingFrames))
        cuts.append(Cut(end: edits == nil ? sound.primingFrames + heard : total.end, keepsFirst: false))
      }
    }
    var ranges: [Range<Int>] = []
    let scale = (PictureTrack.timescale, description.timescale)
    if let edits, let first = description.soundIndex ?? description.pictureIndex {
      length = edits[first].reduce(0) { $0 + $1.length }
      if let index = description.pictureIndex {
        ranges = edits[index].filter { $0.start >= 0 }.map {
          $0.start..<($0.start + max(0, $0.length).scaled(by: scale.0, over: scale.1))
        }
      }
    } else if let index = description.soundIndex {
      length = cuts[index].end - description.firstShown(of: index)
    }
    if edits == nil, let index = description.pictureIndex {
      let start = description.skippedTicks
      let seen = max(0, cuts[index].end - start).scaled(by: scale.1, over: scale.0)
      // Where there is hardly any sound, the pictures say how long it is.
      if length * 2 < seen { length = seen }
      ranges = [start..<max(start, min(cuts[index].end, start + length.scaled(by: scale.0, over: scale.1)))]
    }
    shown = ShownPictures(ranges)
    lengths = description.tracks.indices.map { index in
      guard edits == nil, case .sound = description.tracks[index] else { return length }
      return min(length, cuts[index].end - description.firstShown(of: index))
    }
  }

  /// The tables of a track, in their order.
  static func kinds(
    _ description: FileDescription, _ track: Int, isWide: Bool = false, hasDelays: Bool = false
  ) -> [MovieTable.Kind] {
    var kinds: [MovieTable.Kind] = [.times]
    if hasDelays { kinds.append(.delays) }
    if case .pictures = description.tracks[track], !description.hasOnlyKeyframes(track) { kinds.append(.keyframes) }
    return kinds + [.runs, .sizes, .places(isWide: isWide)]
  }

  /// Does the next piece of work.
  ///
  /// - Returns: true when the file is whole and synced.
  mutating func step() throws(StorageError) -> Bool {
    var next = self
    switch stage {
    case .measuring: try next.measure()
    case .writing(let piece): try next.write(piece)
    case .syncing:
      // A longer write may have been torn here before.
      if file.size > offset { try file.truncate(to: offset) }
      try file.sync()
      next.stage = .claiming
    case .claiming:
      try file.write(MovieBoxes.mediaDataHeader(end: end), at: MovieBoxes.reserveOffset)
      try file.sync()
      next.stage = .done
    case .done: return true
    }
    self = next
    if case .done = stage { return true }
    return false
  }

  /// Samples of a chunk that begin before the track's cut.
  private func kept(_ chunk: SampleLedger.Chunk) -> Int {
    // A track that is left out of the final file.
    guard cuts.indices.contains(chunk.track) else { return 0 }
    let cut = cuts[chunk.track]
    if kept[chunk.track] == 0, cut.keepsFirst, chunk.time >= cut.end { return 1 }
    var time = chunk.time
    for (index, sample) in chunk.samples.enumerated() {
      guard time < cut.end else { return index }
      time += Int(sample.duration)
    }
    return chunk.samples.count
  }

  private mutating func measure() throws(StorageError) {
    var scratch = ByteWriter()
    for _ in 0..<(heads?.isLooking == true ? Self.chunksPerLook : Self.chunksPerStep) {
      guard try reader.next(&chunk) else {
        for track in measured.indices {
          for index in measured[track].indices { measured[track][index].close(end: cuts[track].end, into: &scratch) }
        }
        let shapes = description.tracks.indices.map { track in
          TrackShape(
            start: ledger.totals[track].start, end: cuts[track].end,
            seen: track == description.pictureIndex ? beginning : ledger.totals[track].start, samples: kept[track],
            tables: measured[track].map { MovieTableHead(of: $0) })
        }
        pieces = boxes.finalMovie(length: length, lengths, shapes)
        state()
        enter(0)
        return
      }
      let count = kept(chunk)
      guard count > 0 else { continue }
      for index in measured[chunk.track].indices {
        measured[chunk.track][index].add(chunk, kept: count, into: &scratch)
      }
      kept[chunk.track] += count
      scratch.bytes.removeAll(keepingCapacity: true)
      if chunk.track == description.pictureIndex { try see(count) }
    }
  }

  /// Counts the first `count` pictures of the chunk.
  private mutating func see(_ count: Int) throws(StorageError) {
    var (time, place) = (chunk.time, chunk.offset)
    for sample in chunk.samples.prefix(count) {
      var recovery: Int?
      if sample.isKeyframe {
        facts.keyframes += 1
        recovery = try heads?.recovery(ofKeyframeAt: place, bytes: Int(sample.bytes), in: file) ?? 0
      }
      let seen = time + Int(sample.delay)
      shown.add(seen, recovery: recovery)
      if seen >= description.skippedTicks { firstSeen = min(firstSeen ?? seen, seen) }
      time += Int(sample.duration)
      place += Int(sample.bytes)
    }
  }

  /// Media time of the first picture that is to be seen, where it does not come with the beginning of what is shown: it is
  /// begun with then, and nothing shown before. A picture of before would stand there, but libavformat shows the pictures
  /// behind such a hole at once, and too early by its length.
  private var beginning: Int {
    let (first, start) = (firstSeen ?? 0, description.pictureIndex.map { ledger.totals[$0].start } ?? 0)
    return first > description.skippedTicks + Self.leastHole || start > description.skippedTicks ? first : 0
  }

  private mutating func state() {
    shown.close()
    facts.pictures = shown.count
    facts.longestStep = Double(shown.longestStep) / Double(PictureTrack.timescale)
    facts.duration = Double(length) / Double(description.timescale)
    if let index = description.soundIndex { facts.frames = lengths[index] }
  }

  private var boxes: MovieBoxes {
    var boxes = MovieBoxes(description, summary: summary, edits: edits)
    // A clip says the bit rate that it was asked for, a take the one that it has.
    if description.pictures == nil, let index = description.soundIndex, let rate = description.sound?.pcm.sampleRate {
      let seconds = Double(ledger.totals[index].end) / Double(rate)
      if seconds > 0 { boxes.averageBitrate = Int(Double(ledger.totals[index].bytes) * 8 / seconds) }
    }
    return boxes
  }

  private mutating func enter(_ piece: Int) {
    stage = piece < pieces.count ? .writing(piece: piece) : .syncing
    reader = SampleLedger.Reader(ledger)
    table = nil
    kept = kept.map { _ in 0 }
    if piece < pieces.count, case .table(_, let kind) = pieces[piece] { table = MovieTable(kind) }
  }

  private mutating func write(_ piece: Int) throws(StorageError) {
    var writer = ByteWriter()
    switch pieces[piece] {
    case .bytes(let bytes):
      writer.bytes = bytes
      try drain(&writer)
      enter(piece + 1)
    case .table(let track, _):
      for _ in 0..<Self.chunksPerStep {
        guard try reader.next(&chunk) else {
          table?.close(end: cuts[track].end, into: &writer)
          try drain(&writer)
          enter(piece + 1)
          return
        }
        guard chunk.track == track else { continue }
        let count = kept(chunk)
        guard count > 0 else { continue }
        table?.add(chunk, kept: count, into: &writer)
        kept[track] += count
        if writer.count >= Self.bytesPerWrite { try drain(&writer) }
      }
      try drain(&writer)
    }
  }

  private mutating func drain(_ writer: inout ByteWriter) throws(StorageError) {
    guard writer.count > 0 else { return }
    try file.write(writer.bytes, at: offset)
    offset += writer.count
    writer.bytes.removeAll(keepingCapacity: true)
  }
}

/// One edit of a track: so much of the file's time shows the media from `start` on.
struct MovieEdit: Hashable {
  /// Units of the file.
  var length: Int
  /// Units of the track; −1 shows nothing.
  var start: Int
}
