/// How a camera delivers its pictures.
public enum VideoCodec: String, Hashable, Sendable, CaseIterable {
  /// H.264 in Annex B byte streams (ITU-T H.264, annex B), one access unit a record.
  case h264
  /// One JPEG image a record (ITU-T T.81).
  case mjpeg
  /// Packed 4:2:2, two bytes a pixel, no padding at the end of lines.
  case yuyv
  /// A plane of luma, then a half-size plane of interleaved chroma; one and a half bytes a pixel, no padding.
  case nv12

  /// Whether it has to be encoded before it can be kept.
  public var isRaw: Bool { self == .yuyv || self == .nv12 }
}

/// Size, rate and coding of a stream of pictures.
public struct VideoFormat: Hashable, Sendable {
  public var codec: VideoCodec
  /// Pixels across, even.
  public var width: Int
  /// Pixels down, even.
  public var height: Int
  /// Nominal pictures a second; what counts is each picture's own time.
  public var framesPerSecond: Int

  public init(codec: VideoCodec, width: Int, height: Int, framesPerSecond: Int) {
    self.codec = codec
    self.width = width
    self.height = height
    self.framesPerSecond = framesPerSecond
  }

  /// From one picture to the next.
  public var frameDuration: Duration { .nanoseconds(1_000_000_000 / max(1, framesPerSecond)) }

  /// Bytes of one uncompressed picture, or for a compressed one the most that the device keeps room for.
  public var largestFrameBytes: Int {
    switch codec {
    case .yuyv: width * height * 2
    case .nv12: width * height * 3 / 2
    case .h264, .mjpeg: max(64 << 10, width * height / 2)
    }
  }
}
