public import Hardware

/// What a clip's file turned out to be.
public struct ClipInspection: Hashable, Sendable {
  public enum Condition: Hashable, Sendable {
    /// An ordinary MP4, as `FragmentedClip.finish` leaves it.
    case finished
    /// Cut off while it was being written; the text says how. `ClipRepair.repair` finishes it.
    case unfinished(String)
    /// Nothing of a clip can be found in it.
    case damaged(String)
  }

  public var condition: Condition
  /// Pictures in it (the skipped ones too), and how long it plays.
  public var pictures = 0
  public var keyframes = 0
  public var seconds = 0.0
  /// Frames of sound.
  public var frames = 0
  /// Bytes that belong to nothing.
  public var unreadableBytes = 0
}

/// Finishes clips that a crash or a power cut left as fragments. Storage lane only; calls block.
public enum ClipRepair {
  /// Only this much at the end of the media can hold blocks that a power cut left unwritten.
  private static let unsyncedBytes = 8 << 20
  private static let largestInitialMovie = 1 << 20

  /// Looks at a file without changing it. Any content is answered.
  public static func inspect(_ file: any StoredFile) throws(StorageError) -> ClipInspection {
    guard let (description, start) = try initial(file) else { return damaged(file) }
    if let end = try finishedEnd(file) {
      let collected = try collect(file, description, from: start, end: end, checksTail: false)
      return inspection(.finished, collected, description)
    }
    let collected = try collect(file, description, from: start, end: file.size, checksTail: true)
    guard collected.samples.pictures.count > 0 else { return damaged(file) }
    return inspection(.unfinished("The recording was interrupted."), collected, description)
  }

  /// Finishes an unfinished file in place and syncs it. After a crash inside of it, it can be called again.
  public static func repair(_ file: any StoredFile) throws(StorageError) -> ClipInspection {
    guard let (initial, start) = try initial(file) else { return damaged(file) }
    var description = initial
    if let end = try finishedEnd(file) {
      let collected = try collect(file, description, from: start, end: end, checksTail: false)
      return inspection(.finished, collected, description)
    }
    let collected = try collect(file, description, from: start, end: file.size, checksTail: true)
    let samples = collected.samples
    guard samples.pictures.count > 0 else { return damaged(file) }
    // Nothing but the skipped pictures came through: show those.
    if samples.pictureEnd <= description.skippedTicks { description.skippedTicks = 0 }
    let shown = samples.pictureEnd - description.skippedTicks
    var endTime = samples.pictureEnd
    var frames = 0
    if let sound = description.sound {
      let heard = max(0, samples.soundEnd - sound.primingFrames)
      // As long as the longer of both would need a freeze or silence; the shorter one decides, but for a sound that
      // is all but missing.
      let pictureFrames = shown * sound.pcm.sampleRate / PictureTrack.timescale
      frames = min(heard, pictureFrames)
      if frames * 2 < pictureFrames || frames == 0 {
        frames = heard
        if heard == 0 { description.sound = nil }
      } else {
        endTime = description.skippedTicks + frames * PictureTrack.timescale / sound.pcm.sampleRate
      }
    }
    description.comment = "recovered"
    let head = Array(ClipBoxes(description).initialSegment().prefix(OldTakeBoxes.reserveOffset))
    if try file.bytes(at: 0, count: head.count) != head { try file.write(head, at: 0) }
    try FragmentedClip.finalise(
      file, description: description, samples: samples, end: collected.end, endTime: endTime, frames: frames)
    var result = inspection(.finished, collected, description)
    if let sound = description.sound {
      result.frames = frames
      result.seconds = Double(frames) / Double(sound.pcm.sampleRate)
    }
    return result
  }

  // MARK: Reading

  private struct Collected {
    var samples = ClipSamples()
    var end = 0
    var unreadable = 0
  }

  private static func damaged(_ file: any StoredFile) -> ClipInspection {
    ClipInspection(condition: .damaged("No picture was found in it."), unreadableBytes: file.size)
  }

  private static func inspection(
    _ condition: ClipInspection.Condition, _ collected: Collected, _ description: ClipFileDescription
  ) -> ClipInspection {
    let samples = collected.samples
    return ClipInspection(
      condition: condition, pictures: samples.pictures.count,
      keyframes: description.pictures.codec == .mjpeg ? samples.pictures.count : samples.pictures.keyframes.count,
      seconds: Double(max(0, samples.pictureEnd - description.skippedTicks)) / Double(PictureTrack.timescale),
      frames: max(0, samples.soundEnd - (description.sound?.primingFrames ?? 0)),
      unreadableBytes: collected.unreadable)
  }

  /// The first `moov`, which every clip of ours has behind the reserve.
  private static func initial(
    _ file: any StoredFile
  ) throws(StorageError) -> (ClipFileDescription, start: Int)? {
    let place = OldTakeBoxes.movieOffset
    var header = ByteReader(try file.bytes(at: place, count: 8))
    guard let size = header.big32().map(Int.init), header.fourCC() == "moov",
      (16...largestInitialMovie).contains(size), place + size <= file.size
    else { return nil }
    let bytes = try file.bytes(at: place + 8, count: size - 8)
    guard bytes.count == size - 8, let description = ClipBoxes.description(initialMovie: bytes[...]) else { return nil }
    return (description, place + size)
  }

  /// Where the media end, if the reserve is the header of an `mdat` with a `moov` behind it that ends the file.
  private static func finishedEnd(_ file: any StoredFile) throws(StorageError) -> Int? {
    var reader = ByteReader(try file.bytes(at: OldTakeBoxes.reserveOffset, count: OldTakeBoxes.reserveBytes))
    guard reader.big32() == 1, reader.fourCC() == "mdat", let size = reader.big64(),
      size < UInt64(file.size), size >= 16
    else { return nil }
    let end = OldTakeBoxes.reserveOffset + Int(size)
    let walker = BoxWalker(file)
    guard let movie = try walker.box(at: end, limit: file.size), movie.type == "moov", movie.end == file.size,
      try walker.find(["trak", "mdia", "minf", "stbl", "stsz"], in: movie) != nil
    else { return nil }
    return end
  }

  private static func collect(
    _ file: any StoredFile, _ description: ClipFileDescription, from start: Int, end: Int, checksTail: Bool
  ) throws(StorageError) -> Collected {
    var collected = Collected(end: start)
    var scanner = ClipScanner(file, from: start, end: end)
    // After damage pictures are of no use before the next keyframe.
    var needsKeyframe = true
    while let found = try scanner.next() {
      let fragment = found.fragment
      if !fragment.pictures.isEmpty, fragment.pictureTime != collected.samples.pictureEnd { needsKeyframe = true }
      let isRisky = checksTail && found.end > file.size - unsyncedBytes
      var place = found.dataOffset
      var time = fragment.pictureTime
      var run: (offset: Int, time: Int, pictures: [ClipPicture]) = (place, time, [])
      for picture in fragment.pictures {
        var isGood = true
        if isRisky { isGood = try isWhole(file, at: place, picture, description.pictures.codec) }
        if !isGood { needsKeyframe = true }
        if isGood, picture.isKeyframe { needsKeyframe = false }
        place += Int(picture.bytes)
        time += Int(picture.duration)
        if isGood, !needsKeyframe {
          run.pictures.append(picture)
        } else {
          collected.unreadable += Int(picture.bytes)
          collected.samples.addPictures(at: run.offset, time: run.time, run.pictures)
          run = (place, time, [])
        }
      }
      collected.samples.addPictures(at: run.offset, time: run.time, run.pictures)
      try collectSound(file, found, isRisky: isRisky, into: &collected)
      collected.end = found.end
    }
    collected.unreadable += scanner.skippedBytes
    return collected
  }

  private static func collectSound(
    _ file: any StoredFile, _ found: ClipScanner.Found, isRisky: Bool, into collected: inout Collected
  ) throws(StorageError) {
    let fragment = found.fragment
    let offset = found.dataOffset + fragment.pictureBytes
    guard isRisky, !fragment.sound.isEmpty else {
      return collected.samples.addSound(at: offset, time: fragment.soundTime, sizes: fragment.sound)
    }
    let bytes = try file.bytes(at: offset, count: fragment.soundBytes)
    var place = 0
    var run: (offset: Int, time: Int, sizes: [UInt32]) = (offset, fragment.soundTime, [])
    for (index, size) in fragment.sound.enumerated() {
      let next = place + Int(size)
      // No access unit is all zeros: each ends with a non-zero ID_END.
      if next <= bytes.count, bytes[place..<next].contains(where: { $0 != 0 }) {
        run.sizes.append(size)
      } else {
        collected.unreadable += Int(size)
        collected.samples.addSound(at: run.offset, time: run.time, sizes: run.sizes)
        run = (offset + next, fragment.soundTime + (index + 1) * ClipSamples.soundFrames, [])
      }
      place = next
    }
    collected.samples.addSound(at: run.offset, time: run.time, sizes: run.sizes)
  }

  /// Whether a picture's bytes can be what was written: NAL units whose lengths add up, or an image with both its ends.
  /// A block that a power cut left as zeros inside of a unit does not show here; it costs one picture's lower part.
  private static func isWhole(
    _ file: any StoredFile, at offset: Int, _ picture: ClipPicture, _ codec: VideoCodec
  ) throws(StorageError) -> Bool {
    let count = Int(picture.bytes)
    let bytes = try file.bytes(at: offset, count: count)
    guard bytes.count == count, count > 4 else { return false }
    if codec == .mjpeg {
      return bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[count - 2..<count].contains { $0 != 0 }
    }
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      guard let size = reader.big32().map(Int.init), size > 0, let unit = reader.take(size), let first = unit.first,
        first & 0x80 == 0, first != 0, unit.last != 0
      else { return false }
    }
    return true
  }
}
