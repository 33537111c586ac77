internal import Hardware

/// What recordings are converted to for other programs.
public enum ConvertedFormat: String, Hashable, Sendable, CaseIterable {
  /// AAC-LC in MP4.
  case m4a
  case flac
  case wav
  case mp3
  /// G.711 at 8 kHz, mono, nothing but samples.
  case alaw, mulaw

  /// With the point.
  public var suffix: String {
    switch self {
    case .alaw: ".al"
    case .mulaw: ".ul"
    case .m4a, .flac, .wav, .mp3: ".\(rawValue)"
    }
  }

  /// `nil`: the file has more in it than samples.
  var law: G711? { G711(rawValue: rawValue) }

  /// Whether the sound is in it to the bit.
  public var isLossless: Bool { self == .flac || self == .wav }

  /// Kbit/s of a channel.
  static let aacKbps = 96

  /// What sound of a file becomes in it.
  ///
  /// - Parameters:
  ///   - source: as it is in the file.
  ///   - isLossy: its own codec has left something out: more than 16 bits would say nothing.
  func target(of source: PCMFormat, isLossy: Bool) -> PCMFormat {
    var target = source
    let isWhole = source.sampleRate % 11_025 == 0
    switch self {
    case .m4a:
      if !AACEncoder.takes(sampleRate: source.sampleRate) { target.sampleRate = isWhole ? 44_100 : 48_000 }
    case .mp3:
      if !MP3Encoder.takes(sampleRate: source.sampleRate) { target.sampleRate = isWhole ? 44_100 : 48_000 }
    case .alaw, .mulaw: (target.sampleRate, target.channels) = (8000, 1)
    case .flac, .wav: break
    }
    switch self {
    case .flac: target.bits = isLossy || source.bits <= 16 ? 16 : 24
    case .wav: target.bits = isLossy || source.bits <= 16 ? 16 : source.bits > 24 ? 32 : 24
    case .m4a, .mp3, .alaw, .mulaw: target.bits = 16
    }
    return target
  }

  /// Bytes that so much sound will have, about; of raw sound exactly, of WAV but for its head.
  func bytes(frames: Int, _ target: PCMFormat) -> Int {
    let raw = ClaimedNumber(frames) * ClaimedNumber(target.channels * target.bits / 8)
    let seconds = min(frames / max(1, target.sampleRate), 1 << 40)
    switch self {
    case .alaw, .mulaw: return frames
    case .wav: return raw.within(0...1 << 60) ?? 1 << 60
    // Quiet sound has less, noise more.
    case .flac: return (raw.within(0...1 << 60) ?? 1 << 60) / 2
    case .m4a, .mp3: return seconds * target.channels * Self.aacKbps * 1000 / 8
    }
  }
}
