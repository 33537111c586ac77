internal import Hardware

/// Whether the sample tables of a track agree with one another and with the places that they name.
struct MovieTableCheck {
  /// The words of a table, in order.
  private struct Words {
    private var place: Int
    private let end: Int
    private var block = ByteReader([])

    private static let blockBytes = 16 << 10

    init(place: Int, end: Int) { (self.place, self.end) = (place, end) }

    mutating func next(_ file: any StoredFile) throws(StorageError) -> ClaimedNumber {
      if block.remaining < 4 {
        let bytes = try file.bytes(at: place, count: min(Self.blockBytes, end - place))
        place += bytes.count
        block = ByteReader(bytes)
      }
      return ClaimedNumber(block.big32())
    }
  }

  private let file: any StoredFile
  private let media: Range<Int>
  /// Of a take: media time that its samples must make up.
  private let duration: Int?
  private let samples: Int
  private let chunks: Int
  private let isWide: Bool
  private var times: Words
  private var runs: Words
  private var sizes: Words
  private var places: Words

  // What is left, and what has been gone through.
  private var timesLeft: Int
  private var runsLeft: Int
  private var timed = ClaimedNumber(0)
  private var time = ClaimedNumber(0)
  private var sized = 0
  /// The next chunk, the one with which the next run begins, and samples in each of this run.
  private var chunk = 0
  private var nextRun = 0
  private var samplesInChunk = 0
  /// Of the chunk before it: samples that are to come, its beginning, and where what was seen of it ends.
  private var left = 0
  private var start: Int
  private var offset: Int

  /// Entries that a step looks at.
  private static let perStep = 8192

  /// - Parameters:
  ///   - found: tables that are as long as their counts say.
  ///   - media: where samples can be.
  ///   - duration: of a take, units that it lasts.
  init?(
    _ file: any StoredFile, _ found: FinishedMovie.TrackTables, media: Range<Int>, duration: Int?
  ) throws(StorageError) {
    let walker = BoxWalker(file)
    let wide = try walker.find(["co64"], in: found.tables)
    let narrow = try walker.find(["stco"], in: found.tables)
    guard let places = wide ?? narrow, let times = try walker.find(["stts"], in: found.tables),
      let runs = try walker.find(["stsc"], in: found.tables), let sizes = try walker.find(["stsz"], in: found.tables)
    else { return nil }
    self.file = file
    self.media = media
    self.duration = duration
    samples = found.samples
    isWide = wide != nil
    chunks = (places.end - places.content - 8) / (wide != nil ? 8 : 4)
    timesLeft = (times.end - times.content - 8) / 8
    runsLeft = (runs.end - runs.content - 8) / 12
    self.times = Words(place: times.content + 8, end: times.end)
    self.runs = Words(place: runs.content + 8, end: runs.end)
    self.sizes = Words(place: sizes.content + 12, end: sizes.end)
    self.places = Words(place: places.content + 8, end: places.end)
    (start, offset) = (media.lowerBound, media.lowerBound)
  }

  /// Looks at the next entries.
  ///
  /// - Returns: whether that was all; `nil` if they cannot be right.
  mutating func step() throws(StorageError) -> Bool? {
    for _ in 0..<Self.perStep {
      guard let isDone = try look() else { return nil }
      if isDone { return true }
    }
    return false
  }

  private mutating func look() throws(StorageError) -> Bool? {
    if timesLeft > 0 {
      timesLeft -= 1
      let count = try times.next(file)
      let each = try times.next(file)
      timed += count
      time += count * each
      return false
    }
    if left > 0 {
      guard let size = try sizes.next(file).within(0...media.upperBound - offset) else { return nil }
      offset += size
      sized += 1
      left -= 1
      return false
    }
    if chunk < chunks { return try enterChunk() ? false : nil }
    guard sized == samples, runsLeft == 0, timed.within(samples...samples) != nil else { return nil }
    guard let duration, samples > 0 else { return true }
    return time.within(duration...duration) != nil ? true : nil
  }

  private mutating func enterChunk() throws(StorageError) -> Bool {
    if chunk == 0 { try readRun() }
    if chunk == nextRun {
      runsLeft -= 1
      guard let count = try runs.next(file).within(1...max(1, samples)), try runs.next(file).within(1...1) != nil
      else { return false }
      samplesInChunk = count
      try readRun()
      guard nextRun > chunk else { return false }
    }
    var place = try places.next(file)
    if isWide {
      let low = try places.next(file)
      place = place * ClaimedNumber(1 << 32) + low
    }
    // Behind the chunk before it.
    guard let next = place.within(offset...media.upperBound),
      (1...max(1, samples - sized)).contains(samplesInChunk), try isFilled(before: next)
    else { return false }
    (start, offset) = (next, next)
    left = samplesInChunk
    chunk += 1
    return true
  }

  /// Reads at which chunk the next run begins.
  private mutating func readRun() throws(StorageError) {
    nextRun = .max
    guard runsLeft > 0 else { return }
    nextRun = (try runs.next(file).within(1...chunks) ?? 0) - 1
  }

  /// Whether a chunk begins at `next` behind the head of its fragment's bytes, and the one before it goes on to the end of
  /// its own. That is looked up only where more or less lies between the two than the head of a fragment.
  private func isFilled(before next: Int) throws(StorageError) -> Bool {
    let head = MovieFragment.headBytes(ofSounds: samplesInChunk)
    guard duration != nil, next - offset != MovieFragment.padding(at: offset, headBytes: head) + head + 8
    else { return true }
    // Or behind sound that a power cut has left as zeros: more of them than a packet of ALAC begins with.
    let front = try file.bytes(at: next - 8, count: 8)
    guard front.suffix(4).elementsEqual("mdat".utf8) || front.allSatisfy({ $0 == 0 }) else { return false }
    guard chunk > 0 else { return true }
    var box = ByteReader(try file.bytes(at: start - 8, count: 8))
    // It may be what a power cut has left of a fragment.
    guard let size = box.big32(), box.fourCC() == "mdat" else { return true }
    guard (ClaimedNumber(start - 8) + ClaimedNumber(size)).within(offset...offset) == nil else { return true }
    return try file.bytes(at: offset, count: 4) == [0, 0, 0, 0]
  }
}
