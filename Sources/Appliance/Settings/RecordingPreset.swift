/// Ready-made recording settings; anything else is "custom".
public enum RecordingPreset: String, Hashable, Sendable, CaseIterable {
  /// Long talks on a small card: 55 MB an hour.
  case low
  /// The defaults: 84 MB an hour.
  case medium
  /// Music: 141 MB an hour.
  case high

  /// AAC bit rate in kbit/s.
  public var bitrateKbps: Int {
    switch self {
    case .low: 128
    case .medium: 192
    case .high: 320
    }
  }

  /// Channels: speech into one microphone needs no second one.
  public var channels: Int { self == .low ? 1 : 2 }

  /// Sample rate in Hz.
  public var sampleRate: Int { self == .low ? 44_100 : 48_000 }

}

extension Settings {
  /// The preset that the recording settings amount to; `nil`: custom.
  public var preset: RecordingPreset? {
    RecordingPreset.allCases.first { preset in
      var other = self
      other.apply(preset)
      return other == self
    }
  }

  /// Takes over a preset's format, bit rate, sample rate and channels.
  public mutating func apply(_ preset: RecordingPreset) {
    recordingFormat = .aac
    recordingBitrateKbps = preset.bitrateKbps
    recordingSampleRate = preset.sampleRate
    recordingChannels = preset.channels
  }
}
