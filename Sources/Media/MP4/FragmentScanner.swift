internal import Hardware

/// Finds the fragments that `MovieWriter` wrote, in a file of which any byte may be wrong.
///
/// Only the exact shape that the writer gives a `moof` is taken, so chance hardly ever looks like one. Behind damage it
/// goes on with the next whole fragment. Each step is bounded; one that throws can be made again.
struct FragmentScanner {
  struct Found {
    var headOffset = 0
    /// Where the samples of the first run lie; those of the others follow them.
    var dataOffset = 0
    /// Samples that are wholly in the file, at the times at which they are.
    var fragment = MovieFragment()
    /// Bytes of a torn `mdat` behind the last whole sample.
    var tornBytes = 0
    /// Of its `mfhd`.
    var number: UInt32 = 0
    /// Something is lost between the one before and it.
    var isBehindDamage = false
    /// When each of its runs says that it begins.
    var claims: [UInt64] = []
    /// What times of sound say and what the sound before them makes them, bit for bit: 0 where it goes on exactly.
    var lateness: UInt64 = 0

    /// Where the last whole sample ends.
    var end: Int { dataOffset + fragment.payloadBytes }
  }

  enum Step {
    case found(Found)
    /// There is more to look at.
    case more
    /// No other fragment is there before the end of the file or the final `moov`.
    case end
  }

  private let file: any StoredFile
  private let forms: [MovieFragment.Form]
  private let tracks: [Track]
  /// What the recording's fragments are counted from, about; `nil` where its head is lost.
  private let mark: UInt32?
  /// Ticks of pictures before sound begins.
  private let skippedTicks: Int
  private let limit: Int
  private var position: Int
  /// Where the search for the next fragment goes on, behind damage at `position`.
  private var search: Int?
  /// Media time at which each track's last sample ends.
  private var times: [Int]
  /// Bytes passed over since the last fragment.
  private var gap = 0
  /// Number of the last fragment as it says, and as those before it make it: `nil` until two agree.
  private var told: UInt32?
  private var counted: UInt32?
  /// The last fragment that was found: the next one tells how long its pictures are.
  private var held: Found?
  /// Bytes passed over in all.
  private(set) var skippedBytes = 0
  /// Fragments that were found, and whole ones by their form that were passed over: in all, and those whose numbers go on
  /// from what was found. Another recording's are none of them, as far as numbers tell.
  private(set) var counts = (taken: 0, passed: 0, own: 0)

  /// Beyond any real recording: keeps sums of damaged times from overflowing.
  private static let latest = 1 << 50
  private static let window = 64 << 10
  /// What may stand behind padding.
  private static let neighbours = ["moof", "moov", "mdat", "free"].map { Array($0.utf8) }
  private static let candidatesPerStep = 64
  /// Ticks: a camera of which sound is farther ahead may be away. Less than what `MovieWriter` waits for a picture.
  private static let leastAbsence = 2 * PictureTrack.timescale
  /// Where most heads end: one read does for them.
  private static let shortHead = 512 + 8

  /// - Parameters:
  ///   - mark: see `MovieFragment.mark`; `nil` takes fragments of any recording.
  ///   - skippedTicks: see `FileDescription`.
  init(
    _ file: any StoredFile, tracks: [Track], mark: UInt32? = nil, skippedTicks: Int = 0, from start: Int, end: Int
  ) {
    self.skippedTicks = skippedTicks
    self.file = file
    forms = MovieFragment.forms(of: tracks)
    self.tracks = tracks
    self.mark = mark
    times = tracks.map { _ in 0 }
    limit = min(end, file.size)
    position = start
  }

  /// Looks at one box, or at one window of a search.
  mutating func step() throws(StorageError) -> Step {
    let step = try look()
    guard case .end = step, var last = held else { return step }
    held = nil
    if hasPictures(last), let sound = tracks.firstIndex(where: { $0.sampleDuration != nil }), times[sound] > 0 {
      let heard = times[sound].scaled(by: PictureTrack.timescale, over: tracks[sound].timescale)
      PictureLengths.end(&last.fragment.runs[0], at: heard)
    }
    return .found(last)
  }

  /// Pictures are the first track.
  private func hasPictures(_ found: Found) -> Bool {
    forms.first?.isPictures == true && found.fragment.runs.first?.track == 0
  }

  private mutating func look() throws(StorageError) -> Step {
    if let from = search { return try search(from: from) }
    guard position + 8 <= limit else { return stop() }
    let head = try file.bytes(at: position, count: Self.shortHead)
    var header = ByteReader(head)
    guard let size = ClaimedNumber(header.big32()).within(0...1 << 32), let type = header.fourCC() else {
      return stop()
    }
    if type == "free", (8...MovieFragment.pageBytes).contains(size), position + size <= limit,
      try isBox(at: position + size, head)
    {
      position += size
      return .more
    }
    if type == "moof" {
      if let found = try parse(at: position, head) { return take(found) }
      try pass(head, at: position)
    }
    if type == "moov", size >= 8, position + size >= limit { return .end }
    search = position + 1
    return .more
  }

  /// Whether what follows padding is what may: a wrong bit in its size must not lead past a fragment.
  private func isBox(at place: Int, _ head: [UInt8]) throws(StorageError) -> Bool {
    guard place + 8 <= limit else { return true }
    let start = place - position + 4
    let type = start + 4 <= head.count ? Array(head[start..<start + 4]) : try file.bytes(at: place + 4, count: 4)
    return Self.neighbours.contains(type)
  }

  private mutating func stop() -> Step {
    skippedBytes += max(0, limit - position)
    position = limit
    search = nil
    return .end
  }

  /// Passes over what begins at `offset` as a fragment does.
  private mutating func pass(_ head: [UInt8], at offset: Int) throws(StorageError) {
    var reader = ByteReader(head)
    guard let size = ClaimedNumber(reader.big32()).within(MovieFragment.emptyBytes...MovieFragment.pageBytes),
      reader.skip(8), reader.fourCC() == "mfhd", reader.skip(4), let number = reader.big32(), bearsMark(number)
    else { return }
    var data = ByteReader(try file.bytes(at: offset + size, count: 8))
    guard ClaimedNumber(data.big32()).within(8...max(8, limit - offset - size)) != nil, data.fourCC() == "mdat" else {
      return
    }
    counts.passed += 1
    if let told, number >= MovieFragment.firstMark, (1...UInt32(clamping: 4 * counts.passed)).contains(number &- told) {
      counts.own += 1
    }
  }

  /// - Returns: the fragment before it.
  private mutating func take(_ found: Found) -> Step {
    var found = found
    found.isBehindDamage = search != nil
    if var last = held, hasPictures(last), hasPictures(found),
      let time = ClaimedNumber(found.claims.first).within(0...Self.latest)
    {
      // The first ones come late where those before a hole that it begins in were left out: two fragments have to say so.
      let begin = time - last.fragment.runs[0].duration
      if last.fragment.runs[0].time == 0, begin > 0, last.claims.first == UInt64(begin) {
        (last.fragment.runs[0].time, found.fragment.runs[0].time) = (begin, time)
      }
      PictureLengths.mend(
        &last.fragment.runs[0], before: &found.fragment.runs[0], at: time, isBehindDamage: found.isBehindDamage)
      held = last
    }
    counts.taken += 1
    count(found.number)
    position = found.end + found.tornBytes
    search = nil
    skippedBytes += found.tornBytes
    gap = 0
    for run in found.fragment.runs { times[run.track] = run.time + run.duration }
    let last = held
    held = found
    return last.map { Step.found($0) } ?? .more
  }

  private mutating func count(_ number: UInt32) {
    if isNext(number) || search != nil && told != nil && told == counted {
      counted = number
    } else {
      counted = search == nil ? counted.map { $0 &+ 1 } : nil
    }
    told = number
  }

  private func isNext(_ number: UInt32) -> Bool { [told, counted].contains { $0.map { $0 &+ 1 } == number } }

  /// Looks for a fragment that begins in one window from `start` on.
  private mutating func search(from start: Int) throws(StorageError) -> Step {
    guard start + MovieFragment.emptyBytes <= limit else { return stop() }
    let bytes = try file.bytes(at: start, count: Self.window)
    guard bytes.count > MovieFragment.emptyBytes else { return stop() }
    let mark = Array("moof".utf8)
    var next = start + bytes.count - MovieFragment.emptyBytes + 1
    var candidates: [Int] = []
    bytes.withUnsafeBufferPointer { window in
      for index in 4..<(window.count - MovieFragment.emptyBytes + 5)
      where window[index] == mark[0] && window[index + 1] == mark[1] && window[index + 2] == mark[2]
        && window[index + 3] == mark[3]
      {
        // The `mfhd` that follows is 16 bytes, as the head of a fragment of ours has it.
        guard window[index + 7] == 16, window[index - 4] == 0 else { continue }
        candidates.append(index - 4)
        if candidates.count == Self.candidatesPerStep {
          next = start + index
          break
        }
      }
    }
    for candidate in candidates {
      var trial = self
      trial.gap = start + candidate - position
      let head = try file.bytes(at: start + candidate, count: Self.shortHead)
      guard let found = try trial.parse(at: start + candidate, head) else {
        try pass(head, at: start + candidate)
        continue
      }
      skippedBytes += found.headOffset - position
      return take(found)
    }
    search = next
    return .more
  }

  /// The fragment whose `moof` begins at `offset`, if every byte of its head is as it must be.
  ///
  /// - Parameter head: bytes from there on, at least those of a short head.
  private func parse(at offset: Int, _ head: [UInt8]) throws(StorageError) -> Found? {
    var reader = ByteReader(head)
    let shortest = MovieFragment.emptyBytes + MovieFragment.emptyRunBytes
    guard let size = ClaimedNumber(reader.big32()).within(shortest...MovieFragment.pageBytes) else { return nil }
    if size + 8 > head.count {
      reader = ByteReader(try file.bytes(at: offset, count: size + 8))
      guard reader.remaining == size + 8, reader.skip(4) else { return nil }
    }
    guard reader.fourCC() == "moof", reader.big32() == 16, reader.fourCC() == "mfhd", reader.big32() == 0,
      let number = reader.big32()
    else { return nil }
    var found = Found(headOffset: offset, dataOffset: offset + size + 8, number: number)
    var place = size + 8
    while reader.position < size {
      guard let run = run(&reader, place: place, found: &found),
        run.track > found.fragment.runs.last?.track ?? -1
      else { return nil }
      place += run.bytes
      found.fragment.runs.append(run)
    }
    guard reader.position == size, reader.big32() == UInt32(clamping: place - size), reader.fourCC() == "mdat",
      belongs(found, headBytes: size)
    else { return nil }
    cutTornSamples(&found)
    return found.fragment.runs.isEmpty ? nil : found
  }

  /// Whether a fragment goes on from the last one: blocks of the card that were never written may hold fragments of another
  /// recording, whose numbers are others. A wrong byte in a number costs nothing.
  private func belongs(_ found: Found, headBytes: Int) -> Bool {
    guard let told else { return gap == 0 || bearsMark(found.number) }
    let isCertain = told == counted
    guard gap == 0 else {
      // Fragments that are lost between the two had some bytes each; none is lost where there is padding only.
      let most = UInt32(clamping: min(gap / MovieFragment.leastBytes, 1 << 30))
      return [told, counted ?? told].contains { last in
        let ahead = found.number &- last
        guard ahead == 1, last < MovieFragment.firstMark else { return ahead > 0 && ahead <= most + 1 }
        return gap == MovieFragment.padding(at: position, headBytes: headBytes)
      } || !isCertain && !bearsMark(told) && bearsMark(found.number)
    }
    if isNext(found.number) {
      // Older programs counted the fragments of all recordings from 1: their times tell them apart.
      return told >= MovieFragment.firstMark || found.lateness.nonzeroBitCount <= 1
    }
    guard found.lateness == 0 else { return false }
    let wrong = found.number ^ (told &+ 1)
    if wrong.leadingZeroBitCount / 8 + wrong.trailingZeroBitCount / 8 >= 3 { return true }
    // What was told last may have been wrong itself.
    return !isCertain && !bearsMark(told)
  }

  private func bearsMark(_ number: UInt32) -> Bool {
    guard let mark else { return true }
    return number &- mark < MovieFragment.mostFragments || number < MovieFragment.firstMark
  }

  /// One `traf`.
  ///
  /// - Parameters:
  ///   - place: of its samples, from the start of the `moof`.
  ///   - found: takes what is said of its time.
  private func run(_ reader: inout ByteReader, place: Int, found: inout Found) -> MovieFragment.Run? {
    guard let bytes = ClaimedNumber(reader.big32()).within(MovieFragment.emptyRunBytes...1 << 32),
      reader.fourCC() == "traf",
      reader.big32() == 16, reader.fourCC() == "tfhd", reader.big32() == 0x020000,
      let number = reader.big32(), let track = ClaimedNumber(number).within(1...forms.count).map({ $0 - 1 }),
      reader.big32() == 20, reader.fourCC() == "tfdt", reader.big32() == 0x0100_0000, let time = reader.big64(),
      reader.big32() == UInt32(clamping: bytes - 44), reader.fourCC() == "trun", let flags = reader.big32(),
      let form = [forms[track], forms[track].withDelays].first(where: { $0.flags == flags }),
      let count = ClaimedNumber(reader.big32()).within(1...form.mostSamples),
      bytes == MovieFragment.emptyRunBytes + form.sampleBytes * count, reader.big32() == UInt32(clamping: place)
    else { return nil }
    var run = MovieFragment.Run(track: track, time: self.time(time, of: track), samples: [])
    run.samples.reserveCapacity(count)
    for _ in 0..<count {
      guard let sample = sample(&reader, form, tracks[track].sampleDuration) else { return nil }
      run.samples.append(sample)
    }
    // A camera may have been away.
    if !form.isPictures { found.lateness |= time ^ UInt64(times[track]) }
    found.claims.append(time)
    return run.time + run.duration <= Self.latest ? run : nil
  }

  private func sample(
    _ reader: inout ByteReader, _ form: MovieFragment.Form, _ common: Int?
  ) -> MovieSample? {
    let hasAll = form.isPictures
    guard let duration = common.map({ UInt32($0) }) ?? reader.big32(), duration > 0,
      let bytes = reader.big32(), (1...form.largestSample).contains(Int(bytes)),
      let flags = hasAll ? reader.big32() : MovieFragment.keyframeFlags,
      flags == MovieFragment.keyframeFlags || flags == MovieFragment.otherFlags,
      let delay = form.hasDelays ? reader.big32() : 0, delay < 1 << 30
    else { return nil }
    return MovieSample(
      bytes: bytes, duration: duration, delay: delay, isKeyframe: flags == MovieFragment.keyframeFlags)
  }

  /// The time of a track's run. What a fragment claims counts only where bytes before it are lost, and only as much time
  /// as they can have held: one wrong bit in a time must not cost what follows, nor put hours into a recording.
  private func time(_ claimed: UInt64, of track: Int) -> Int {
    let expected = times[track]
    guard gap > 0 else { return returned(claimed, of: track) ?? expected }
    // A byte of sound holds no more than a whole access unit; a camera may be away for long, but not for a day.
    let longest =
      tracks[track].sampleDuration.map { ClaimedNumber(gap) * ClaimedNumber($0) }
      ?? ClaimedNumber(86_400 * tracks[track].timescale)
    return (ClaimedNumber(claimed) - ClaimedNumber(expected)).within(0...longest.clamped(to: 0...Self.latest))
      .map { expected + $0 } ?? expected
  }

  /// The time of pictures behind an absence of the camera, of which only they tell how long it was; sound has gone on.
  private func returned(_ claimed: UInt64, of track: Int) -> Int? {
    guard tracks[track].sampleDuration == nil, let sound = tracks.firstIndex(where: { $0.sampleDuration != nil })
    else { return nil }
    let heard = times[sound].scaled(by: PictureTrack.timescale, over: tracks[sound].timescale) + skippedTicks
    guard heard - times[track] > Self.leastAbsence else { return nil }
    return ClaimedNumber(claimed).within(times[track]...heard + PictureTrack.timescale)
  }

  /// Leaves out what lies behind the end of the file.
  private func cutTornSamples(_ found: inout Found) {
    guard found.end > limit else { return }
    var end = found.end
    while end > limit, let last = found.fragment.runs.indices.last {
      end -= Int(found.fragment.runs[last].samples.removeLast().bytes)
      if found.fragment.runs[last].samples.isEmpty { found.fragment.runs.removeLast() }
    }
    found.tornBytes = max(0, limit - end)
  }
}
