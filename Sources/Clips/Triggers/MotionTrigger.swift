internal import Hardware

/// A trigger by motion in the picture, from the sizes of the compressed pictures. Pure.
///
/// Why sizes: what moves costs an encoder bits, so the size of a picture that is predicted from the one before says how
/// much of the scene has changed, and it is there for nothing, whereas luma would have to be decoded first (a quarter of a
/// small board's core). Keyframes say nothing and are left out. In JPEG every picture stands alone; there the change of
/// size from one picture to the next is taken, which sees things come and go, but not turn.
///
/// It fires when the mean over a quarter of a second is `ratio` times what it usually was in the last ten seconds
/// (a slow mean that motion itself hardly lifts), and again only after a second of calm.
struct MotionTrigger {
  /// 1.5…20; `nil`: off.
  var ratio: Double?
  private var usual = 0.0
  private var recent = 0.0
  private var last: Int?
  private var count = 0
  private var isMoving = false
  private var calmSince: Instant?

  private static let learning = 60

  /// Takes in the next picture.
  ///
  /// - Returns: whether it is a trigger.
  mutating func add(bytes: Int, isKeyframe: Bool, codec: VideoCodec, at time: Instant) -> Bool {
    guard let ratio else {
      self = MotionTrigger()
      return false
    }
    let value: Double
    if codec == .mjpeg {
      defer { last = bytes }
      guard let last else { return false }
      value = Double(abs(bytes - last)) + Double(bytes) / 1000
    } else {
      guard !isKeyframe else { return false }
      value = Double(bytes)
    }
    count += 1
    recent += (value - recent) / Double(min(count, 8))
    // Motion counts for little in what is usual, so that a long one does not become it at once.
    let weight = count <= Self.learning ? Double(count) : value > 2 * usual ? 3000 : 300
    usual += (value - usual) / weight
    guard count > Self.learning else { return false }
    if recent > ratio * usual {
      calmSince = nil
      defer { isMoving = true }
      return !isMoving
    }
    let since = calmSince ?? time
    calmSince = since
    if time - since >= .seconds(1) { isMoving = false }
    return false
  }
}
