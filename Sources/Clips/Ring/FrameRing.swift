internal import Hardware

/// The last seconds of pictures.
final class FrameRing {
  func status(window: Duration) -> RingStatus { RingStatus() }
}
