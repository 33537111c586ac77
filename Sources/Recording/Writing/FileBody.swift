internal import Hardware
internal import Media

/// The container of a recording: MP4, FLAC, Ogg or Broadcast Wave, with the tracks that it has. Storage lane only.
struct FileBody {
  private var writer: any MediaWriter
  private let pictures: Int?
  private let sound: Int?
  private let soundRate: Int

  init(_ place: RecordingPlace, _ opening: RecordingOpening) {
    let description = FileDescription(
      pictures: opening.pictures, sound: opening.sound, skippedTicks: opening.skippedTicks,
      createdAt: opening.createdAt, title: place.title)
    writer =
      switch opening.encoding {
      case .aac, .alac: MovieWriter(file: place.file, scratch: place.scratch, description: description)
      case .flac: FLACWriter(file: place.file, scratch: place.scratch, description: description)
      case .opus: OpusWriter(file: place.file, scratch: place.scratch, description: description)
      case .wav, .alaw, .mulaw: WaveWriter(file: place.file, scratch: place.scratch, description: description)
      }
    pictures = description.pictureIndex
    sound = description.soundIndex
    soundRate = description.sound?.pcm.sampleRate ?? 1
  }

  mutating func begin() throws(StorageError) { try writer.begin() }

  mutating func append(picture: UnsafeRawBufferPointer, tick: Int, delay: Int, isKeyframe: Bool) {
    guard let pictures, !picture.isEmpty else { return }
    writer.append(picture, to: pictures, at: tick, delay: delay, isKeyframe: isKeyframe)
  }

  mutating func append(sound packet: UnsafeRawBufferPointer) {
    guard let sound, !packet.isEmpty else { return }
    writer.append(packet, to: sound)
  }

  /// Writes all that can be written.
  mutating func flush() throws(StorageError) { try writer.flush() }

  /// Does a piece of completing the file.
  ///
  /// - Returns: true while there is more to do; then it is whole and synced.
  mutating func finishStep(_ ending: RecordingEnding, marks: [TakeMark], comment: String) throws(StorageError) -> Bool {
    writer.summary.marks = marks
    if ending.integratedLUFS != nil || ending.truePeakDBTP != nil || pictures == nil {
      writer.summary.loudness = TakeLoudness(integrated: ending.integratedLUFS, truePeak: ending.truePeakDBTP)
    }
    writer.summary.comment = comment
    return try writer.finishStep(
      at: writer.description.tracks.indices.map { $0 == pictures ? ending.endTick : ending.frames })
  }

  /// What can be seen and heard of the finished file, where there are pictures.
  var facts: MediaFacts? { writer.facts }

  mutating func dropBuffered() { writer.dropBuffered() }

  /// Bytes from the beginning that stay as they are, but for the ranges that are `changing`.
  var settledBytes: Int { writer.settledBytes }
  var changing: [Range<Int>] { writer.changing }
  /// Seconds of media that are in them.
  var settledSeconds: Double {
    var seconds: [Double] = []
    if let sound { seconds.append(Double(writer.settledEnd(of: sound)) / Double(soundRate)) }
    if let pictures {
      let ticks = writer.settledEnd(of: pictures) - writer.description.skippedTicks
      seconds.append(Double(ticks) / Double(PictureTrack.timescale))
    }
    return max(0, seconds.min() ?? 0)
  }

  /// Seconds that are appended and not flushed.
  var bufferedSeconds: Double {
    max(
      Double(amount(of: sound).buffered) / Double(soundRate),
      Double(amount(of: pictures).buffered) / Double(PictureTrack.timescale))
  }

  /// Bytes that are appended and not flushed, as far as pictures are among them.
  var bufferedBytes: Int { pictures == nil ? 0 : writer.bufferedBytes }

  /// Frames of sound and ticks of pictures in complete fragments.
  var storedFrames: Int { max(0, amount(of: sound).end) }
  var storedTicks: Int { max(0, amount(of: pictures).end) }

  /// Whether it is to hold pictures, and there is none.
  var isEmpty: Bool { pictures != nil && amount(of: pictures).samples == 0 && writer.bufferedBytes == 0 }

  private func amount(of track: Int?) -> TrackAmount { track.map { writer.amount(of: $0) } ?? TrackAmount() }
}
