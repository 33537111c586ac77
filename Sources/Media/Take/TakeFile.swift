public import Hardware

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

public typealias TakeSummary = FileSummary

extension TakeFileDescription {
  /// The same as every container is told.
  public var file: FileDescription {
    let sound =
      format == .wav
      ? SoundTrack(pcm: pcm)
      : SoundTrack(
        pcm: pcm, configuration: decoderConfiguration, primingFrames: primingFrames, bitrateKbps: bitrateKbps)
    return FileDescription(sound: sound, createdAt: createdAt, title: title, originator: originator)
  }
}
