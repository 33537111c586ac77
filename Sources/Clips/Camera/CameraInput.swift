public import Hardware
public import Media

/// Turns uncompressed pictures into compressed ones, in the order they come; `Media` has encoders that do.
public protocol PictureEncoder: AnyObject {
  /// `.h264` or `.mjpeg`.
  var output: VideoFormat { get }
  /// Makes the next picture a keyframe.
  func requestKeyframe()
  /// Encodes one picture; what became ready is emitted with the time it was given. The bytes are valid during the call.
  func encode(
    _ picture: UnsafeRawBufferPointer, at time: Instant,
    emit: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool, _ time: Instant) -> Void
  ) throws(MediaError)
}

/// Keeps the camera open while the recorder is armed, and puts its pictures into the ring; raw ones are encoded first.
///
/// Camera lane only (opening a camera and encoding take long; nobody waits for them).
public final class CameraInput: Stepper {
  /// What happened to the camera.
  public enum News: Sendable {
    case opened(CameraGrant, name: String)
    /// A sentence; told once, not at every attempt.
    case lost(String)
  }

  /// - Parameters:
  ///   - camera: the device, or `nil` if the board has none.
  ///   - makeEncoder: for cameras that only deliver raw pictures.
  public init(
    camera: (any Camera)?, buffer: PictureBuffer,
    makeEncoder: @escaping (VideoFormat, CameraRequest) throws(MediaError) -> any PictureEncoder,
    report: @escaping (News) -> Void
  ) {}

  public func step(now: Instant) -> Instant? { nil }
  /// Gives the device back; the process ends.
  public func close() {}
  /// The driver's counters. Any thread.
  public var counters: CameraCounters { CameraCounters() }
}
