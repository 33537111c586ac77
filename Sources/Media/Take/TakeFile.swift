public import Hardware

/// The file formats that a take can be recorded in.
public enum TakeFormat: String, Hashable, Sendable, CaseIterable {
  /// AAC-LC in MP4.
  case aac
  /// Linear PCM in Broadcast Wave, RF64 past 4 GiB.
  case wav

  /// Without the dot.
  public var fileExtension: String {
    switch self {
    case .aac: "m4a"
    case .wav: "wav"
    }
  }
}

/// What a take's file says about itself; known when recording begins.
public struct TakeFileDescription: Hashable, Sendable {
  public var format: TakeFormat
  public var pcm: PCMFormat
  /// Nominal bit rate of AAC; PCM has its own.
  public var bitrateKbps: Int
  /// The wall clock at the first frame.
  public var createdAt: WallTime
  /// The take's name for people.
  public var title: String
  /// What made it, such as `Mynah 1.0`: the encoder tag of MP4, the originator of BWF (32 bytes there).
  public var originator: String
  /// AAC only: frames that the decoder puts out before the first recorded one (`AACEncoder.primingFrames`).
  public var primingFrames: Int
  /// AAC only: the AudioSpecificConfig of ISO 14496-3 (`AACEncoder.configuration`).
  public var decoderConfiguration: [UInt8]

  public init(
    format: TakeFormat, pcm: PCMFormat, bitrateKbps: Int = 0, createdAt: WallTime, title: String = "",
    originator: String = "Mynah", primingFrames: Int = 0, decoderConfiguration: [UInt8] = []
  ) {
    self.format = format
    self.pcm = pcm
    self.bitrateKbps = bitrateKbps
    self.createdAt = createdAt
    self.title = title
    self.originator = originator
    self.primingFrames = primingFrames
    self.decoderConfiguration = decoderConfiguration
  }
}

/// A point of a take that somebody marked.
public struct TakeMark: Hashable, Sendable {
  /// Frames from the start of the take.
  public var frame: Int
  public var label: String

  public init(frame: Int, label: String) {
    self.frame = frame
    self.label = label
  }
}

/// Loudness by EBU R 128 and true peak by ITU-R BS.1770, as bext version 2 carries them; `nil` is "not measured".
public struct TakeLoudness: Hashable, Sendable {
  /// Integrated, LUFS.
  public var integrated: Double?
  /// Loudness range, LU.
  public var range: Double?
  /// Maximum true peak, dBTP.
  public var truePeak: Double?
  /// Highest momentary (400 ms) loudness, LUFS.
  public var maximumMomentary: Double?
  /// Highest short-term (3 s) loudness, LUFS.
  public var maximumShortTerm: Double?

  public init(
    integrated: Double? = nil, range: Double? = nil, truePeak: Double? = nil, maximumMomentary: Double? = nil,
    maximumShortTerm: Double? = nil
  ) {
    self.integrated = integrated
    self.range = range
    self.truePeak = truePeak
    self.maximumMomentary = maximumMomentary
    self.maximumShortTerm = maximumShortTerm
  }
}

/// What is only known when a take ends, written into the file by `finish`.
public struct TakeSummary: Hashable, Sendable {
  /// In time order. Cue points in BWF, chapters in MP4 (the first 255).
  public var marks: [TakeMark] = []
  public var loudness: TakeLoudness?
  /// A sentence for people, such as why the recording stopped; empty writes none.
  public var comment: String = ""

  public init() {}
}
