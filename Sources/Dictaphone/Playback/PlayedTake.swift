internal import Hardware
internal import Media
internal import Sound

/// A take that is in the player: its sound as it goes to the speaker, at the speed, pitch and volume that are set, with or
/// without its pauses; and which frame of it is heard. Media worker only.
///
/// Frames are those of the speaker's rate, but where it says the file's.
final class PlayedTake {
  let id: String
  /// What it is read from, A and B included.
  let reader: TakeReader
  /// Frames of the file by what is known of it, where it does not say its length itself.
  private let knownFrames: Int
  private var settings: PlaybackSettings
  /// Between the reader and what is heard, where pauses are left out.
  private var pauses: PauseShortener?
  private let tempo: TempoAndPitch
  private let level: OutputLevel
  /// Measures what goes to the speaker.
  private var meter: LevelMeter
  private var place: HeardPlace
  /// The first of two places between which the sound is to be repeated.
  var loopStart: Int?
  /// All that there is has been made.
  private(set) var hasReachedEnd = false
  /// The file has been read to its end; what is left is on its way.
  private var isReadOut = false
  /// What `make` makes, interleaved.
  let samples: UnsafeMutablePointer<Float>
  private let source: UnsafeMutablePointer<Float>

  /// Frames made at a time.
  static let chunkFrames = 1024
  /// Most channels of a file that is mixed down for the speaker.
  static let channelLimit = 2
  /// Frames read from the file at a time.
  private static let sourceFrames = 256

  /// - Parameters:
  ///   - knownFrames: of the file, if it does not say its length.
  ///   - frame: where it begins.
  init(
    _ id: String, _ file: any PlayedSound, knownFrames: Int, at frame: Int, settings: PlaybackSettings
  ) throws(MediaError) {
    let format = file.outputFormat
    guard let tempo = TempoAndPitch(sampleRate: format.sampleRate, channels: format.channels) else {
      throw MediaError(.unsupported, subject: id, operation: "play", reason: "there is no memory left")
    }
    reader = TakeReader(file)
    if frame > 0 { try reader.seek(to: frame) }
    (self.id, self.knownFrames, self.settings, self.tempo) = (id, knownFrames, settings, tempo)
    pauses = settings.skipsSilence ? PauseShortener(reader) : nil
    meter = LevelMeter(format: format)
    level = OutputLevel(format: format, isMixed: file.format.channels > Self.channelLimit)
    place = HeardPlace(at: frame)
    samples = .allocate(capacity: Self.chunkFrames * Self.channelLimit)
    samples.initialize(repeating: 0, count: Self.chunkFrames * Self.channelLimit)
    source = .allocate(capacity: Self.sourceFrames * Self.channelLimit)
    source.initialize(repeating: 0, count: Self.sourceFrames * Self.channelLimit)
    shape(settings, isHeard: false)
  }

  deinit {
    samples.deallocate()
    source.deallocate()
  }

  var file: any PlayedSound { reader.file }
  var format: PCMFormat { reader.format }

  /// The same in another format, from a frame on, with A and B; this one is not used any more.
  func converted(to format: PCMFormat, at frame: Int) throws(MediaError) -> PlayedTake {
    let own = self.format.sampleRate
    let scaled = { (frame: Int) in frame * format.sampleRate / own }
    let other = try PlayedTake(
      id, try file.converted(to: format), knownFrames: knownFrames, at: scaled(frame), settings: settings)
    other.loopStart = loopStart.map(scaled)
    other.reader.loop = reader.loop.map { scaled($0.lowerBound)..<scaled($0.upperBound) }
    return other
  }

  // MARK: Places

  /// Frames as frames of the file at its own rate.
  func fileFrames(_ frames: Int) -> Int {
    guard file.outputFormat.sampleRate != file.format.sampleRate else { return frames }
    return frames * file.format.sampleRate / file.outputFormat.sampleRate
  }

  /// A frame of the file at its own rate as one of the speaker's.
  func frame(ofFile frame: Int) -> Int {
    let (own, heard) = (file.format.sampleRate, file.outputFormat.sampleRate)
    return own == heard ? frame : ClaimedNumber(frame).within(0...1 << 40).map { $0 * heard / own } ?? 0
  }

  /// Its length, in frames of the file.
  var length: Int { file.totalFrames.map(fileFrames) ?? knownFrames }

  /// Why it ends before it should, if it does.
  var breaksOff: MediaError? {
    guard isReadOut else { return nil }
    if var cut = file.cut {
      cut.subject = id
      return cut
    }
    return .breaksOff(id, "sound", at: reader.next, of: file.totalFrames, sampleRate: format.sampleRate)
  }

  /// The frame now at the speaker.
  ///
  /// - Parameter pending: frames that were made and have not been heard.
  func position(pending: Int) -> Int { within(Int(place.frame(pending: pending).rounded())) }

  /// A frame, or the nearest to it in the file.
  func within(_ frame: Int) -> Int { max(0, min(frame, file.totalFrames ?? frame)) }

  /// Goes on at a frame of the file.
  func seek(to frame: Int) throws(MediaError) {
    try reader.seek(to: frame)
    pauses?.restart()
    tempo.reset()
    level.reset()
    place = HeardPlace(at: frame)
    hasReachedEnd = false
    isReadOut = false
  }

  // MARK: Sound

  /// Speed, pitch and volume from the next frame that is made on.
  func shape(_ settings: PlaybackSettings, isHeard: Bool) {
    self.settings = settings
    tempo.set(rate: settings.rate, cents: settings.pitchCents)
    level.set(left: settings.factor(settings.leftDb), right: settings.factor(settings.rightDb), isHeard: isHeard)
  }

  /// Leaves out pauses from now on, or no longer, as is set.
  ///
  /// - Throws: what was read ahead cannot be had again: seek to where it is heard.
  func followPauses() throws(MediaError) {
    guard settings.skipsSilence != (pauses != nil) else { return }
    let before = pauses
    pauses = settings.skipsSilence ? PauseShortener(reader) : nil
    try before?.release()
  }

  /// Levels of what was made since the last call.
  func takeLevels() -> [ChannelLevel] {
    let reading = meter.take()
    return format.channels == 1 ? [reading.left] : [reading.left, reading.right]
  }

  /// Makes the next frames for the speaker; to be called no more once the end is reached, or after a failure.
  ///
  /// - Parameter isLookedThrough: somebody looks for a place: no pause is left out.
  /// - Returns: how many; 0 at the end only; nil: not yet.
  func make(isLookedThrough: Bool) throws(MediaError) -> Int? {
    let held = tempo.held + Double(level.held) * settings.rate
    let heardPauses = reader.loop == nil && !isLookedThrough ? pauses : nil
    let frame = heardPauses?.frame(behind: held) ?? reader.frame(behind: held)
    do throws(MediaError) {
      guard let made = try shaped(heardPauses) else { return nil }
      hasReachedEnd = made == 0
      guard made > 0 else { return 0 }
      meter.add(samples, frames: made)
      place.add(made, from: frame, rate: settings.rate)
      return made
    } catch {
      hasReachedEnd = true
      throw error
    }
  }

  private func shaped(_ pauses: PauseShortener?) throws(MediaError) -> Int? {
    while true {
      let made = tempo.read(into: samples, frames: Self.chunkFrames)
      if made > 0 {
        let shaped = level.process(samples, frames: made)
        if shaped > 0 { return shaped }
      } else if isReadOut {
        return level.finish(into: samples)
      } else {
        let got =
          if let pauses { try pauses.read(into: source, frames: Self.sourceFrames) } else {
            try reader.read(into: source, frames: Self.sourceFrames)
          }
        guard let got else { return nil }
        if got > 0 {
          tempo.write(source, frames: got)
        } else {
          tempo.finish()
          isReadOut = true
        }
      }
    }
  }
}
