public import Hardware

/// Joins and trims clips without decoding anything: samples are copied, edit lists make the cuts exact.
///
/// Storage lane only. The work is done a second of media at a time, so that a clip that is being made does not wait for
/// long. A step that throws a stall is made again. The target is a new, empty file; after another error it is of no use.
public final class ClipEditor {
  private struct Part {
    var reader: ClipReader
    var source: any StoredFile
    var selection: ClipSelection
  }

  /// What has been copied; changes only when a step has done all of its work.
  private struct Progress {
    var samples = ClipSamples()
    var edits = ClipEdits()
    var end = OldTakeBoxes.movieOffset
    var part = 0
    /// Where the copy of the part stands: next picture, next piece of sound, seconds of it.
    var place: (picture: Int, sound: Int, second: Int)?
  }

  private var description: ClipFileDescription
  private let target: any StoredFile
  private let parts: [Part]
  private var progress = Progress()
  private var hasHead = false
  public private(set) var isFinished = false

  private static let copyBytes = 1 << 20

  /// Puts clips one after the other. They must agree in codec, size, coding parameters and sound.
  public init(
    joining sources: [any StoredFile], into target: any StoredFile, createdAt: WallTime, title: String
  ) throws(MediaError) {
    var parts: [Part] = []
    for source in sources {
      let reader = try ClipReader(source)
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
    self.parts = parts
    self.target = target
    description = first.reader.description
    description.createdAt = createdAt
    description.title = title
  }

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
          "nothing of it lies between \(range.lowerBound) and \(range.upperBound) s; it is \(reader.duration) s long"
      )
    }
    parts = [Part(reader: reader, source: source, selection: selection)]
    self.target = target
    description = reader.description
    description.createdAt = createdAt
    description.title = title
  }

  /// Length of the new clip in seconds, when it is finished.
  public var duration: Double {
    let edits = progress.edits.sound.isEmpty ? progress.edits.pictures : progress.edits.sound
    return Double(edits.reduce(0) { $0 + $1.length }) / Double(max(1, description.movieTimescale))
  }

  /// Frames of its sound, and its pictures.
  public var frames: Int { progress.edits.sound.reduce(0) { $0 + $1.length } }
  public var pictures: Int { progress.samples.pictures.count }

  /// Does a second's worth of work.
  ///
  /// - Returns: true when the clip is whole and synced.
  public func step() throws(StorageError) -> Bool {
    guard !isFinished else { return true }
    if !hasHead {
      // `ftyp` and the reserve; what follows is the content of the `mdat`.
      try target.write(Array(ClipBoxes(description).initialSegment().prefix(OldTakeBoxes.movieOffset)), at: 0)
      hasHead = true
    }
    guard progress.part < parts.count else {
      try finish()
      isFinished = true
      return true
    }
    var next = progress
    try copy(parts[next.part], &next)
    progress = next
    return false
  }

  /// Copies the next second of a part, pictures first.
  private func copy(_ part: Part, _ next: inout Progress) throws(StorageError) {
    let (reader, selection) = (part.reader, part.selection)
    let firstTime = reader.pictures[selection.pictures].first?.time ?? 0
    let firstFrame = reader.sound[selection.sound].first?.time ?? 0
    var place = next.place ?? (selection.pictures.lowerBound, selection.sound.lowerBound, 1)
    if next.place == nil {
      for (range, length) in selection.shown {
        next.edits.pictures.append(
          ClipEdit(length: length, start: next.samples.pictureEnd + range.lowerBound - firstTime))
      }
      for (range, length) in selection.heard {
        next.edits.sound.append(
          ClipEdit(length: length, start: next.samples.soundEnd + range.lowerBound - firstFrame))
      }
    }
    var listed: [ClipPicture] = []
    let (offset, time) = (next.end, next.samples.pictureEnd)
    while place.picture < selection.pictures.upperBound,
      reader.pictures[place.picture].time - firstTime < place.second * PictureTrack.timescale
    {
      let sample = reader.pictures[place.picture]
      try copy(sample, of: part.source, to: &next.end)
      listed.append(
        ClipPicture(
          bytes: UInt32(clamping: sample.bytes), duration: UInt32(clamping: max(1, sample.duration)),
          isKeyframe: sample.isKeyframe))
      place.picture += 1
    }
    next.samples.addPictures(at: offset, time: time, listed)
    var sizes: [UInt32] = []
    let soundOffset = next.end
    let rate = description.sound?.pcm.sampleRate ?? 1
    while place.sound < selection.sound.upperBound,
      reader.sound[place.sound].time - firstFrame < place.second * rate
    {
      let sample = reader.sound[place.sound]
      try copy(sample, of: part.source, to: &next.end)
      sizes.append(UInt32(clamping: sample.bytes))
      place.sound += 1
    }
    next.samples.addSound(at: soundOffset, time: next.samples.soundEnd, sizes: sizes)
    place.second += 1
    let isOver = place.picture >= selection.pictures.upperBound && place.sound >= selection.sound.upperBound
    next.place = isOver ? nil : place
    if isOver { next.part += 1 }
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

  /// Writes the tables and syncs.
  private func finish() throws(StorageError) {
    var description = description
    let edits = progress.edits
    let length = (edits.sound.isEmpty ? edits.pictures : edits.sound).reduce(0) { $0 + $1.length }
    if edits.sound.isEmpty { description.sound = nil }
    let movie = ClipBoxes(description, edits: edits).finalMovie(length: length, samples: progress.samples)
    try target.write(movie, at: progress.end)
    try target.sync()
    try target.write(OldTakeBoxes.mediaDataHeader(end: progress.end), at: OldTakeBoxes.reserveOffset)
    try target.sync()
  }

  private static func agrees(_ left: ClipFileDescription, _ right: ClipFileDescription) -> Bool {
    left.pictures == right.pictures && left.sound?.pcm.sampleRate == right.sound?.pcm.sampleRate
      && left.sound?.pcm.channels == right.sound?.pcm.channels
      && left.sound?.configuration == right.sound?.configuration
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
