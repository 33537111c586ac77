internal import CALSA
internal import CLinux
internal import Glibc
internal import Hardware

/// What the speaker's real-time thread does: a period from the ring whenever the device has room for one.
///
/// A plain value in memory of its own; no other thread reads it while this one runs. All memory is the driver's.
struct PlaybackLoop {
  private let port: UnsafePointer<mynah_pcm_port>
  private let gauges: UnsafeMutablePointer<StreamGauges>
  private let ring: UnsafeMutablePointer<RenderRing>
  private let shape: StreamShape
  /// One period as the device wants it.
  private let raw: UnsafeMutableRawPointer
  /// One period as the ring gives it.
  private let floats: UnsafeMutablePointer<Float>

  private var rhythm: Rhythm
  /// Frames of `raw` that the device has taken; all of them before the first period.
  private var taken: Int
  private var allocations = 0

  init(
    port: UnsafePointer<mynah_pcm_port>, gauges: UnsafeMutablePointer<StreamGauges>,
    ring: UnsafeMutablePointer<RenderRing>, shape: StreamShape, raw: UnsafeMutableRawPointer,
    floats: UnsafeMutablePointer<Float>
  ) {
    self.port = port
    self.gauges = gauges
    self.ring = ring
    self.shape = shape
    self.raw = raw
    self.floats = floats
    rhythm = Rhythm(rate: shape.rate, periodFrames: shape.periodFrames, bufferFrames: shape.bufferFrames, now: 0)
    taken = shape.periodFrames
  }

  /// Fills the device and keeps it filled until the stop flag or a loss. The device starts when it is full.
  @_noLocks @_noAllocation
  mutating func run() {
    rhythm = Rhythm(
      rate: shape.rate, periodFrames: shape.periodFrames, bufferFrames: shape.bufferFrames,
      now: mynah_pcm_now(port))
    allocations = mynah_thread_allocations()
    var code: Int32 = 0
    while code == 0, !gauges.pointee.isStopping {
      code = turn()
      let count = mynah_thread_allocations()
      if count != allocations { gauges.pointee.count(allocations: count - allocations) }
      allocations = count
    }
    if code != 0 {
      ring.pointee.setDeviceDelay(frames: 0)
      gauges.pointee.lose(code)
    }
  }

  /// Waits for the device once and gives it what it takes.
  ///
  /// - Returns: 0, or the errno with which the device is lost.
  @_noLocks @_noAllocation
  mutating func turn() -> Int32 {
    let ready = mynah_pcm_wait(port, shape.waitMilliseconds)
    if ready < 0 { return mend(-ready) }
    if ready == 0 { return rhythm.isStuck(now: mynah_pcm_now(port)) ? ETIMEDOUT : 0 }
    // Rendered only when there is room, so that a pause is heard as soon as it can be.
    if taken == shape.periodFrames { renderPeriod() }
    let count = mynah_pcm_write(port, raw + taken * shape.frameBytes, shape.periodFrames - taken)
    if count < 0 { return mend(Int32(truncatingIfNeeded: -count)) }
    if count == 0 { return mend(EAGAIN) }
    taken += count
    gauges.pointee.count(frames: count)
    let pause = rhythm.moved(frames: count, now: mynah_pcm_now(port))
    if taken == shape.periodFrames { publishDelay() }
    if pause > 0 { mynah_pcm_sleep(port, pause) }
    return 0
  }

  @_noLocks @_noAllocation
  private mutating func renderPeriod() {
    ring.pointee.render(into: floats, frames: shape.periodFrames)
    shape.sampleType.pack(
      floats, into: raw, frames: shape.periodFrames, deviceChannels: shape.deviceChannels, channels: shape.channels)
    taken = 0
  }

  /// Tells the ring how many frames are still on their way to the converter.
  @_noLocks @_noAllocation
  private func publishDelay() {
    var stamp: Int64 = 0
    var delay = 0
    guard mynah_pcm_position(port, &stamp, &delay) == 0 else { return }
    ring.pointee.setDeviceDelay(frames: max(0, delay), at: stamp)
  }

  /// Answers an error of the device. A period that it has not taken is offered again.
  ///
  /// - Returns: 0 if it goes on, or the errno with which it is lost.
  @_noLocks @_noAllocation
  private mutating func mend(_ error: Int32) -> Int32 {
    if error == EINTR { return 0 }
    if error == EAGAIN {
      mynah_pcm_sleep(port, shape.nap)
      return rhythm.isStuck(now: mynah_pcm_now(port)) ? ETIMEDOUT : 0
    }
    guard error == EPIPE || error == ESTRPIPE else { return error }
    gauges.pointee.countXrun()
    ring.pointee.setDeviceDelay(frames: 0)
    let code = Revival.revive(port, after: error, starting: false, nap: shape.nap)
    if code != 0 { return code }
    return rhythm.isStuck(now: mynah_pcm_now(port)) ? ETIMEDOUT : 0
  }
}
