internal import Clips
internal import Hardware
internal import Media
internal import Panel
internal import Synchronization
internal import Threads

/// A small grey picture of what the camera sees, for the OLED: the newest keyframe in the ring, decoded, while somebody
/// looks. Nothing is decoded while nobody does.
///
/// `picture(at:)`: any thread. Everything else: the pictures' lane, some milliseconds a picture on a small board.
final class CameraPreview: Stepper, Sendable {
  private struct Shared {
    var picture: GreyPicture?
    /// Somebody looks until then.
    var wantedUntil = Instant.zero
    var isAsleep = true
    /// The keyframe that the picture is of.
    var number: Int?
  }

  private let buffer: PictureBuffer
  private let shared = Mutex(Shared())
  private let wake: @Sendable () -> Void

  /// From one picture to the next. Keyframes come twice a second.
  private static let interval = Duration.milliseconds(500)
  /// Who looks asks again before this is over.
  private static let patience = Duration.seconds(1)

  /// - Parameter wake: wakes the pictures' lane.
  init(buffer: PictureBuffer, wake: @escaping @Sendable () -> Void) {
    self.buffer = buffer
    self.wake = wake
  }

  /// What the camera saw a moment ago, if that is known; asking keeps pictures coming.
  func picture(at now: Instant) -> GreyPicture? {
    let (picture, mustWake) = shared.withLock { shared -> (GreyPicture?, Bool) in
      // What was seen before a pause is not what is seen now.
      if now > shared.wantedUntil { shared.picture = nil }
      shared.wantedUntil = now + Self.patience
      defer { shared.isAsleep = false }
      return (shared.picture, shared.isAsleep)
    }
    if mustWake { wake() }
    return picture
  }

  /// The camera went, or another came: what is shown is not what it sees.
  func forget() { shared.withLock { ($0.picture, $0.number) = (nil, nil) } }

  func step(now: Instant) -> Instant? {
    let (isWanted, last) = shared.withLock { shared in
      shared.isAsleep = now > shared.wantedUntil
      return (!shared.isAsleep, shared.number)
    }
    guard isWanted else { return nil }
    if let keyframe = buffer.newestKeyframe(except: last) {
      let picture = keyframe.bytes.withUnsafeBytes { bytes -> Picture? in
        guard let found = try? VideoDecoder.picture(of: bytes, keyframe.codec) else { return nil }
        return found
      }
      let grey = picture.flatMap { ClipThumbnails.grey($0) }
      shared.withLock { ($0.picture, $0.number) = (grey ?? $0.picture, keyframe.number) }
    }
    return now + Self.interval
  }
}
