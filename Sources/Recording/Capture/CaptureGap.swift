/// Sound that is missing in the capture and stands there as exact silence.
public struct CaptureGap: Hashable, Sendable {
  /// First missing frame, counted as `CaptureInput` counts.
  public var frame: Int
  public var frames: Int
  /// `overrun`, `storage`; `source` before another microphone.
  public var reason: String

  public init(frame: Int, frames: Int, reason: String) {
    self.frame = frame
    self.frames = frames
    self.reason = reason
  }
}
