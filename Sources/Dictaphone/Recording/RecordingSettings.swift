public import Hardware
public import Media
public import Recording
public import Sound

/// How takes are made; applies to the next one.
public struct RecordingSettings: Hashable, Sendable {
  public var encoding: TakeEncoding
  /// kbit/s of compressed takes, 128…320.
  public var bitrateKbps: Int
  /// What AAC is coded with while the processor keeps up; what the board can afford.
  public var coder = AACCoder.fast
  /// 8000, 16000, 44100 or 48000; what the session delivers wins.
  public var sampleRate: Int
  /// 1 or 2; a mono microphone makes mono takes.
  public var channels: Int
  /// Significant bits asked of the microphone, 16 or 24.
  public var bits: Int
  /// Bits of a sample in lossless files, 16, 24 or 32 (float, of WAV; others have 24 then); `nil`: as the microphone gives.
  public var fileBits: Int?
  /// Seconds before the press that are in the take, 0…60.
  public var preRecordSeconds: Int
  /// Seconds after which a take goes on in another file; 0: never.
  public var splitSeconds: Int
  /// MiB after which it does; 0: never.
  public var splitMB: Int
  /// What is done to the sound, and its gain in dB, −20…20. The gain counts at once.
  public var shaping = ShapingSettings()
  public var gainDB = 0
  /// Names of microphones, best first; the board's own is behind them. Whether a better one that comes back is heard even
  /// in a take. Both count at once.
  public var sources: [String] = []
  public var returnsInTakes = false
  /// Whether there is a safety take at -12 dB beside the take.
  public var hasSafetyTake = false
  /// How the microphone's rate is settled, and what `forced-rate` runs it at, Hz.
  public var session = SessionStrategy.baseline
  public var forcedRate = 8000
  /// What is marked by itself: lost sound and other sources, and what clips.
  public var marksGaps = false
  public var marksOverloads = false
  /// What becomes of silence, `nil`: nothing; after how many seconds of it, and how many before a voice are kept.
  public var silence: SilenceRule?
  public var voiceHoldSeconds = 3
  public var voicePreRollSeconds = 1

  public init(
    encoding: TakeEncoding = .aac, bitrateKbps: Int = 192, sampleRate: Int = 48_000, channels: Int = 2,
    bits: Int = 16, fileBits: Int? = nil, preRecordSeconds: Int = 5, splitSeconds: Int = 0, splitMB: Int = 0
  ) {
    self.encoding = encoding
    self.bitrateKbps = bitrateKbps
    self.sampleRate = sampleRate
    self.channels = channels
    self.bits = bits
    self.fileBits = fileBits
    self.preRecordSeconds = preRecordSeconds
    self.splitSeconds = splitSeconds
    self.splitMB = splitMB
  }
}

extension RecordingSettings {
  /// The one rate that takes of this encoding can have, Hz, to which the microphone's sound is converted; `nil`: any.
  public var fileRate: Int? { encoding == .opus ? OpusEncoder.sampleRate : nil }

  /// The settings, as far as a microphone of this rate lets them be: a take is made in any case.
  ///
  /// - Parameter isRateNew: its rate is not what was asked for, and that has not been said.
  /// - Returns: them, and what the take lacks.
  func possible(at rate: Int, isRateNew: Bool) -> (settings: RecordingSettings, lack: String?) {
    let isTaken =
      switch encoding {
      case .aac: AACEncoder.takes(sampleRate: rate)
      case .opus: rate == OpusEncoder.sampleRate
      case .wav, .flac, .alac, .alaw, .mulaw: true
      }
    guard isTaken else {
      var possible = self
      possible.encoding = .wav
      let name = encoding == .aac ? "AAC" : "Opus"
      return (possible, "The microphone gives \(rate) Hz, which \(name) has not: the take is WAV.")
    }
    guard isRateNew, rate != sampleRate, rate != fileRate else { return (self, nil) }
    return (self, "The microphone gives \(rate) Hz, not \(sampleRate): the take has \(rate) Hz.")
  }
}

extension PCMFormat {
  /// What is asked of the microphone.
  public init(settings: RecordingSettings) {
    self.init(sampleRate: settings.sampleRate, channels: settings.channels, bits: settings.bits)
  }
}
