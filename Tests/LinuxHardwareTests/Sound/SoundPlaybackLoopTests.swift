import Foundation
import Hardware
import Testing

@testable import LinuxHardware

/// The playback loop against scripted devices, in virtual time.
@Suite struct SoundPlaybackLoopTests {
  /// Plays a ramp of `frames` frames through a script until the device is lost; returns what the counters say.
  private func play(_ script: PCMScript, frames: Int) -> (counters: SoundCounters, loss: Int32) {
    let shape = SoundCaptureLoopTests.shape
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 9600, channels: 1, rampFrames: 1))
    let gauges = UnsafeMutablePointer<StreamGauges>.allocate(capacity: 1)
    gauges.initialize(to: StreamGauges())
    let ramp = (0..<frames).map { Float($0 + 1) / 32_768 }
    _ = ring.pointee.write(ramp, frames: frames)
    ring.pointee.setRunning(true)
    let buffers = StreamBuffers(port: script.port, shape: shape)
    var loop = PlaybackLoop(
      port: UnsafePointer(buffers.port), gauges: gauges, ring: ring, shape: shape, raw: buffers.raw,
      floats: buffers.floats)
    loop.run()
    defer {
      buffers.deallocate()
      gauges.deinitialize(count: 1)
      gauges.deallocate()
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    return (gauges.pointee.counters, gauges.pointee.loss)
  }

  @Test func `Every frame reaches the device once and in order, whatever it takes at a time`() {
    let script = PCMScript(rate: 48_000, [.frames(480), .frames(100), .silence, .lie, .frames(380), .frames(480)])
    let (counters, loss) = play(script, frames: 1440)
    #expect(script.written == (1...1440).map(Int16.init))
    #expect(counters.frames == 1440)
    #expect(loss == ENODEV)
  }

  @Test func `After an underrun the period that was not taken is played, not lost`() {
    let script = PCMScript(rate: 48_000, [.frames(480), .frames(100), .failure(EPIPE), .frames(380), .frames(480)])
    let (counters, _) = play(script, frames: 1440)
    #expect(script.written == (1...1440).map(Int16.init))
    #expect(counters.xruns == 1)
    #expect(script.calls == ["prepare"])
  }

  @Test func `A device that takes nothing for two seconds is lost`() {
    let script = PCMScript(rate: 48_000, [.frames(480)])
    script.afterwards = .silence
    #expect(play(script, frames: 480).loss == ETIMEDOUT)
  }
}
