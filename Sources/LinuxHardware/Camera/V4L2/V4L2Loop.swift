internal import CV4L2
internal import Glibc
internal import Hardware

/// What the camera's real-time thread does, from the start of the stream to its end.
///
/// A plain value in memory of its own; no other thread reads it while this one runs.
struct V4L2Loop {
  private let port: UnsafePointer<mynah_camera_port>
  private let gauges: UnsafeMutablePointer<CameraGauges>
  private var delivery: FrameDelivery
  /// The number that the next picture should have; −1 before the first.
  private var expected: Int64 = -1

  /// How long it waits at most before it looks at its stop flag.
  private static var waitMilliseconds: Int32 {
    @_noLocks @_noAllocation get { 50 }
  }

  /// A jump of more pictures than this is a driver that counts anew.
  private static var mostSkipped: Int64 {
    @_noLocks @_noAllocation get { 100_000 }
  }

  init(port: UnsafePointer<mynah_camera_port>, gauges: UnsafeMutablePointer<CameraGauges>, delivery: FrameDelivery) {
    self.port = port
    self.gauges = gauges
    self.delivery = delivery
  }

  /// Delivers until the stop flag or a loss.
  @_noLocks @_noAllocation
  mutating func run() {
    var code: Int32 = 0
    while code == 0, !gauges.pointee.isStopping {
      if gauges.pointee.takeKeyframeWish() { mynah_camera_force_keyframe(port) }
      code = turn()
    }
    // A loss is made known as soon as there is room for it.
    while code != 0, !gauges.pointee.isStopping, !delivery.lose(code, now: mynah_camera_now(port)) {
      mynah_camera_sleep(port, 10_000_000)
    }
  }

  /// Waits for the device once and takes what it has.
  ///
  /// - Returns: 0, or the errno with which the device is lost.
  @_noLocks @_noAllocation
  mutating func turn() -> Int32 {
    let ready = mynah_camera_wait(port, Self.waitMilliseconds)
    if ready < 0, ready != -EINTR { return -ready }
    if ready > 0 {
      var picture = mynah_picture()
      let result = mynah_camera_take(port, &picture)
      if result == 0 {
        take(picture)
        let given = mynah_camera_give(port, picture.index)
        if given < 0 { return -given }
      } else if result == -EIO {
        // The device lost a picture, and may have kept its buffer.
        delivery.discard()
      } else if result == -EAGAIN {
        // Said to be ready and was not: not again at once, or a broken driver takes the whole processor.
        mynah_camera_sleep(port, 5_000_000)
      } else {
        return -result
      }
    }
    return delivery.isSilent(now: mynah_camera_now(port)) ? ETIMEDOUT : 0
  }

  @_noLocks @_noAllocation
  private mutating func take(_ picture: mynah_picture) {
    if expected >= 0 {
      // Sequence numbers have 32 bits and wrap around.
      let jump = Int64(Int32(bitPattern: picture.sequence &- UInt32(truncatingIfNeeded: expected)))
      if jump > 0, jump <= Self.mostSkipped { delivery.skip(Int(jump)) }
    }
    expected = Int64(picture.sequence) &+ 1
    guard picture.is_broken == 0, picture.count > 0, let bytes = picture.bytes else { return delivery.discard() }
    delivery.deliver(
      UnsafeRawBufferPointer(start: bytes, count: Int(picture.count)), time: picture.time,
      now: mynah_camera_now(port))
  }
}
