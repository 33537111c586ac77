import Hardware
import Sound
import TestSupport
import Testing

@Suite("Gain ramps")
struct GainRampTests {
  private let format = PCMFormat(sampleRate: 48_000, channels: 2)

  @Test("At a gain of 1 nothing is touched")
  func untouched() {
    var ramp = GainRamp(format: format)
    let source: [Float] = [0.1, .nan, Float(bitPattern: 5), -1]
    var samples = source
    ramp.apply(to: &samples, frames: 2)
    #expect(samples.map(\.bitPattern) == source.map(\.bitPattern))
  }

  @Test("A change takes 5 ms and has no step, whatever the block lengths, also when changed again half-way")
  func smooth() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<200 {
      var ramp = GainRamp(format: format, gain: 0)
      var all: [Float] = []
      while all.count < 4000 {
        if Int.random(in: 0...4, using: &random) == 0 { ramp.setGain(Float.random(in: 0...2, using: &random)) }
        var block = [Float](repeating: 1, count: 2 * Int.random(in: 0...300, using: &random))
        ramp.apply(to: &block, frames: block.count / 2)
        all += block
      }
      for index in 2..<all.count {
        // The steepest slope of the S is 1.5 times the mean one: 2 / 240 × 1.5.
        #expect(abs(all[index] - all[index - 2]) <= 0.0126)
        if index % 2 == 1 { #expect(all[index] == all[index - 1]) }
      }
    }
    var ramp = GainRamp(format: format)
    ramp.setGain(0.5)
    #expect(ramp.isChanging)
    var block = [Float](repeating: 1, count: 480)
    ramp.apply(to: &block, frames: 240)
    #expect(!ramp.isChanging && ramp.gain == 0.5 && block.last == 0.5)
    ramp.jump(to: 0.25)
    ramp.apply(to: &block, frames: 1)
    #expect(block[0] < 0.26)
  }

  @Test("Fades begin and end at the signal's own level")
  func fades() {
    var samples = [Float](repeating: 1, count: 480)
    GainRamp.fadeIn(&samples, frames: 240, channels: 2)
    #expect(samples[0] < 0.001 && samples[478] > 0.999)
    #expect(zip(samples, samples.dropFirst(2)).allSatisfy { $0 <= $1 })
    var back = [Float](repeating: 1, count: 480)
    GainRamp.fadeOut(&back, frames: 240, channels: 2)
    #expect(zip(back, samples.reversed()).allSatisfy { abs($0 - $1) < 1e-6 })
  }
}
