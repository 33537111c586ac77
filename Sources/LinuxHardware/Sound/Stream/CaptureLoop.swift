internal import CALSA
internal import CLinux
internal import Glibc
internal import Hardware

/// What the microphone's real-time thread does, from the start of the device to its end.
///
/// A plain value in memory of its own; no other thread reads it while this one runs. All memory is the driver's.
struct CaptureLoop {
  /// Sound that was lost and has to be made known before the next block.
  private enum Gap { case none, owed, announced }

  private let port: UnsafePointer<mynah_pcm_port>
  private let gauges: UnsafeMutablePointer<StreamGauges>
  private let writer: CaptureWriter
  private let shape: StreamShape
  /// One period as the device has it.
  private let raw: UnsafeMutableRawPointer
  /// One period as the ring wants it.
  private let floats: UnsafeMutablePointer<Float>

  private var rhythm: Rhythm
  /// Frames of `raw` that are read.
  private var filled = 0
  /// When the last delivered frame ended.
  private var end: Int64
  private var gap = Gap.none
  private var allocations: Int

  init(
    port: UnsafePointer<mynah_pcm_port>, gauges: UnsafeMutablePointer<StreamGauges>, writer: CaptureWriter,
    shape: StreamShape, raw: UnsafeMutableRawPointer, floats: UnsafeMutablePointer<Float>
  ) {
    self.port = port
    self.gauges = gauges
    self.writer = writer
    self.shape = shape
    self.raw = raw
    self.floats = floats
    rhythm = Rhythm(rate: shape.rate, periodFrames: shape.periodFrames, bufferFrames: shape.bufferFrames, now: 0)
    end = 0
    allocations = 0
  }

  /// Starts the device and delivers until the stop flag or a loss.
  @_noLocks @_noAllocation
  mutating func run() {
    let now = mynah_pcm_now(port)
    rhythm = Rhythm(rate: shape.rate, periodFrames: shape.periodFrames, bufferFrames: shape.bufferFrames, now: now)
    end = now
    allocations = mynah_thread_allocations()
    var code = -mynah_pcm_start(port)
    while code == 0, !gauges.pointee.isStopping {
      code = turn()
      let count = mynah_thread_allocations()
      if count != allocations { gauges.pointee.count(allocations: count - allocations) }
      allocations = count
    }
    if code != 0 { lose(code) }
  }

  /// Waits for the device once and takes what it has.
  ///
  /// - Returns: 0, or the errno with which the device is lost.
  @_noLocks @_noAllocation
  mutating func turn() -> Int32 {
    let ready = mynah_pcm_wait(port, shape.waitMilliseconds)
    if ready < 0 { return mend(-ready) }
    if ready == 0 { return rhythm.isStuck(now: mynah_pcm_now(port)) ? ETIMEDOUT : 0 }
    let count = mynah_pcm_read(port, raw + filled * shape.frameBytes, shape.periodFrames - filled)
    if count < 0 { return mend(Int32(truncatingIfNeeded: -count)) }
    if count == 0 { return mend(EAGAIN) }
    filled += count
    let now = mynah_pcm_now(port)
    let pause = rhythm.moved(frames: count, now: now)
    if filled == shape.periodFrames { deliver(until: endOfRead(now: now)) }
    if pause > 0 { mynah_pcm_sleep(port, pause) }
    return 0
  }

  /// When the frame after the last one read was at the converter: the time of the device's last look at its own
  /// position, less the frames that waited behind ours then.
  @_noLocks @_noAllocation
  private func endOfRead(now: Int64) -> Int64 {
    var stamp: Int64 = 0
    var delay = 0
    guard mynah_pcm_position(port, &stamp, &delay) == 0 else { return now }
    // A plug-in that stamps by another clock, or not at all, is not believed.
    if stamp > now &+ 1_000_000_000 || stamp < now &- 1_000_000_000 { stamp = now }
    let waiting = max(0, min(delay, shape.rate))
    return stamp &- Rhythm.duration(ofFrames: waiting, rate: shape.rate)
  }

  @_noLocks @_noAllocation
  private mutating func deliver(until time: Int64) {
    let frames = filled
    filled = 0
    shape.sampleType.unpack(
      raw, into: floats, frames: frames, deviceChannels: shape.deviceChannels, channels: shape.channels)
    let start = max(end, time &- Rhythm.duration(ofFrames: frames, rate: shape.rate))
    end = max(end, time)
    if gap == .owed, writer.announce(CaptureBlock(.discontinuity, end: Instant(nanoseconds: start))) {
      gap = .announced
    }
    if gap != .owed, writer.deliver(floats, frames: frames, end: Instant(nanoseconds: end)) {
      gap = .none
      gauges.pointee.count(frames: frames)
      return
    }
    gauges.pointee.countOverflow()
    if gap == .none { gap = .owed }
  }

  /// Answers an error of the device.
  ///
  /// - Returns: 0 if it goes on, or the errno with which it is lost.
  @_noLocks @_noAllocation
  private mutating func mend(_ error: Int32) -> Int32 {
    if error == EINTR { return 0 }
    if error == EAGAIN {
      // Said to be ready and was not: not again at once, or a broken plug-in takes the whole processor.
      mynah_pcm_sleep(port, shape.nap)
      return rhythm.isStuck(now: mynah_pcm_now(port)) ? ETIMEDOUT : 0
    }
    deliverRest()
    guard error == EPIPE || error == ESTRPIPE else { return error }
    gauges.pointee.countXrun()
    if gap == .none { gap = .owed }
    let code = Revival.revive(port, after: error, starting: true, nap: shape.nap)
    if code != 0 { return code }
    // A device that overruns without ever giving a frame is as good as gone.
    return rhythm.isStuck(now: mynah_pcm_now(port)) ? ETIMEDOUT : 0
  }

  /// Delivers the part of a period that was read before the device broke off.
  @_noLocks @_noAllocation
  private mutating func deliverRest() {
    guard filled > 0 else { return }
    deliver(until: end &+ Rhythm.duration(ofFrames: filled, rate: shape.rate))
  }

  /// Makes the loss known, as soon as there is room for it.
  @_noLocks @_noAllocation
  private mutating func lose(_ code: Int32) {
    deliverRest()
    gauges.pointee.lose(code)
    while !gauges.pointee.isStopping {
      if writer.announce(CaptureBlock(.lost, code: code, end: Instant(nanoseconds: end))) { return }
      mynah_pcm_sleep(port, 10_000_000)
    }
  }
}
