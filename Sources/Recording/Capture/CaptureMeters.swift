internal import Hardware
internal import Sound

/// What is seen of the sound while it is heard: levels, the last seconds as a picture, whether somebody speaks. Levels and
/// picture are of the sound as it goes into a file, or as it comes. Media lane only.
final class CaptureMeters {
  private var format: PCMFormat
  private var meter: LevelMeter
  /// What is metered goes the way that the file's sound goes; the history keeps the sound as it came.
  private var shaper: SoundShaper
  private var automatic: AutomaticGain
  private var shaping = ShapingSettings()
  private(set) var gain: Float = 1
  /// Whether levels are those of a take, and not of the microphone.
  private var areOfTakes = true
  /// Seconds that the history is to hold; the automatic gain is known for as long.
  private var seconds: Int
  /// Voice or noise, of the sound as it comes.
  private(set) var voice: VoiceDetector
  /// Whether somebody wants to know of voices.
  var hearsVoice = false
  /// The last seconds as a picture.
  private(set) var waveform: WaveformStrip

  init(format: PCMFormat, seconds: Int) {
    (self.format, self.seconds) = (format, seconds)
    meter = LevelMeter(format: format)
    automatic = AutomaticGain(format: format, seconds: 1)
    voice = VoiceDetector(format: format)
    shaper = SoundShaper(format: format, settings: shaping, automatic: nil)
    waveform = WaveformStrip(format: format)
    start()
  }

  /// Sound in a format from here on, which does not follow on what was heard before.
  ///
  /// - Parameter isFirst: nothing was heard before in this format: levels and picture stay.
  func begin(_ format: PCMFormat, seconds: Int, isFirst: Bool) {
    (self.format, self.seconds) = (format, seconds)
    if !isFirst {
      meter = LevelMeter(format: format)
      waveform = WaveformStrip(format: format)
    }
    voice = VoiceDetector(format: format)
    start()
  }

  /// The history is to hold so many seconds from here on.
  func hold(seconds: Int) {
    self.seconds = seconds
    if shaping.hasAutomaticGain { start() }
  }

  // MARK: The way into a file

  func shape(_ settings: ShapingSettings) {
    guard settings != shaping else { return }
    shaping = settings
    start()
  }

  func setGain(_ gain: Float) {
    self.gain = gain
    if areOfTakes { shaper.gain.setGain(gain) }
  }

  func meterTakes(_ areOfTakes: Bool) {
    guard areOfTakes != self.areOfTakes else { return }
    self.areOfTakes = areOfTakes
    start()
  }

  /// That way, from its beginning, with the automatic gain that was measured.
  ///
  /// - Parameter isPlain: without automatic gain and limiter.
  func makeShaper(gain: Float, isPlain: Bool = false) -> SoundShaper {
    SoundShaper(
      format: format, settings: isPlain ? ShapingSettings(lowCutHz: shaping.lowCutHz) : shaping,
      automatic: automatic, gain: gain)
  }

  private func start() {
    if shaping.hasAutomaticGain {
      automatic = AutomaticGain(format: format, seconds: seconds + CaptureHistory.slackSeconds)
    }
    shaper =
      areOfTakes ? makeShaper(gain: gain) : SoundShaper(format: format, settings: ShapingSettings(), automatic: nil)
  }

  // MARK: Sound

  /// Takes in what was heard, which is shaped in place.
  func add(_ samples: UnsafeMutablePointer<Float>, frames: Int, at frame: Int) {
    if hearsVoice { voice.add(samples, frames: frames, at: frame) }
    shaper.process(samples, frames: frames, at: frame, isHeard: true)
    meter.add(samples, frames: frames)
    waveform.add(samples, frames: frames)
  }

  /// Levels since the last call.
  func takeLevels() -> [ChannelLevel] {
    let reading = meter.take()
    return format.channels == 1 ? [reading.left] : [reading.left, reading.right]
  }
}
