/// What can encode raw pictures, best first.
public enum VideoEncoderKind: String, Hashable, Sendable, CaseIterable {
  /// The board's own H.264 encoder, by V4L2's memory-to-memory interface: costs next to no processor.
  case v4l2 = "h264_v4l2m2m"
  case x264 = "libx264"
  case openH264 = "libopenh264"
  /// JPEG images, some five times the bytes: in a program built without any H.264 encoder.
  case jpeg = "mjpeg"
}

/// One encoded picture; the bytes are only good during the call that delivers it.
public struct EncodedPicture {
  /// An H.264 access unit as a byte stream, a keyframe with its parameter sets in front; or a JPEG image.
  public var bytes: UnsafeRawBufferPointer
  /// Whether decoding can begin here.
  public var isKeyframe: Bool
  /// The time that was given with the picture, in nanoseconds.
  public var time: Int64
}
