public import Hardware

/// The picture track of a clip.
public struct PictureTrack: Hashable, Sendable {
  /// Ticks a second of the times of pictures: 90,000, the rate that every video tool counts in.
  public static let timescale = 90_000

  /// `.h264` or `.mjpeg`.
  public var codec: VideoCodec
  /// Pixels that are shown.
  public var width: Int
  public var height: Int
  /// H.264: the AVCDecoderConfigurationRecord (`H264Parameters.configuration`), else empty.
  public var configuration: [UInt8]

  public init(codec: VideoCodec, width: Int, height: Int, configuration: [UInt8] = []) {
    self.codec = codec
    self.width = width
    self.height = height
    self.configuration = configuration
  }
}

/// The sound track of a clip: AAC-LC.
public struct SoundTrack: Hashable, Sendable {
  public var pcm: PCMFormat
  /// The AudioSpecificConfig (`AACEncoder.configuration`).
  public var configuration: [UInt8]
  /// Frames that the decoder puts out before the first one of the clip.
  public var primingFrames: Int
  public var bitrateKbps: Int

  public init(pcm: PCMFormat, configuration: [UInt8], primingFrames: Int, bitrateKbps: Int) {
    self.pcm = pcm
    self.configuration = configuration
    self.primingFrames = primingFrames
    self.bitrateKbps = bitrateKbps
  }
}

/// What a clip's file says about itself; known when its first keyframe is.
public struct ClipFileDescription: Hashable, Sendable {
  public var pictures: PictureTrack
  /// `nil`: a clip without sound.
  public var sound: SoundTrack?
  /// Ticks from the first picture in the file (a keyframe) to the first that is shown; the edit list skips them.
  public var skippedTicks: Int
  /// The wall clock at the first picture shown.
  public var createdAt: WallTime
  public var title: String
  public var originator: String
  /// A sentence for people; empty writes none.
  public var comment: String

  public init(
    pictures: PictureTrack, sound: SoundTrack?, skippedTicks: Int, createdAt: WallTime, title: String = "",
    originator: String = "Mynah", comment: String = ""
  ) {
    self.pictures = pictures
    self.sound = sound
    self.skippedTicks = skippedTicks
    self.createdAt = createdAt
    self.title = title
    self.originator = originator
    self.comment = comment
  }

  /// Units of the movie's own times: frames of sound, or ticks where there is none.
  var movieTimescale: Int { sound?.pcm.sampleRate ?? PictureTrack.timescale }
}
