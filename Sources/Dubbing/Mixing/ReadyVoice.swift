internal import Sound

/// A voice that fits its place, as loud as all voices are, and measured. Pure.
struct ReadyVoice: Hashable, Sendable {
  /// One channel at 48 kHz.
  var samples: [Float]
  /// LUFS as it is, before the volume.
  var loudness: Double
  /// Where it speaks, counted from its beginning: its longer pauses lie between.
  var spans: [Range<Int>]

  /// A voice is made this loud (LUFS), whoever spoke it, within `gainLimit` decibels.
  private static let wantedLoudness = -18.0
  private static let gainLimit = 12.0

  /// Makes a voice as loud as all are.
  init(levelling mono: [Float]) {
    let measured = ProgrammeLoudness.ofVoice(mono) ?? Self.wantedLoudness
    let gain = max(-Self.gainLimit, min(Self.gainLimit, Self.wantedLoudness - measured))
    let factor = Float(Decibels.amplitude(gain))
    samples = mono.map { $0 * factor }
    loudness = measured + gain
    spans = VoicePauses.spans(mono)
  }
}
