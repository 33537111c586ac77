public import Hardware

/// One picture that a simulated camera is about to take.
public struct PictureMoment: Hashable, Sendable {
  /// Counted from the origin of the run, whenever the device was opened and whatever was lost before.
  public var number: Int
  /// When it is taken, since the origin.
  public var time: Duration
  /// Whether the flash is on.
  public var isFlash: Bool

  public init(number: Int, time: Duration, isFlash: Bool = false) {
    self.number = number
    self.time = time
    self.isFlash = isFlash
  }
}

/// What a simulated camera sees. Only one thread at a time calls it.
public protocol PictureSource: AnyObject, Sendable {
  /// Codings that it can deliver.
  var codecs: [VideoCodec] { get }
  /// The only size and rate that it has, or `nil` if it can make any; a rate of 0 is whatever is asked for.
  var fixedFormat: VideoFormat? { get }
  /// Bytes of the largest picture, if that is known.
  var largestPicture: Int? { get }
  /// Called when the device is opened; the place to allocate.
  func prepare(_ format: VideoFormat)
  /// Makes a picture and hands its bytes to `deliver`, which are good during the call only.
  func take(_ moment: PictureMoment, deliver: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool) -> Void)
}

extension PictureSource {
  public var largestPicture: Int? { nil }
}
