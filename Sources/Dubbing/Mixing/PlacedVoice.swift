/// A voice that is laid over the original.
struct PlacedVoice {
  var slot: Int
  var rung: DubRung
  var epoch: Int
  var start: Int
  private let voice: ReadyVoice
  /// It is faded away from here on.
  var cutAt: Int = .max

  init(slot: Int, rung: DubRung, epoch: Int, start: Int, voice: ReadyVoice) {
    self.slot = slot
    self.rung = rung
    self.epoch = epoch
    self.start = start
    self.voice = voice
  }

  /// One channel at 48 kHz.
  var samples: [Float] { voice.samples }
  var end: Int { min(start + samples.count, cutAt == .max ? .max : cutAt + Mixer.fadeFrames) }

  /// The stretches for which the original makes room: all of it, or, where it is silent meanwhile, what is spoken.
  ///
  /// - Parameter volume: of the dub, in decibels.
  func stretches(_ mode: DubSettings.Mode, volume: Double) -> [Ducker.Voice] {
    guard mode == .replace else { return [Ducker.Voice(start: start, end: end, loudness: voice.loudness + volume)] }
    return voice.spans.filter { start + $0.lowerBound < end }.map {
      Ducker.Voice(
        start: start + $0.lowerBound, end: min(start + $0.upperBound, end), loudness: voice.loudness + volume)
    }
  }
}
