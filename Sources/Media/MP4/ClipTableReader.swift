internal import Hardware

/// The tables of a clip's final `moov`, from bytes that nobody vouches for.
struct ClipTableReader {
  var description: FileDescription
  var pictures: [ClipReader.Sample] = []
  var sound: [ClipReader.Sample] = []
  var shown: [Range<Int>] = []
  var heard: [Range<Int>] = []

  private static let mostEdits = 10_000
  private static let longest = 1 << 50

  /// - Parameters:
  ///   - bytes: the content of `moov`.
  ///   - mostSamples: of all tracks.
  init?(_ bytes: ArraySlice<UInt8>, fileBytes: Int, mostSamples: Int) {
    guard let description = MovieReading.description(movie: bytes), description.pictures != nil,
      description.tracks.count <= 2, let header = ByteReader.find("mvhd", in: bytes)
    else {
      return nil
    }
    self.description = description
    var movie = ByteReader(header)
    guard let version = movie.big8(), movie.skip(version == 1 ? 19 : 11), let timescale = movie.big32(), timescale > 0
    else { return nil }
    var reader = ByteReader(bytes)
    while let box = reader.box() {
      guard box.type == "trak" else { continue }
      guard let kind = MovieReading.handler(box.content),
        let table = ByteReader.find(path: ["mdia", "minf", "stbl"], in: box.content),
        let samples = Self.samples(
          table, fileBytes: fileBytes, most: mostSamples - pictures.count - sound.count)
      else { return nil }
      let scale = kind == "vide" ? PictureTrack.timescale : description.sound?.pcm.sampleRate ?? 1
      let end = samples.last.map { $0.time + $0.duration } ?? 0
      guard let (empty, edits) = Self.edits(box.content, end: end, scale: scale, movie: Int(timescale)) else {
        return nil
      }
      if kind == "vide" {
        pictures = samples
        shown = edits
        if empty > 0 { delay(by: empty) }
      } else if kind == "soun" {
        sound = samples
        heard = edits
      }
    }
    guard !pictures.isEmpty else { return nil }
    self.description.skippedTicks = shown.first?.lowerBound ?? 0
  }

  /// Has the pictures begin later: of a hole at a clip's start nothing is shown.
  private mutating func delay(by empty: Int) {
    for index in pictures.indices { pictures[index].time += empty }
    shown = shown.enumerated().map { index, range in
      (index == 0 ? range.lowerBound : range.lowerBound + empty)..<(range.upperBound + empty)
    }
  }

  /// The media ranges of a track's edits, and for how long nothing is shown before.
  private static func edits(
    _ track: ArraySlice<UInt8>, end: Int, scale: Int, movie: Int
  ) -> (empty: Int, ranges: [Range<Int>])? {
    guard let content = ByteReader.find(path: ["edts", "elst"], in: track) else { return (0, [0..<end]) }
    var reader = ByteReader(content)
    guard let version = reader.big8(), reader.skip(3), let count = reader.big32().map(Int.init), count <= mostEdits
    else { return nil }
    var edits: [Range<Int>] = []
    var empty = 0
    var total: ClaimedNumber = 0
    for _ in 0..<count {
      guard let duration = version == 1 ? reader.big64() : reader.big32().map(UInt64.init),
        let start = version == 1
          ? reader.big64().map({ Int64(bitPattern: $0) }) : reader.big32().map({ Int64(Int32(bitPattern: $0)) }),
        reader.skip(4), let duration = ClaimedNumber(duration).within(0...1 << 40), start < 1 << 40
      else { return nil }
      let length = Int((Double(duration) * Double(scale) / Double(movie)).rounded())
      guard let time = ClaimedNumber(start).within(0...1 << 40) else {
        if edits.isEmpty, empty == 0 {
          empty = length
          total += ClaimedNumber(length)
        }
        continue
      }
      edits.append(time..<(time + length))
      total += ClaimedNumber(length)
    }
    // All of them together are a time that can be counted with.
    return total.within(0...longest) == nil ? nil : (empty, edits)
  }

  /// Each table in turn is put into the samples, so that nothing is held twice.
  private static func samples(_ table: ArraySlice<UInt8>, fileBytes: Int, most: Int) -> [ClipReader.Sample]? {
    guard var samples = sized(table, fileBytes: fileBytes, most: most),
      runs("stts", table, samples.count, { samples[$0].step = $1 }),
      ByteReader.find("ctts", in: table) == nil || runs("ctts", table, samples.count, { samples[$0].lead = $1 }),
      samples.allSatisfy({ $0.lead < 1 << 30 }), place(&samples, table, fileBytes: fileBytes)
    else { return nil }
    var time = 0
    for index in samples.indices {
      samples[index].time = time
      time += samples[index].duration
    }
    guard let content = ByteReader.find("stss", in: table) else { return samples }
    var reader = ByteReader(content)
    guard reader.skip(4), let count = reader.big32().map(Int.init), count <= samples.count else { return nil }
    for index in samples.indices { samples[index].isKeyframe = false }
    for _ in 0..<count {
      guard let number = ClaimedNumber(reader.big32()).within(1...1 << 32) else { return nil }
      if number <= samples.count { samples[number - 1].isKeyframe = true }
    }
    return samples
  }

  private static func sized(_ table: ArraySlice<UInt8>, fileBytes: Int, most: Int) -> [ClipReader.Sample]? {
    guard let content = ByteReader.find("stsz", in: table) else { return nil }
    var reader = ByteReader(content)
    guard reader.skip(4), reader.big32() == 0, let count = ClaimedNumber(reader.big32()).within(0...max(0, most)),
      reader.remaining >= 4 * count
    else { return nil }
    let samples = (0..<count).compactMap { _ in reader.big32().map { ClipReader.Sample(size: $0) } }
    // Samples do not share bytes: all of them fit the file.
    let sum = samples.reduce(ClaimedNumber(0)) { $0 + ClaimedNumber($1.bytes) }
    guard sum.within(0...fileBytes) != nil, samples.allSatisfy({ $0.bytes <= ClipReader.largestSample }) else {
      return nil
    }
    return samples
  }

  /// Hands over a value for each sample.
  ///
  /// - Returns: whether there are as many as samples.
  private static func runs(
    _ type: String, _ table: ArraySlice<UInt8>, _ total: Int, _ put: (_ index: Int, _ value: UInt32) -> Void
  ) -> Bool {
    guard let content = ByteReader.find(type, in: table) else { return false }
    var reader = ByteReader(content)
    guard reader.skip(4), let count = reader.big32().map(Int.init) else { return false }
    var done = 0
    for _ in 0..<count {
      guard let length = ClaimedNumber(reader.big32()).within(0...total - done), let value = reader.big32() else {
        return false
      }
      for index in done..<done + length { put(index, value) }
      done += length
    }
    return done == total
  }

  /// Says where each sample is.
  ///
  /// - Returns: whether all of them are in the file.
  private static func place(
    _ samples: inout [ClipReader.Sample], _ table: ArraySlice<UInt8>, fileBytes: Int
  ) -> Bool {
    guard let chunks = offsets(table, most: samples.count), let content = ByteReader.find("stsc", in: table) else {
      return false
    }
    var reader = ByteReader(content)
    guard reader.skip(4), let count = reader.big32().map(Int.init), count <= chunks.count else { return false }
    var runs: [(first: Int, samples: Int)] = []
    for _ in 0..<count {
      guard let first = reader.big32().map(Int.init), let samples = reader.big32().map(Int.init), reader.skip(4),
        first > runs.last?.first ?? 0, first <= chunks.count
      else { return false }
      runs.append((first, samples))
    }
    var (done, run) = (0, 0)
    for (index, offset) in chunks.enumerated() {
      while run + 1 < runs.count, runs[run + 1].first <= index + 1 { run += 1 }
      guard run < runs.count else { return false }
      var place = offset
      for _ in 0..<runs[run].samples {
        guard done < samples.count else { return false }
        let size = samples[done].bytes
        guard place >= 0, size <= fileBytes, place <= fileBytes - size else { return false }
        samples[done].offset = place
        place += size
        done += 1
      }
    }
    return done == samples.count
  }

  private static func offsets(_ table: ArraySlice<UInt8>, most: Int) -> [Int]? {
    let isWide = ByteReader.find("co64", in: table) != nil
    guard let content = ByteReader.find(isWide ? "co64" : "stco", in: table) else { return nil }
    var reader = ByteReader(content)
    guard reader.skip(4), let count = ClaimedNumber(reader.big32()).within(0...most) else { return nil }
    return (0..<count).compactMap { _ in
      isWide ? reader.big64().flatMap { Int(exactly: $0) } : reader.big32().map(Int.init)
    }
  }
}
