internal import Sound

/// A voice that is laid over the original.
struct PlacedVoice {
  var slot: Int
  var rung: DubRung
  var epoch: Int
  var start: Int
  /// One channel at 48 kHz.
  var samples: [Float]
  /// LUFS as it is, before the volume.
  var loudness: Double
  /// Where on the timeline it speaks: its longer pauses lie between.
  private var spans: [Range<Int>]
  /// It is faded away from here on.
  var cutAt: Int = .max

  /// A voice is made this loud (LUFS), whoever spoke it, within `gainLimit` decibels.
  private static let wantedLoudness = -18.0
  private static let gainLimit = 12.0

  init(slot: Int, rung: DubRung, epoch: Int, start: Int, speaking mono: [Float]) {
    self.slot = slot
    self.rung = rung
    self.epoch = epoch
    self.start = start
    let measured = BedLoudness.ofVoice(mono) ?? Self.wantedLoudness
    let gain = max(-Self.gainLimit, min(Self.gainLimit, Self.wantedLoudness - measured))
    let factor = Float(Decibels.amplitude(gain))
    samples = mono.map { $0 * factor }
    loudness = measured + gain
    spans = VoicePauses.spans(mono).map { ($0.lowerBound + start)..<($0.upperBound + start) }
  }

  var end: Int { min(start + samples.count, cutAt == .max ? .max : cutAt + Mixer.fadeFrames) }

  /// The stretches for which the original makes room: all of it, or, where it is silent meanwhile, what is spoken.
  ///
  /// - Parameter volume: of the dub, in decibels.
  func stretches(_ mode: DubSettings.Mode, volume: Double) -> [Ducker.Voice] {
    guard mode == .replace else { return [Ducker.Voice(start: start, end: end, loudness: loudness + volume)] }
    return spans.filter { $0.lowerBound < end }.map {
      Ducker.Voice(start: $0.lowerBound, end: min($0.upperBound, end), loudness: loudness + volume)
    }
  }
}
