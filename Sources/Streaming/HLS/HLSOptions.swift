/// How a stream is played.
public struct HLSOptions: Hashable, Sendable {
  /// Segments that are held in memory at most: the one that is being decoded and one that is being fetched included.
  public var segments: Int
  /// A larger segment is left out; while one of more than 12 MiB is held, no other is fetched.
  public var segmentBytes: Int
  /// Frames that are decoded ahead at most.
  public var decodedFrames: Int
  /// Whether pictures are wanted too.
  public var pictures: Bool
  /// Bytes of pictures that may wait beside the sound: sound is taken some seconds ahead.
  public var pictureBytes: Int
  /// Lines that pictures need: variants with more of them are left out if there are others.
  public var mostLines: Int
  /// The variant with the least bits is played.
  public var isLowPower: Bool
  /// Languages of subtitles, the most welcome first; empty: whatever the stream suggests.
  public var subtitleLanguages: [String]
  /// Decides the jitter of retries.
  public var seed: UInt64

  public init(
    segments: Int = 2, segmentBytes: Int? = nil, decodedFrames: Int = 2 * 48_000, pictures: Bool = false,
    pictureBytes: Int = 4 << 20, mostLines: Int = .max, isLowPower: Bool = false, subtitleLanguages: [String] = [],
    seed: UInt64 = 0
  ) {
    self.segments = max(1, segments)
    self.segmentBytes = segmentBytes ?? max(1, segments) * 24 << 20
    self.decodedFrames = decodedFrames
    self.pictures = pictures
    self.pictureBytes = pictureBytes
    self.mostLines = mostLines
    self.isLowPower = isLowPower
    self.subtitleLanguages = subtitleLanguages
    self.seed = seed
  }
}

/// What is read at most.
struct HLSLimits: Hashable, Sendable {
  var segmentBytes: Int
  var playlist = PlaylistLimits()
}
