import CEBUR128
import Foundation
import TestSupport
import Testing

@testable import Sound

@Suite("Peak limiter")
struct PeakLimiterTests {
  private func limited(_ samples: [Float], chunks: ClosedRange<Int>, seed: UInt64 = 1) -> [Float] {
    var dice = SeededGenerator(seed: seed)
    let limiter = PeakLimiter()
    var output = samples
    output.withUnsafeMutableBufferPointer { buffer in
      var frame = 0
      while frame < buffer.count / 2 {
        let count = min(Int.random(in: chunks, using: &dice), buffer.count / 2 - frame)
        if let base = buffer.baseAddress { limiter.process(base + 2 * frame, frames: count) }
        frame += count
      }
    }
    return output
  }

  private func truePeak(_ samples: [Float]) -> Double {
    var state = ebur128_init(2, 48_000, Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
    defer { ebur128_destroy(&state) }
    ebur128_add_frames_float(state, samples, samples.count / 2)
    return (0..<2).reduce(0) { peak, channel in
      var value = 0.0
      ebur128_true_peak(state, UInt32(channel), &value)
      return max(peak, value)
    }
  }

  @Test func `Loud and quiet sound come out the same however they are cut into blocks`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var samples: [Float] = []
      while samples.count < 2 * 48_000 {
        // Much of it is quiet enough to be passed on unseen.
        let gain = Bool.random(using: &dice) ? Float.random(in: 0...0.4, using: &dice) : 2
        for _ in 0..<Int.random(in: 1...4000, using: &dice) {
          for _ in 0..<2 { samples.append(gain * Float.random(in: -1...1, using: &dice)) }
        }
      }
      // Blocks longer than what is loud in them are never passed on unseen.
      let whole = limited(samples, chunks: samples.count...samples.count)
      #expect(limited(samples, chunks: 1...1) == whole)
      #expect(limited(samples, chunks: 1...900, seed: seed) == whole)
    }
  }

  @Test func `Output is never above the ceiling, nor is its true peak by more than a tenth of a decibel`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var samples: [Float] = []
      // Bursts of noise, sines near a quarter of the rate (the worst between samples) and silence, up to 18 dB over.
      while samples.count < 2 * 24_000 {
        let kind = Int.random(in: 0...2, using: &dice)
        let gain = Float.random(in: 0.1...8, using: &dice)
        let phase = Double.random(in: 0...3, using: &dice)
        for index in 0..<Int.random(in: 1...3000, using: &dice) {
          let value: Float =
            switch kind {
            case 0: Float.random(in: -1...1, using: &dice)
            case 1: Float(sin(Double(index) * .pi * 0.49 + phase))
            default: 0
            }
          samples += [value * gain, -value * gain * 0.5]
        }
      }
      let output = limited(samples, chunks: 1...700, seed: seed)
      let peak = output.map(abs).max() ?? 0
      #expect(peak <= PeakLimiter.ceiling)
      #expect(truePeak(output) <= Double(PeakLimiter.ceiling) * 1.0116)
    }
  }

  @Test func `Sound that needs no limiting passes bit by bit`() {
    var dice = SeededGenerator(seed: 3)
    let samples = (0..<20_000).map { _ in Float.random(in: -0.3...0.3, using: &dice) }
    let output = limited(samples, chunks: 1...480)
    #expect(Array(output[(2 * PeakLimiter.latency)...]) == Array(samples[..<(samples.count - 2 * PeakLimiter.latency)]))
  }

  @Test func `The gain is a ramp, and returns`() {
    var samples = [Float](repeating: 0.1, count: 2 * 96_000)
    for index in 40_000..<40_100 { samples[index] = 4 }
    let output = limited(samples, chunks: 480...480)
    var steepest: Float = 0
    for index in stride(from: 0, to: 2 * 19_000, by: 2) {
      steepest = max(steepest, abs(output[index + 2] - output[index]))
    }
    // A fall by 13 dB within 5 ms, on a level of 0.1; the first value is where the sound begins.
    #expect(steepest <= 0.1)
    #expect(output[2 * 95_000] == 0.1)
  }

  @Test func `What is not a number does no harm`() {
    var samples = [Float](repeating: 0.2, count: 4000)
    samples[500] = .nan
    samples[801] = .infinity
    let output = limited(samples, chunks: 100...100)
    #expect(output.allSatisfy { $0.isFinite })
    #expect(output[3999] == 0.2)
  }
}
