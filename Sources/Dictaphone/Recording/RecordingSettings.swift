public import Hardware
public import Recording
public import Sound

/// How takes are made; applies to the next one.
public struct RecordingSettings: Hashable, Sendable {
  public var encoding: TakeEncoding
  /// kbit/s of compressed takes, 128…320.
  public var bitrateKbps: Int
  /// 44100 or 48000; what the microphone grants wins.
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

extension PCMFormat {
  /// What is asked of the microphone.
  public init(settings: RecordingSettings) {
    self.init(sampleRate: settings.sampleRate, channels: settings.channels, bits: settings.bits)
  }
}
