public import Hardware

/// Joins and trims clips without decoding anything: samples are copied, edit lists make the cuts exact.
///
/// Storage lane only. The work is done a second of media at a time, and never more than `mostSamples` or `mostBytes`, so
/// that a clip that is being made does not wait for long. A step that throws a stall is made again. The target is a new, empty
/// file; after another error it is of no use.
public final class ClipEditor {
  private struct Part {
    var reader: ClipReader
    var source: any StoredFile
    var selection: ClipSelection

    var pictures: ArraySlice<ClipReader.Sample> { reader.pictures[selection.pictures] }
    var sound: ArraySlice<ClipReader.Sample> { reader.sound[selection.sound] }
  }

  /// What has been copied; changes only when a step has done all of its work.
  private struct Progress {
    var ledger: SampleLedger
    var edits = ClipEdits()
    var end = MovieBoxes.movieOffset
    var part = 0
    /// Whether what is copied brings parameter sets beside those of the description.
    var saysSets = false
    /// Where the copy of the part stands: next picture, next piece of sound, seconds of it.
    var place: (picture: Int, sound: Int, second: Int)?
    /// Of the part.
    var leadIn = LeadIn.none
  }

  private var description: FileDescription
  private let target: any StoredFile
  private let parts: [Part]
  /// Some picture is not shown when it is decoded.
  private let isReordered: Bool
  private var progress: Progress
  private var closer: MovieCloser?
  private var hasHead = false
  public private(set) var isFinished = false

  private static let copyBytes = 1 << 20
  private static let mostOutOfOrder = 17
  /// NAL units in front of a picture's first slice: parameter sets, and what is said beside them.
  private static let mostUnits = 512
  /// Samples and bytes of one step: a stranger's second may hold a million of one, or all of a card of the other.
  static let mostSamples = 4096
  static let mostBytes = ClipReader.largestSample

  /// Puts clips one after the other. They must agree in codec, size, coding parameters and sound; where pictures come out of
  /// order, those behind the first must begin with an IDR picture.
  public init(
    joining sources: [any StoredFile], into target: any StoredFile, createdAt: WallTime, title: String
  ) throws(MediaError) {
    var parts: [Part] = []
    var left = ClipReader.mostSamples
    for source in sources {
      let reader = try ClipReader(source, mostSamples: left)
      left -= reader.pictures.count + reader.sound.count
      parts.append(Part(reader: reader, source: source, selection: ClipSelection(all: reader)))
    }
    guard let first = parts.first else {
      throw MediaError(.unsupported, subject: title, operation: "join clips", reason: "there is nothing to join")
    }
    for part in parts where !Self.agrees(part.reader.description, first.reader.description) {
      throw MediaError(
        .unsupported, subject: part.source.path, operation: "join clips",
        reason: "its size, codec or sound differs from that of \(first.source.path); join clips of one setting")
    }
    // In front of a picture that is no IDR a decoder still holds those of the part before, and orders both by one count.
    isReordered = parts.contains { $0.reader.pictures.contains { $0.delay > 0 } }
    for part in parts.dropFirst() where isReordered {
      guard try !Self.beginsAnew(part) else { continue }
      throw MediaError(
        .unsupported, subject: part.source.path, operation: "join clips",
        reason: "it begins in an open group of pictures, which would be mixed with those of the clip before it; "
          + "clips of a camera that sends IDR pictures can be joined")
    }
    self.parts = parts
    self.target = target
    description = first.reader.description
    description.createdAt = createdAt
    description.title = title
    progress = Progress(ledger: SampleLedger(description.tracks, scratch: nil))
  }

  /// Whether nothing of a part has to do with what a decoder has seen before: it begins with an IDR picture, or each stands
  /// alone.
  private static func beginsAnew(_ part: Part) throws(MediaError) -> Bool {
    guard part.reader.description.pictures?.codec == .h264,
      let first = part.reader.pictures[part.selection.pictures].first
    else { return true }
    var place = 0
    do throws(StorageError) {
      for _ in 0..<mostUnits where place + 5 <= first.bytes {
        let head = try part.source.bytes(at: first.offset + place, count: 5)
        guard head.count == 5 else { return false }
        let kind = head[4] & 31
        if kind == AnnexB.Kind.keyframeSlice { return true }
        if kind == AnnexB.Kind.slice || kind == 2 { return false }
        place += 4 + head[..<4].reduce(0) { $0 << 8 | Int($1) }
      }
    } catch {
      throw MediaError(.failed, subject: part.source.path, operation: "join clips", reason: "\(error)")
    }
    return false
  }

  /// How long the first of the sources is, seconds.
  public var sourceSeconds: Double { parts.first?.reader.duration ?? 0 }

  /// Copies a part of a clip: from the picture that is shown at the range's start on, to its end exactly.
  ///
  /// - Parameter range: seconds from the clip's start; what lies outside of the clip is left out.
  public init(
    trimming source: any StoredFile, to range: Range<Double>, into target: any StoredFile, createdAt: WallTime,
    title: String
  ) throws(MediaError) {
    let reader = try ClipReader(source)
    guard let selection = ClipSelection(reader, range) else {
      throw MediaError(
        .unsupported, subject: source.path, operation: "trim the clip",
        reason:
          "nothing of it lies behind \(range.lowerBound) s; it is \(reader.duration) s long"
      )
    }
    parts = [Part(reader: reader, source: source, selection: selection)]
    isReordered = false
    self.target = target
    description = reader.description
    description.createdAt = createdAt
    description.title = title
    progress = Progress(ledger: SampleLedger(description.tracks, scratch: nil))
  }

  /// What can be seen and heard of the new clip, when it is finished.
  public var facts: MediaFacts { closer?.facts ?? MediaFacts() }

  /// Does a second's worth of work, or as much of it as one step may.
  ///
  /// - Returns: true when the clip is whole and synced.
  public func step() throws(StorageError) -> Bool {
    guard !isFinished else { return true }
    if !hasHead {
      // `ftyp` and the reserve; what follows is the content of the `mdat`.
      try target.write(MovieBoxes(description).fileHead(), at: 0)
      hasHead = true
    }
    guard progress.part < parts.count else {
      isFinished = try finish()
      return isFinished
    }
    var next = progress
    try copy(parts[next.part], &next)
    progress = next
    return false
  }

  /// What a step has done and may still do.
  private struct Work {
    private var samples = 0
    private var bytes = 0

    /// Whether one more sample may be copied; counts it if it may.
    mutating func takes(_ size: Int) -> Bool {
      guard samples < ClipEditor.mostSamples, bytes == 0 || bytes + size <= ClipEditor.mostBytes else { return false }
      samples += 1
      bytes += size
      return true
    }
  }

  /// Ticks from a time to the first picture that is seen then, if they are a hole.
  private static func hole(at time: Int, _ pictures: ArraySlice<ClipReader.Sample>) -> Int {
    guard let place = pictures.firstIndex(where: { $0.seen >= time }) else { return 0 }
    let seen = pictures[place...].prefix(mostOutOfOrder).map(\.seen).filter { $0 >= time }.min() ?? time
    return seen - time > MovieCloser.leastHole ? seen - time : 0
  }

  /// Ticks of the hole in which a part begins, if its first picture is to stand there: libavformat knows of time in
  /// which nothing is shown at the beginning of a file only.
  private func standing(_ part: Part, _ next: Progress) -> Int {
    let pictures = part.pictures
    guard next.part > 0, let start = part.selection.shown.first?.range.lowerBound else { return 0 }
    let early = Self.hole(at: start, pictures)
    return pictures.first?.seen == start + early ? early : 0
  }

  /// Copies the next second of a part, pictures first.
  private func copy(_ part: Part, _ next: inout Progress) throws(StorageError) {
    let (reader, selection) = (part.reader, part.selection)
    let firstTime = part.pictures.first?.time ?? 0
    let firstFrame = part.sound.first?.time ?? 0
    var place = next.place ?? (selection.pictures.lowerBound, selection.sound.lowerBound, 1)
    let standing = self.standing(part, next)
    if next.place == nil {
      next.leadIn = leadIn(of: next.part)
      for (range, length) in selection.shown {
        // Before its first picture nothing is shown (`MovieCloser`).
        let early = Self.hole(at: range.lowerBound, part.pictures)
        let empty =
          standing > 0 ? 0 : min(length, early.scaled(by: description.timescale, over: PictureTrack.timescale))
        if empty > 0 { next.edits.pictures.append(MovieEdit(length: empty, start: -1)) }
        next.edits.pictures.append(
          MovieEdit(
            length: length - empty,
            start: next.ledger.totals[0].end + range.lowerBound + early - firstTime - next.leadIn.saved))
      }
      for (range, length) in selection.heard {
        next.edits.sound.append(
          MovieEdit(length: length, start: next.ledger.totals[1].end + range.lowerBound - firstFrame))
      }
    }
    var work = Work()
    var isUsedUp = false
    var pictures = SampleLedger.Chunk(track: 0, offset: next.end, time: next.ledger.totals[0].end)
    var time = pictures.time
    while place.picture < selection.pictures.upperBound,
      reader.pictures[place.picture].time - firstTime < place.second * PictureTrack.timescale
    {
      let sample = reader.pictures[place.picture]
      guard work.takes(sample.bytes) else {
        isUsedUp = true
        break
      }
      let number = place.picture - selection.pictures.lowerBound
      let sets = number == 0 ? try self.sets(before: part, &next) : []
      var lasts = sample.duration
      if place.picture + 1 == selection.pictures.upperBound { lasts = lasting(part, sample, at: time, next) }
      if number == 0 { lasts += standing }
      if sample.isKeyframe, !next.saysSets { next.saysSets = try saysSets(sample, of: part) }
      try copy(sample, of: part.source, to: &next.end)
      let duration = number < next.leadIn.count ? 1 : UInt32(clamping: max(1, lasts))
      time += Int(duration)
      pictures.samples.append(
        MovieSample(
          bytes: UInt32(clamping: sample.bytes + sets.count), duration: duration,
          delay: UInt32(clamping: sample.delay), isKeyframe: sample.isKeyframe))
      place.picture += 1
    }
    next.ledger.add(pictures)
    var sound = SampleLedger.Chunk(track: 1, offset: next.end)
    if description.sound != nil { sound.time = next.ledger.totals[1].end }
    let rate = description.sound?.pcm.sampleRate ?? 1
    while !isUsedUp, place.sound < selection.sound.upperBound,
      reader.sound[place.sound].time - firstFrame < place.second * rate
    {
      let sample = reader.sound[place.sound]
      guard work.takes(sample.bytes) else {
        isUsedUp = true
        break
      }
      try copy(sample, of: part.source, to: &next.end)
      sound.samples.append(
        MovieSample(
          bytes: UInt32(clamping: sample.bytes), duration: UInt32(SoundCodec.aac.packetFrames), isKeyframe: true))
      place.sound += 1
    }
    next.ledger.add(sound)
    guard !isUsedUp else {
      next.place = place
      return
    }
    place.second += 1
    // Hours in which nothing is take no more steps than a second.
    var ahead = [Int]()
    if place.picture < selection.pictures.upperBound {
      ahead.append((reader.pictures[place.picture].time - firstTime) / PictureTrack.timescale + 1)
    }
    if place.sound < selection.sound.upperBound {
      ahead.append((reader.sound[place.sound].time - firstFrame) / max(1, rate) + 1)
    }
    place.second = max(place.second, ahead.min() ?? 0)
    let isOver = place.picture >= selection.pictures.upperBound && place.sound >= selection.sound.upperBound
    next.place = isOver ? nil : place
    if isOver { next.part += 1 }
  }

  /// Of a part's last picture: until after all of the part are seen. Those behind its end must not be seen in the time of
  /// the part that follows, which begins in step with its sound for players that do without the edit list, too.
  private func lasting(_ part: Part, _ sample: ClipReader.Sample, at time: Int, _ next: Progress) -> Int {
    let seen = part.pictures.suffix(Self.mostOutOfOrder).map(\.seen).max() ?? 0
    let least = max(sample.duration, seen + sample.duration - sample.time)
    return max(least, end(of: next.part).map { $0 - time } ?? 0)
  }

  /// The first part's begins where its picture and its sound both do: libavformat applies such edits everywhere. It also
  /// takes the times of pictures that come out of order for wrong where their times of decoding are not what they were.
  private func leadIn(of index: Int) -> LeadIn {
    guard index > 0, !isReordered, let start = parts[index].selection.shown.first?.range.lowerBound else {
      return .none
    }
    return LeadIn(parts[index].pictures, before: start) ?? .none
  }

  /// From a part's beginning in the file to what is shown of it, ticks, and to what is heard of it, frames.
  private func lead(of index: Int) -> (shown: Int, heard: Int)? {
    let part = parts[index]
    guard let shown = part.selection.shown.first?.range.lowerBound, let picture = part.pictures.first,
      let heard = part.selection.heard.first?.range.lowerBound, let sound = part.sound.first
    else { return nil }
    return (max(0, shown - picture.time - leadIn(of: index).saved), max(0, heard - sound.time))
  }

  /// Media time at which a part's pictures end if the next one's are to be as far from its sound as the first one's;
  /// `nil` where there is no such part.
  private func end(of index: Int) -> Int? {
    guard index + 1 < parts.count, !isReordered, let rate = description.sound?.pcm.sampleRate, let first = lead(of: 0),
      let following = lead(of: index + 1)
    else { return nil }
    let frames = parts[...index].reduce(0) { $0 + $1.sound.count * SoundCodec.aac.packetFrames }
    return (frames + following.heard - first.heard).scaled(by: PictureTrack.timescale, over: rate) + first.shown
      - following.shown
  }

  /// Whether a picture brings parameter sets of its own, as behind a change of them.
  private func saysSets(_ sample: ClipReader.Sample, of part: Part) throws(StorageError) -> Bool {
    guard part.reader.description.pictures?.codec == .h264 else { return false }
    let head = try part.source.bytes(at: sample.offset + 4, count: 1)
    return head.first.map { AnnexB.isParameterSet($0 & 31) } ?? false
  }

  /// Writes the sets that a part begins with, if the one before it has changed them.
  ///
  /// - Returns: what was written.
  private func sets(before part: Part, _ next: inout Progress) throws(StorageError) -> [UInt8] {
    guard next.part > 0, next.saysSets, let pictures = part.reader.description.pictures,
      let first = part.reader.pictures[part.selection.pictures].first, try !saysSets(first, of: part)
    else { return [] }
    var sets: [UInt8] = []
    for unit in AnnexB.units(ofConfiguration: pictures.configuration) {
      for shift in [24, 16, 8, 0] { sets.append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
      sets += unit
    }
    try target.write(sets, at: next.end)
    next.end += sets.count
    return sets
  }

  private func copy(
    _ sample: ClipReader.Sample, of source: any StoredFile, to end: inout Int
  ) throws(StorageError) {
    var done = 0
    while done < sample.bytes {
      let bytes = try source.bytes(at: sample.offset + done, count: min(Self.copyBytes, sample.bytes - done))
      guard !bytes.isEmpty else { throw StorageError(.failed, operation: "read a sample", path: source.path) }
      try target.write(bytes, at: end)
      done += bytes.count
      end += bytes.count
    }
  }

  /// Writes the next piece of the tables.
  ///
  /// - Returns: true when the clip is whole and synced.
  private func finish() throws(StorageError) -> Bool {
    var closer = closer ?? self.closing
    let isOver = try closer.step()
    self.closer = closer
    return isOver
  }

  private var closing: MovieCloser {
    var description = description
    let edits = progress.edits
    if edits.sound.isEmpty { description.tracks.removeAll { if case .sound = $0 { true } else { false } } }
    return MovieCloser(
      target, description, FileSummary(), ledger: progress.ledger, end: progress.end, ends: [],
      edits: edits.sound.isEmpty ? [edits.pictures] : [edits.pictures, edits.sound], looksInside: true)
  }

  private static func agrees(_ left: FileDescription, _ right: FileDescription) -> Bool {
    left.pictures == right.pictures && left.sound?.pcm.sampleRate == right.sound?.pcm.sampleRate
      && left.sound?.pcm.channels == right.sound?.pcm.channels
      && left.sound?.configuration == right.sound?.configuration
  }
}

/// The edits of a clip that is not shown in one piece.
struct ClipEdits: Hashable {
  var pictures: [MovieEdit] = []
  var sound: [MovieEdit] = []
}
