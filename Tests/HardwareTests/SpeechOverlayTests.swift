import Foundation
import Testing

@testable import Hardware

/// A ring with speech over it, as a driver's thread renders it.
private final class Overlaid {
  let overlay: UnsafeMutablePointer<SpeechOverlay>
  let ring: UnsafeMutablePointer<RenderRing>
  let channels: Int
  private let rate: Int

  init(rate: Int = 48_000, channels: Int = 1) {
    overlay = .allocate(capacity: 1)
    overlay.initialize(to: SpeechOverlay(samples: 96_000))
    ring = .allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 96_000, channels: channels, rampFrames: 1))
    ring.pointee.lay(overlay, sampleRate: rate)
    self.channels = channels
    self.rate = rate
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
    overlay.deinitialize(count: 1)
    overlay.deallocate()
  }

  func say(_ samples: [Float]) {
    let hasRoom = overlay.pointee.write(samples, count: samples.count)
    #expect(hasRoom)
  }

  func play(_ value: Float, frames: Int) {
    let hasRoom = ring.pointee.write([Float](repeating: value, count: frames * channels), frames: frames)
    #expect(hasRoom)
    ring.pointee.setRunning(true)
  }

  func render(_ frames: Int) -> [Float] {
    var all: [Float] = []
    var period = [Float](repeating: 9, count: 480 * channels)
    for _ in 0..<(frames / 480) {
      ring.pointee.render(into: &period, frames: 480)
      all += period
    }
    return all
  }
}

@Suite struct SpeechOverlayTests {
  @Test func `Speech is heard with the next period where nothing plays`() {
    let speaker = Overlaid()
    #expect(speaker.render(480).allSatisfy { $0 == 0 })
    let speech = (0..<4800).map { Float(sin(Double($0) / 20) * 0.5) }
    speaker.say(speech)
    let heard = speaker.render(5280)
    // One frame of delay: it lies between two samples.
    for index in 0..<4799 { #expect(abs(heard[index + 1] - speech[index]) < 1e-6) }
    #expect(heard[4802...].allSatisfy { $0 == 0 })
  }

  @Test func `What plays steps back under speech and comes back, without a step`() {
    let speaker = Overlaid()
    speaker.play(0.5, frames: 96_000)
    #expect(speaker.render(4800).dropFirst(10).allSatisfy { $0 == 0.5 })
    speaker.say([Float](repeating: 0, count: 24_000))
    let heard = speaker.render(72_000)
    #expect(abs(heard[2000] - 0.1) < 1e-6 && abs(heard[20_000] - 0.1) < 1e-6)
    #expect(heard[60_000] == 0.5)
    for index in 1..<heard.count { #expect(abs(heard[index] - heard[index - 1]) < 0.001) }
  }

  @Test(arguments: [8000, 22_050, 44_100, 96_000, 192_000])
  func `At any rate it takes as long as it is`(rate: Int) {
    let speaker = Overlaid(rate: rate, channels: 2)
    speaker.say([Float](repeating: 0.25, count: 48_000))
    let heard = speaker.render(rate * 3 / 2)
    let frames = stride(from: 0, to: heard.count, by: 2).count { heard[$0] > 0.2 }
    #expect(abs(frames - rate) <= 4)
    #expect(stride(from: 0, to: heard.count, by: 2).allSatisfy { heard[$0] == heard[$0 + 1] })
  }

  @Test func `What is flushed fades within 5 ms, and what is said then is heard from its beginning`() {
    let speaker = Overlaid()
    speaker.say([Float](repeating: 0.5, count: 48_000))
    #expect(speaker.render(960).last == 0.5)
    speaker.overlay.pointee.flush()
    let queued = speaker.overlay.pointee.queuedSamples
    #expect(queued == 0)
    speaker.say([Float](repeating: -0.25, count: 4800))
    let heard = speaker.render(6720)
    #expect(!heard[250...].contains { $0 > 0 })
    #expect(heard.count { $0 == -0.25 } >= 4790)
    for index in 1..<240 { #expect(abs(heard[index] - heard[index - 1]) < 0.01) }
  }

  @Test func `Nothing is ever beyond full scale`() {
    let speaker = Overlaid()
    speaker.play(1, frames: 9600)
    speaker.say([Float](repeating: 1, count: 4800))
    #expect(speaker.render(9600).allSatisfy { abs($0) <= 1 })
  }
}
