internal import Hardware

/// Whether the final `moov` of a recording of ours plays what is in the file: it says of the tracks what the first `moov`
/// says, and its tables agree with one another. A bounded piece at a time; a step that throws is made again.
struct MovieIndexCheck {
  private let file: any StoredFile
  private let walker: BoxWalker
  private let movie: FinishedMovie
  private let first: FileDescription
  /// Where the media begins, and ends at the latest.
  private let media: Range<Int>
  private var waiting: [BoxWalker.Box] = []
  private var tables: MovieTableCheck?
  private var hasBegun = false

  /// No head of a box that is read whole is larger.
  private static let largestHead = 128 << 10
  /// One reference, to the file itself.
  private static let references: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 12] + Array("url ".utf8) + [0, 0, 0, 1]

  /// - Parameters:
  ///   - first: what the first `moov` says, behind which the media begins at `start`.
  init(_ file: any StoredFile, _ movie: FinishedMovie, first: FileDescription, start: Int) {
    self.file = file
    self.movie = movie
    self.first = first
    walker = BoxWalker(file)
    media = start..<max(start, movie.movie.content)
  }

  /// - Returns: whether all is as it must be; `nil` while there is more to look at.
  mutating func step() throws(StorageError) -> Bool? {
    var next = self
    let verdict = try next.advance()
    self = next
    return verdict
  }

  private mutating func advance() throws(StorageError) -> Bool? {
    guard hasBegun else {
      waiting = try walker.children("trak", of: movie.movie).reversed()
      hasBegun = true
      return try saysTheSame() ? nil : false
    }
    guard var tables else {
      guard let track = waiting.popLast() else { return true }
      self.tables = try open(track)
      return self.tables == nil ? false : nil
    }
    guard let isDone = try tables.step() else { return false }
    self.tables = isDone ? nil : tables
    return nil
  }

  // MARK: What it says

  private func content(_ path: [String], of track: BoxWalker.Box) throws(StorageError) -> [UInt8]? {
    guard let box = try walker.find(path, in: track), box.end - box.content <= Self.largestHead else { return nil }
    return try file.bytes(at: box.content, count: box.end - box.content)
  }

  /// A track without its tables, which may be long.
  private func head(of track: BoxWalker.Box) throws(StorageError) -> (bytes: [UInt8], samples: [UInt8])? {
    guard let edits = try content(["edts", "elst"], of: track), let times = try content(["mdia", "mdhd"], of: track),
      let handler = try content(["mdia", "hdlr"], of: track),
      let samples = try content(["mdia", "minf", "stbl", "stsd"], of: track),
      try content(["mdia", "minf", "dinf", "dref"], of: track) == Self.references,
      // At its own speed.
      edits.suffix(4) == [0, 1, 0, 0]
    else { return nil }
    var writer = ByteWriter()
    func put(_ type: String, _ bytes: [UInt8]) { writer.box(type) { $0.bytes.append(contentsOf: bytes) } }
    let open = writer.openBox("trak")
    let outer = writer.openBox("edts")
    put("elst", edits)
    writer.closeBox(outer)
    let media = writer.openBox("mdia")
    put("mdhd", times)
    put("hdlr", handler)
    let inner = writer.openBox("minf")
    let table = writer.openBox("stbl")
    put("stsd", samples)
    for box in [table, inner, media, open] { writer.closeBox(box) }
    return (writer.bytes, samples)
  }

  private func saysTheSame() throws(StorageError) -> Bool {
    var heads: [UInt8] = []
    var samples: [[UInt8]] = []
    for track in waiting.reversed() {
      guard let head = try head(of: track) else { return false }
      heads += head.bytes
      samples.append(head.samples)
    }
    guard let last = MovieReading.description(movie: heads[...]), last.tracks.count <= first.tracks.count,
      movie.timescale == last.timescale
    else { return false }
    return zip(last.tracks, first.tracks).allSatisfy { Self.agree($0, $1) }
      && zip(last.tracks, samples).allSatisfy { Self.isOrdinary($1, of: $0) }
  }

  /// Whether what says how samples are coded is as it is written, but for the bit rates.
  private static func isOrdinary(_ samples: [UInt8], of track: Track) -> Bool {
    var said = samples
    var writer = ByteWriter()
    switch track {
    case .pictures(let pictures): SampleDescriptions.write(pictures, into: &writer)
    case .sound(let sound):
      SampleDescriptions.write(sound, bitrate: 0, into: &writer)
      let rates = SampleDescriptions.bitrates
      if sound.codec == .aac, said.count >= rates.upperBound {
        said.replaceSubrange(rates, with: repeatElement(0, count: rates.count))
      }
    }
    return writer.bytes.dropFirst(8).elementsEqual(said)
  }

  private static func agree(_ last: Track, _ first: Track) -> Bool {
    switch (last, first) {
    case (.pictures(let last), .pictures(let first)): return last.codec == first.codec
    case (.sound(let last), .sound(let first)):
      let isSame = last.codec == first.codec && last.pcm == first.pcm && last.configuration == first.configuration
      // It may be the first one that is damaged, which nobody reads any more.
      return isSame || isConsistent(last) && !isConsistent(first)
    default: return false
    }
  }

  /// Whether a decoder is told the rate that the track has.
  private static func isConsistent(_ sound: SoundTrack) -> Bool {
    guard sound.codec == .alac else {
      return sound.configuration.starts(with: MovieReading.lowComplexityConfiguration(sound.pcm))
    }
    return sound.configuration.suffix(4).elementsEqual(
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sound.pcm.sampleRate >> $0) })
  }

  private func open(_ track: BoxWalker.Box) throws(StorageError) -> MovieTableCheck? {
    guard let header = try walker.find(["mdia", "mdhd"], in: track),
      let (duration, _) = try FinishedMovie.times(file, header),
      let found = try FinishedMovie.tables(file, walker, track)
    else { return nil }
    let isTake = first.tracks.count == 1 && first.pictures == nil
    if isTake {
      // It is one stretch: what is shown of it is all of it.
      guard let shown = found.shown, found.firstShown + shown == duration, found.empty + shown == movie.length else {
        return nil
      }
    }
    return try MovieTableCheck(file, found, media: media, duration: isTake ? duration : nil)
  }
}
