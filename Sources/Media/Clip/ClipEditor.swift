public import Hardware

/// Joins and trims clips without decoding anything: samples are copied, edit lists make the cuts exact.
///
/// Storage lane only; calls block for as long as the copy takes. The target is a new, empty file; after an error it is of
/// no use.
public enum ClipEditor {
  private static let copyBytes = 1 << 20

  /// Puts clips one after the other. They must agree in codec, size, coding parameters and sound.
  ///
  /// - Returns: length of the new clip in seconds.
  @discardableResult
  public static func concatenate(
    _ sources: [any StoredFile], into target: any StoredFile, createdAt: WallTime, title: String
  ) throws(MediaError) -> Double {
    var readers: [ClipReader] = []
    for source in sources { readers.append(try ClipReader(source)) }
    guard let first = readers.first else {
      throw MediaError(.unsupported, subject: title, operation: "join clips", reason: "there is nothing to join")
    }
    for (index, reader) in readers.enumerated() where !agrees(reader.description, first.description) {
      throw MediaError(
        .unsupported, subject: sources[index].path, operation: "join clips",
        reason:
          "its size, codec or sound differs from that of \(sources[0].path); only clips of one setting can be joined")
    }
    var joined = try Assembly(first.description, target, createdAt: createdAt, title: title)
    for (reader, source) in zip(readers, sources) {
      try joined.add(reader, source, Selection(reader, everything: true))
    }
    return try joined.finish()
  }

  /// Copies a part of a clip: from the picture that is shown at the range's start on, to its end exactly.
  ///
  /// - Parameter range: seconds from the clip's start; what lies outside of the clip is left out.
  /// - Returns: length of the new clip in seconds.
  @discardableResult
  public static func trim(
    _ source: any StoredFile, to range: Range<Double>, into target: any StoredFile, createdAt: WallTime, title: String
  ) throws(MediaError) -> Double {
    let reader = try ClipReader(source)
    guard let selection = Selection(reader, range) else {
      throw MediaError(
        .unsupported, subject: source.path, operation: "trim the clip",
        reason:
          "nothing of it lies between \(range.lowerBound) and \(range.upperBound) s; it is \(reader.duration) s long")
    }
    var part = try Assembly(reader.description, target, createdAt: createdAt, title: title)
    try part.add(reader, source, selection)
    return try part.finish()
  }

  private static func agrees(_ left: ClipFileDescription, _ right: ClipFileDescription) -> Bool {
    left.pictures == right.pictures && left.sound?.pcm.sampleRate == right.sound?.pcm.sampleRate
      && left.sound?.pcm.channels == right.sound?.pcm.channels
      && left.sound?.configuration == right.sound?.configuration
  }

  /// Copies bytes from one file to another.
  fileprivate static func copy(
    _ source: any StoredFile, _ place: Range<Int>, to target: any StoredFile, at offset: Int
  ) throws(StorageError) {
    var done = place.lowerBound
    while done < place.upperBound {
      let bytes = try source.bytes(at: done, count: min(copyBytes, place.upperBound - done))
      guard !bytes.isEmpty else {
        throw StorageError(.failed, operation: "read a sample", path: source.path)
      }
      try target.write(bytes, at: offset + done - place.lowerBound)
      done += bytes.count
    }
  }
}

/// What of a clip is taken: samples, and the ranges of their times that are to be seen and heard.
private struct Selection {
  var pictures: Range<Int>
  var sound: Range<Int>
  /// Ranges of media time, and how long each is in units of the movie.
  var shown: [(range: Range<Int>, length: Int)] = []
  var heard: [(range: Range<Int>, length: Int)] = []

  init(_ reader: ClipReader, everything: Bool) {
    pictures = reader.pictures.indices
    sound = reader.sound.indices
    heard = reader.heard.map { ($0, $0.count) }
    shown =
      reader.shown.count == reader.heard.count
      ? zip(reader.shown, reader.heard).map { ($0, $1.count) }
      : reader.shown.map { ($0, Self.movie($0.count, reader)) }
  }

  init?(_ reader: ClipReader, _ seconds: Range<Double>) {
    let scale = Double(PictureTrack.timescale)
    let length = reader.duration
    var start = max(0, min(seconds.lowerBound, length))
    let end = max(0, min(seconds.upperBound, length))
    guard start < end else { return nil }
    // The picture that is to be seen at the start decides where it is.
    if let first = Self.cut(reader.shown, Int((start * scale).rounded())..<Int((end * scale).rounded())).first,
      let picture = reader.pictures.last(where: { $0.time <= first.lowerBound })
    {
      let edit = reader.shown.first { $0.contains(first.lowerBound) }?.lowerBound ?? 0
      start -= Double(first.lowerBound - max(edit, picture.time)) / scale
    }
    let ticks = Int((start * scale).rounded())..<Int((end * scale).rounded())
    let ranges = Self.cut(reader.shown, ticks)
    guard let first = ranges.first, let last = ranges.last,
      let begin = reader.pictures.lastIndex(where: { $0.time <= first.lowerBound && $0.isKeyframe }),
      let stop = reader.pictures.lastIndex(where: { $0.time < last.upperBound })
    else { return nil }
    pictures = begin..<(stop + 1)
    sound = 0..<0
    let rate = Double(reader.description.movieTimescale)
    heard = Self.cut(reader.heard, Int((start * rate).rounded())..<Int((end * rate).rounded())).map { ($0, $0.count) }
    shown =
      heard.count == ranges.count
      ? zip(ranges, heard).map { ($0, $1.length) } : ranges.map { ($0, Self.movie($0.count, reader)) }
    guard let from = heard.first?.range.lowerBound, let to = heard.last?.range.upperBound else { return }
    // A piece of sound is only right after the one before it was decoded.
    let one = (reader.sound.firstIndex { $0.time + $0.duration > from } ?? 0) - 1
    let after = reader.sound.firstIndex { $0.time >= to } ?? reader.sound.count
    sound = max(0, one)..<max(after, max(0, one))
  }

  private static func movie(_ ticks: Int, _ reader: ClipReader) -> Int {
    ticks * reader.description.movieTimescale / PictureTrack.timescale
  }

  /// The parts of media ranges that lie within a range of the time in which they are played one after the other.
  private static func cut(_ ranges: [Range<Int>], _ played: Range<Int>) -> [Range<Int>] {
    var before = 0
    var parts: [Range<Int>] = []
    for range in ranges {
      let part = played.clamped(to: before..<(before + range.count))
      if !part.isEmpty {
        parts.append((range.lowerBound + part.lowerBound - before)..<(range.lowerBound + part.upperBound - before))
      }
      before += range.count
    }
    return parts
  }
}

/// A clip that is put together from samples of others.
private struct Assembly {
  private var description: ClipFileDescription
  private let target: any StoredFile
  private var samples = ClipSamples()
  private var edits = ClipEdits()
  private var end: Int

  init(
    _ description: ClipFileDescription, _ target: any StoredFile, createdAt: WallTime, title: String
  ) throws(MediaError) {
    self.description = description
    self.target = target
    self.description.createdAt = createdAt
    self.description.title = title
    // `ftyp` and the reserve; what follows is the content of the `mdat`.
    let head = ClipBoxes(self.description).initialSegment()
    end = MovieBoxes.movieOffset
    do throws(StorageError) {
      try target.write(Array(head.prefix(end)), at: 0)
    } catch {
      throw Self.failure(error)
    }
  }

  mutating func add(_ reader: ClipReader, _ source: any StoredFile, _ selection: Selection) throws(MediaError) {
    let pictureBase = samples.pictureEnd
    let soundBase = samples.soundEnd
    let firstTime = reader.pictures[selection.pictures].first?.time ?? 0
    let firstFrame = reader.sound[selection.sound].first?.time ?? 0
    for (range, length) in selection.shown {
      edits.pictures.append(ClipEdit(length: length, start: pictureBase + range.lowerBound - firstTime))
    }
    for (range, length) in selection.heard {
      edits.sound.append(ClipEdit(length: length, start: soundBase + range.lowerBound - firstFrame))
    }
    do throws(StorageError) {
      try copy(reader, source, selection)
    } catch {
      throw Self.failure(error)
    }
  }

  /// In turns of a second, as players like it.
  private mutating func copy(
    _ reader: ClipReader, _ source: any StoredFile, _ selection: Selection
  ) throws(StorageError) {
    var picture = selection.pictures.lowerBound
    var unit = selection.sound.lowerBound
    let rate = description.sound?.pcm.sampleRate ?? 1
    var second = 1
    let firstTime = reader.pictures[selection.pictures].first?.time ?? 0
    let firstFrame = reader.sound[selection.sound].first?.time ?? 0
    while picture < selection.pictures.upperBound || unit < selection.sound.upperBound {
      var listed: [ClipPicture] = []
      let offset = end
      let time = samples.pictureEnd
      while picture < selection.pictures.upperBound,
        reader.pictures[picture].time - firstTime < second * PictureTrack.timescale
      {
        let sample = reader.pictures[picture]
        try ClipEditor.copy(source, sample.offset..<(sample.offset + sample.bytes), to: target, at: end)
        end += sample.bytes
        listed.append(
          ClipPicture(
            bytes: UInt32(clamping: sample.bytes), duration: UInt32(clamping: max(1, sample.duration)),
            isKeyframe: sample.isKeyframe))
        picture += 1
      }
      samples.addPictures(at: offset, time: time, listed)
      var sizes: [UInt32] = []
      let soundOffset = end
      while unit < selection.sound.upperBound, reader.sound[unit].time - firstFrame < second * rate {
        let sample = reader.sound[unit]
        try ClipEditor.copy(source, sample.offset..<(sample.offset + sample.bytes), to: target, at: end)
        end += sample.bytes
        sizes.append(UInt32(clamping: sample.bytes))
        unit += 1
      }
      samples.addSound(at: soundOffset, time: samples.soundEnd, sizes: sizes)
      second += 1
    }
  }

  /// Writes the tables and syncs.
  mutating func finish() throws(MediaError) -> Double {
    let length = (edits.sound.isEmpty ? edits.pictures : edits.sound).reduce(0) { $0 + $1.length }
    if edits.sound.isEmpty { description.sound = nil }
    let movie = ClipBoxes(description, edits: edits).finalMovie(length: length, samples: samples)
    do throws(StorageError) {
      try target.write(movie, at: end)
      try target.sync()
      try target.write(MovieBoxes.mediaDataHeader(end: end), at: MovieBoxes.reserveOffset)
      try target.sync()
    } catch {
      throw Self.failure(error)
    }
    return Double(length) / Double(max(1, description.movieTimescale))
  }

  private static func failure(_ error: StorageError) -> MediaError {
    MediaError(.failed, subject: error.path, operation: "copy clips", reason: "\(error)")
  }
}

/// One edit of a track: so much of the movie's time shows the media from `start` on.
struct ClipEdit: Hashable {
  /// Units of the movie.
  var length: Int
  /// Units of the track.
  var start: Int
}

/// The edits of a clip that is not shown in one piece.
struct ClipEdits: Hashable {
  var pictures: [ClipEdit] = []
  var sound: [ClipEdit] = []
}
