public import Hardware

/// How the camera is reached.
public enum CameraDriver: String, CaseIterable, Hashable, Sendable {
  /// The kernel's video device.
  case v4l2
  /// A program that writes H.264 into a pipe: `rpicam-vid`, for cameras on the board's ribbon cable.
  case command
  case simulated
  /// There is none.
  case none
}

/// What encodes the pictures of a camera that only has raw ones.
public enum EncoderChoice: String, CaseIterable, Hashable, Sendable {
  case auto
  case hardware
  case software
}

/// The camera: what to open, and what to ask it for.
public struct CameraDescription: Hashable, Sendable {
  public var driver: CameraDriver
  /// Path of the V4L2 device; empty unless the driver is `v4l2`.
  public var device: String
  /// Program and arguments; empty unless the driver is `command`.
  public var command: [String]
  /// Codings to ask for, best first.
  public var codecs: [VideoCodec]
  /// Pixels, even.
  public var width: Int
  public var height: Int
  /// Pictures a second.
  public var framesPerSecond: Int
  /// kbit/s of the pictures.
  public var bitrateKbps: Int
  /// Most pictures from one keyframe to the next.
  public var keyframeInterval: Int
  public var encoder: EncoderChoice
  /// Length of an exposure in microseconds, focus in the camera's own units, frequency of the mains (0: no filter);
  /// `nil` leaves it to the camera.
  public var exposureMicroseconds: Int?
  public var focus: Int?
  public var powerLineHertz: Int?

  /// What to ask the driver for.
  public var request: CameraRequest {
    CameraRequest(
      codecs: codecs, width: width, height: height, framesPerSecond: framesPerSecond, bitrate: bitrateKbps * 1000,
      keyframeInterval: keyframeInterval)
  }
}

/// How clips are made on this board.
public struct ClipDescription: Hashable, Sendable {
  /// A longer clip goes on in another file, seconds.
  public var longestSeconds: Int
  /// How long the storage may be silent, seconds.
  public var stallSeconds: Int
}
