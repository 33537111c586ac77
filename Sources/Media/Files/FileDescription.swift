public import Hardware

/// How sound is coded in a file.
public enum SoundCodec: Hashable, Sendable {
  /// AAC-LC.
  case aac
  /// Apple Lossless, of 16 or 24 bits.
  case alac
  /// FLAC of 16 or 24 bits.
  case flac
  /// Opus.
  case opus
  /// Linear PCM of 16 or 24 bits, or 32-bit float.
  case pcm
  /// G.711, a byte a sample.
  case alaw, mulaw

  /// Frames that a packet holds, but for the last of a lossless one; PCM has packets of any length.
  public var packetFrames: Int {
    switch self {
    case .aac: 1024
    case .alac, .flac: 4096
    case .opus: 960
    case .pcm, .alaw, .mulaw: 1
    }
  }
}

/// A picture track.
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

/// A sound track.
public struct SoundTrack: Hashable, Sendable {
  public var codec: SoundCodec
  /// As it is in the file; 32 bits are float.
  public var pcm: PCMFormat
  /// AAC: the AudioSpecificConfig of ISO 14496-3 (`AACEncoder.configuration`). ALAC: `LosslessEncoder.configuration`.
  public var configuration: [UInt8]
  /// AAC, Opus: frames that the decoder puts out before the first recorded one (`AACEncoder.primingFrames`).
  public var primingFrames: Int
  /// Nominal bit rate of AAC and Opus; others have their own.
  public var bitrateKbps: Int

  /// AAC, Opus.
  public init(
    _ codec: SoundCodec = .aac, pcm: PCMFormat, configuration: [UInt8], primingFrames: Int, bitrateKbps: Int
  ) {
    self.init(codec, pcm: pcm, configuration: configuration)
    self.primingFrames = primingFrames
    self.bitrateKbps = bitrateKbps
  }

  /// Lossless.
  public init(_ codec: SoundCodec = .pcm, pcm: PCMFormat, configuration: [UInt8] = []) {
    self.codec = codec
    self.pcm = pcm
    self.configuration = configuration
    primingFrames = 0
    bitrateKbps = 0
  }
}

/// One track of a file.
public enum Track: Hashable, Sendable {
  case pictures(PictureTrack)
  case sound(SoundTrack)

  /// Units of its times in a second.
  var timescale: Int {
    switch self {
    case .pictures: PictureTrack.timescale
    case .sound(let sound): sound.pcm.sampleRate
    }
  }

  /// Units that a sample of sound lasts; pictures say it themselves.
  var sampleDuration: Int? { if case .sound(let sound) = self { sound.codec.packetFrames } else { nil } }
}

/// What a recording's file says about itself; known when it begins.
public struct FileDescription: Hashable, Sendable {
  /// Pictures first.
  public var tracks: [Track]
  /// Ticks from the first picture in the file (a keyframe) to the first that is shown; the edit list skips them.
  public var skippedTicks: Int
  /// The wall clock at the first frame or the first picture shown.
  public var createdAt: WallTime
  /// The recording's name for people.
  public var title: String
  /// What made it, such as `Mynah 1.0`: the encoder tag of MP4, the originator of BWF (32 bytes there).
  public var originator: String

  public init(
    tracks: [Track], skippedTicks: Int = 0, createdAt: WallTime, title: String = "", originator: String = "Mynah"
  ) {
    self.tracks = tracks
    self.skippedTicks = skippedTicks
    self.createdAt = createdAt
    self.title = title
    self.originator = originator
  }

  /// A take (`pictures` is `nil`) or a clip (with or without sound).
  public init(
    pictures: PictureTrack? = nil, sound: SoundTrack?, skippedTicks: Int = 0, createdAt: WallTime, title: String = "",
    originator: String = "Mynah"
  ) {
    self.init(
      tracks: (pictures.map { [.pictures($0)] } ?? []) + (sound.map { [.sound($0)] } ?? []),
      skippedTicks: skippedTicks, createdAt: createdAt, title: title, originator: originator)
  }

  /// Index of the first track of pictures, and of sound.
  public var pictureIndex: Int? { tracks.firstIndex { if case .pictures = $0 { true } else { false } } }
  public var soundIndex: Int? { tracks.firstIndex { if case .sound = $0 { true } else { false } } }

  public var pictures: PictureTrack? {
    for case .pictures(let track) in tracks { return track }
    return nil
  }

  public var sound: SoundTrack? {
    for case .sound(let track) in tracks { return track }
    return nil
  }

  /// Units of the file's own times: frames of its first sound track, or ticks where there is none.
  var timescale: Int { sound?.pcm.sampleRate ?? PictureTrack.timescale }

  /// Media time of a track from which on it is shown or heard.
  func firstShown(of track: Int) -> Int {
    switch tracks[track] {
    case .pictures: skippedTicks
    case .sound(let sound): sound.primingFrames
    }
  }

  /// Whether every sample of a track can be decoded by itself: then no table names those that can.
  func hasOnlyKeyframes(_ track: Int) -> Bool {
    if case .pictures(let pictures) = tracks[track] { pictures.codec == .mjpeg } else { true }
  }
}
