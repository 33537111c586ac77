import Hardware
import Testing

@Suite("The way from player to speaker")
struct RenderRingTests {
  private let ramp = 48

  private func render(_ ring: borrowing RenderRing, _ frames: Int) -> [Float] {
    var target = [Float](repeating: 9, count: frames)
    ring.render(into: &target, frames: frames)
    return target
  }

  /// The largest step between neighbouring samples.
  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }

  @Test("is silent until it is told to run, and counts no starvation meanwhile")
  func silentAtFirst() {
    let ring = RenderRing(frames: 1000, channels: 1, rampFrames: ramp)
    #expect(ring.write([Float](repeating: 1, count: 500), frames: 500) == true)
    #expect(render(ring, 100) == [Float](repeating: 0, count: 100))
    #expect(ring.starvedFrames == 0)
    #expect(ring.queuedFrames == 500)
  }

  @Test("fades in, holds with a fade, resumes where it stopped, without a step larger than the fade's")
  func fades() {
    let ring = RenderRing(frames: 4000, channels: 1, rampFrames: ramp)
    #expect(ring.write([Float](repeating: 1, count: 3000), frames: 3000) == true)
    ring.setRunning(true)
    var heard = render(ring, 480)
    #expect(heard.last == 1)
    ring.setRunning(false)
    heard += render(ring, 480)
    #expect(heard.last == 0)
    #expect(ring.renderedFrames == 480 + ramp)
    ring.setRunning(true)
    heard += render(ring, 480)
    #expect(heard.last == 1)
    #expect(largestStep(heard) <= 1 / Float(ramp) + 1e-6)
    #expect(ring.queuedFrames == 3000 - 960 - ramp)
  }

  @Test("leaves running sound untouched, to the bit")
  func bitExact() {
    let ring = RenderRing(frames: 4000, channels: 2, rampFrames: ramp)
    let sound = (0..<2000).map { Float($0) / 2048 }
    #expect(ring.write(sound, frames: 1000) == true)
    ring.setRunning(true)
    var target = [Float](repeating: 0, count: 2000)
    ring.render(into: &target, frames: 1000)
    #expect(Array(target[(2 * ramp)...]) == Array(sound[(2 * ramp)...]))
  }

  @Test("a flush fades the old sound out and the new one in")
  func flushFades() {
    let ring = RenderRing(frames: 4000, channels: 1, rampFrames: ramp)
    #expect(ring.write([Float](repeating: 1, count: 2000), frames: 2000) == true)
    ring.setRunning(true)
    var heard = render(ring, 480)
    ring.flush()
    #expect(ring.queuedFrames == 0)
    #expect(ring.write([Float](repeating: -1, count: 1000), frames: 1000) == true)
    #expect(ring.queuedFrames == 1000)
    heard += render(ring, 480)
    #expect(heard.last == -1)
    #expect(largestStep(heard) <= 1 / Float(ramp) + 1e-6)
    #expect(ring.queuedFrames == 1000 - (480 - ramp))
  }

  @Test("plays silence and counts it when the player is late")
  func starves() {
    let ring = RenderRing(frames: 1000, channels: 1, rampFrames: ramp)
    ring.setRunning(true)
    #expect(ring.write([Float](repeating: 1, count: 100), frames: 100) == true)
    let heard = render(ring, 480)
    #expect(heard[99] == 1)
    #expect(heard[100...].allSatisfy { $0 == 0 })
    #expect(ring.starvedFrames == 380)
  }
}
