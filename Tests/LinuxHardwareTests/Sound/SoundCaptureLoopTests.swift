import Foundation
import Hardware
import Testing

@testable import LinuxHardware

/// The capture loop against devices that do what real ones do at the worst moment, in virtual time.
@Suite struct SoundCaptureLoopTests {
  static let shape = StreamShape(
    sampleType: .s16, rate: 48_000, deviceChannels: 1, channels: 1, periodFrames: 480, bufferFrames: 1920)

  /// Runs the loop over a script until the device is lost.
  private func capture(
    _ script: PCMScript, ringFrames: Int = 48_000, shape: StreamShape = Self.shape
  ) -> (contents: RingContents, counters: SoundCounters, loss: Int32) {
    let ring = CaptureRing(frames: ringFrames, channels: shape.channels, blocks: 256)
    let gauges = UnsafeMutablePointer<StreamGauges>.allocate(capacity: 1)
    gauges.initialize(to: StreamGauges())
    let buffers = StreamBuffers(port: script.port, shape: shape)
    var loop = CaptureLoop(
      port: UnsafePointer(buffers.port), gauges: gauges, writer: ring.writer, shape: shape, raw: buffers.raw,
      floats: buffers.floats)
    loop.run()
    var contents = RingContents()
    contents.drain(ring)
    defer {
      buffers.deallocate()
      gauges.deinitialize(count: 1)
      gauges.deallocate()
    }
    return (contents, gauges.pointee.counters, gauges.pointee.loss)
  }

  @Test func `Periods arrive bit-exact, with the times of their ends, and a loss is said once`() {
    let script = PCMScript(rate: 48_000, [.frames(480), .frames(480), .frames(480)])
    let begin = script.clock
    let (contents, counters, loss) = capture(script)
    #expect(contents.kinds == [.sound, .sound, .sound, .lost])
    #expect(contents.samples == (0..<1440).map { Float($0) / 32_768 })
    #expect(contents.blocks.map(\.end.nanoseconds) == [1, 2, 3, 3].map { begin + $0 * 10_000_000 })
    #expect(contents.blocks.last?.code == ENODEV)
    #expect(loss == ENODEV)
    // The script itself allocates; the ceilings are measured over a real device.
    #expect(counters.frames == 1440 && counters.xruns == 0 && counters.ringOverflows == 0)
  }

  @Test func `Short reads are put together to whole periods`() {
    let (contents, _, _) = capture(PCMScript(rate: 48_000, [.frames(100), .lie, .frames(300), .frames(80)]))
    #expect(contents.kinds == [.sound, .lost])
    #expect(contents.samples == (0..<480).map { Float($0) / 32_768 })
  }

  @Test func `An overrun keeps the sound before it, is counted, and is announced before the sound after it`() {
    let script = PCMScript(rate: 48_000, [.frames(480), .frames(100), .failure(EPIPE), .silence, .frames(480)])
    let (contents, counters, _) = capture(script)
    #expect(contents.kinds == [.sound, .sound, .discontinuity, .sound, .lost])
    #expect(contents.blocks.map(\.frames) == [480, 100, 0, 480, 0])
    #expect(contents.samples.count == 1060)
    #expect(counters.xruns == 1)
    #expect(script.calls == ["start", "prepare", "start"])
    let ends = contents.blocks.map(\.end.nanoseconds)
    #expect(ends == ends.sorted())
  }

  @Test func `A suspended device is resumed, and prepared afresh if it cannot resume`() {
    let waking = PCMScript(rate: 48_000, [.frames(480), .failure(ESTRPIPE), .frames(480)])
    waking.resumeResults = [-EAGAIN, -EAGAIN, 0]
    #expect(capture(waking).contents.kinds == [.sound, .discontinuity, .sound, .lost])
    #expect(waking.calls == ["start", "resume", "resume", "resume"])

    let restarting = PCMScript(rate: 48_000, [.failure(ESTRPIPE), .frames(480)])
    restarting.resumeResults = [-ENOSYS]
    #expect(capture(restarting).contents.kinds == [.discontinuity, .sound, .lost])
    #expect(restarting.calls == ["start", "resume", "prepare", "start"])
  }

  @Test(arguments: [ENODEV, EIO, EBADFD])
  func `Errors that no restart mends are a loss with their number`(code: Int32) {
    let (contents, _, loss) = capture(PCMScript(rate: 48_000, [.frames(480), .failure(code)]))
    #expect(contents.kinds == [.sound, .lost])
    #expect(contents.blocks.last?.code == code)
    #expect(loss == code)
  }

  @Test func `A device that cannot be prepared after an overrun is lost`() {
    let script = PCMScript(rate: 48_000, [.frames(480), .failure(EPIPE)])
    script.prepareResult = -ENODEV
    #expect(capture(script).loss == ENODEV)
  }

  @Test(arguments: [false, true])
  func `A device that stands still, or says that it is ready and is not, is lost after two seconds`(lies: Bool) {
    let script = PCMScript(rate: 48_000, [.frames(480)])
    script.afterwards = lies ? .lie : .silence
    let begin = script.clock
    let (contents, _, loss) = capture(script)
    #expect(loss == ETIMEDOUT)
    #expect(contents.blocks.last?.code == ETIMEDOUT)
    #expect((2_000_000_000...2_200_000_000).contains(script.clock - begin))
  }

  @Test func `A device that overruns for ever is lost after two seconds`() {
    let script = PCMScript(rate: 48_000, (0..<4000).flatMap { _ in [PCMScript.Step.silence, .failure(EPIPE)] })
    #expect(capture(script).loss == ETIMEDOUT)
  }

  @Test func `A full ring drops whole periods, counts them and announces one discontinuity`() {
    // 1024 samples fit: two periods; the rest overflows, and nobody reads.
    let script = PCMScript(rate: 48_000, Array(repeating: .frames(480), count: 6))
    let (contents, counters, _) = capture(script, ringFrames: 1000)
    #expect(contents.kinds == [.sound, .sound, .discontinuity, .lost])
    #expect(counters.ringOverflows == 4)
    #expect(counters.frames == 960)
  }

  @Test func `Of a device with more channels than two the first two are kept`() {
    var source: [Int16] = [1, 2, 3, 4, -5, 6, 7, 8]
    var target = [Float](repeating: 9, count: 4)
    source.withUnsafeMutableBytes { raw in
      guard let base = raw.baseAddress else { return }
      SampleType.s16.unpack(base, into: &target, frames: 2, deviceChannels: 4, channels: 2)
    }
    #expect(target == [1, 2, -5, 6].map { $0 / 32_768 })
  }

  @Test func `A source without a clock of its own is held to its rate, a drifting one is not held at all`() {
    var rhythm = Rhythm(rate: 48_000, periodFrames: 480, bufferFrames: 1920, now: 0)
    var clock: Int64 = 0
    var slept: Int64 = 0
    for _ in 0..<1000 {
      let pause = rhythm.moved(frames: 480, now: clock)
      clock += pause
      slept += pause
    }
    #expect(slept > 9_000_000_000)
    // 500 ppm fast for an hour.
    var drifting = Rhythm(rate: 48_000, periodFrames: 480, bufferFrames: 1920, now: 0)
    var pauses: Int64 = 0
    for period in 1...360_000 { pauses += drifting.moved(frames: 480, now: Int64(period) * 9_995_000) }
    #expect(pauses == 0)
  }
}
