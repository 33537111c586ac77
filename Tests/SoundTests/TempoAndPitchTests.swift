import CEBUR128
import Foundation
import Hardware
import TestSupport
import Testing

@testable import Sound

@Suite("Tempo, pitch and level of what is played")
struct TempoAndPitchTests {
  private func sine(_ hertz: Double, seconds: Int, channels: Int) -> [Float] {
    (0..<(48_000 * seconds)).flatMap { frame in
      (0..<channels).map { Float(0.5 * sin(2 * .pi * hertz * Double(frame) / 48_000 + Double($0))) }
    }
  }

  /// - Parameter change: called before the first piece that is read, and after each.
  private func played(_ input: [Float], channels: Int, change: (Int, TempoAndPitch) -> Void) throws -> [Float] {
    let tempo = try #require(TempoAndPitch(sampleRate: 48_000, channels: channels))
    var output: [Float] = []
    var piece = [Float](repeating: 0, count: 480 * channels)
    var pieces = 0
    func drain() {
      while true {
        let made = tempo.read(into: &piece, frames: 480)
        guard made > 0 else { return }
        output += piece[..<(made * channels)]
        pieces += 1
        change(pieces, tempo)
      }
    }
    change(0, tempo)
    for start in stride(from: 0, to: input.count, by: 256 * channels) {
      let part = Array(input[start..<min(input.count, start + 256 * channels)])
      tempo.write(part, frames: part.count / channels)
      drain()
    }
    tempo.finish()
    drain()
    return output
  }

  private func largestStep(_ samples: ArraySlice<Float>, channels: Int) -> Float {
    zip(samples, samples.dropFirst(channels)).map { abs($0 - $1) }.max() ?? 0
  }

  @Test func `Whatever is set, the pitch is right within 2 cents and the tempo within 0,1 %`() throws {
    var dice = SeededGenerator(seed: 5)
    let corners = [(0.5, 0), (2, 0), (1, 1200), (1, -1200), (2, -1200), (0.5, 1200), (2, 1200), (1.01, 3)]
    let others = (0..<5).map { _ in
      (Double.random(in: 0.5...2, using: &dice), Int.random(in: -1200...1200, using: &dice))
    }
    for (rate, cents) in corners + others {
      let channels = Int.random(in: 1...2, using: &dice)
      let hertz = 120 * pow(2, Double.random(in: 0...4, using: &dice))
      let input = sine(hertz, seconds: 20, channels: channels)
      let output = try played(input, channels: channels) { piece, tempo in
        if piece == 0 { tempo.set(rate: rate, cents: cents) }
      }
      let wanted = hertz * pow(2, Double(cents) / 1200)
      let left = stride(from: 0, to: output.count, by: channels).map { output[$0] }
      let off = 1200 * log2(Tone.frequency(of: left[(left.count / 8)..<(left.count / 8 * 7)]) / wanted)
      #expect(abs(off) < 2, "\(hertz) Hz at \(rate), \(cents): \(off) cents")
      let tempo = Double(input.count) / rate / Double(output.count)
      #expect(abs(tempo - 1) < 0.001, "\(hertz) Hz at \(rate), \(cents): \(tempo)")
      // Its beginning and its end are steps of their own.
      let own = Float(2 * .pi * hertz / 48_000 * 0.5 * max(1, pow(2, Double(cents) / 1200)))
      let step = largestStep(output.dropFirst(400).dropLast(9600 * channels), channels: channels)
      #expect(step < own * 1.03, "\(hertz) Hz at \(rate), \(cents): \(step), not \(own)")
    }
  }

  @Test func `Changes while it goes on make no step, and where it is remains known`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let hertz = 150 * pow(2, Double.random(in: 0...4, using: &dice))
      let channels = Int.random(in: 1...2, using: &dice)
      let input = sine(hertz, seconds: 10, channels: channels)
      var held = 0.0
      let output = try played(input, channels: channels) { piece, tempo in
        held = max(held, tempo.held)
        #expect(tempo.held >= 0)
        guard piece % 7 == 0 else { return }
        tempo.set(
          rate: dice.chance(3) ? 1 : Double.random(in: 0.5...2, using: &dice),
          cents: dice.chance(3) ? 0 : Int.random(in: -1200...1200, using: &dice))
      }
      // No more than the longest wait of Sonic, and what is about to be read.
      #expect(held < 9000)
      // At most an octave higher than it was.
      #expect(
        largestStep(output.dropFirst(400).dropLast(19_200), channels: channels) < Float(.pi * hertz / 24_000 * 1.03))
    }
  }

  @Test func `As recorded it passes bit by bit, again after something else, too`() throws {
    var dice = SeededGenerator(seed: 8)
    let noise = (0..<96_000).map { _ in Float.random(in: -0.5...0.5, using: &dice) }
    #expect(try played(noise, channels: 1) { _, _ in } == noise)
    let output = try played(noise, channels: 1) { piece, tempo in
      if piece == 10 { tempo.set(rate: 0.7, cents: 30) } else if piece == 30 { tempo.set(rate: 1, cents: 0) }
    }
    #expect(output.suffix(60_000) == noise.suffix(60_000))
  }

  @Test func `What is too high for a faster rate is not folded down`() throws {
    let output = try played(sine(15_000, seconds: 2, channels: 1), channels: 1) { piece, tempo in
      if piece == 0 { tempo.set(rate: 2, cents: 1200) }
    }
    // −80 dB.
    #expect((output.dropFirst(1000).dropLast(1000).map(abs).max() ?? 1) < 0.000_05)
  }

  @Test(arguments: [1, 2])
  func `Twice as loud is limited, changes make no step, and all that goes in comes out`(channels: Int) {
    let input = sine(200, seconds: 2, channels: channels)
    let level = OutputLevel(format: PCMFormat(sampleRate: 48_000, channels: channels))
    var output: [Float] = []
    var piece = [Float](repeating: 0, count: 512 * channels)
    for (index, start) in stride(from: 0, to: input.count, by: 512 * channels).enumerated() {
      let part = input[start..<min(input.count, start + 512 * channels)]
      piece.replaceSubrange(..<part.count, with: part)
      if index == 40 { level.set(left: 1.7, right: 2, isHeard: true) }
      if index == 80 { level.set(left: 0.2, right: 0.1, isHeard: true) }
      let made = level.process(&piece, frames: part.count / channels)
      output += piece[..<(made * channels)]
    }
    let rest = level.finish(into: &piece)
    output += piece[..<(rest * channels)]
    #expect(level.finish(into: &piece) == 0)
    #expect(output.count == input.count)
    #expect(output[..<(40 * 512 * channels)] == input[..<(40 * 512 * channels)])
    let loud = output[(50 * 512 * channels)..<(79 * 512 * channels)].map(abs).max() ?? 0
    #expect(loud > 0.85 && loud <= PeakLimiter.ceiling)
    // The steepest of the tone at twice its level, and of the ramp.
    #expect(largestStep(output.dropLast(1000), channels: channels) < 0.026 + 0.012)
  }

  @Test func `What is mixed of more channels is limited at any gain, and all of it comes out`() {
    let input = sine(200, seconds: 1, channels: 2).map { 3 * $0 }
    let level = OutputLevel(format: PCMFormat(sampleRate: 48_000, channels: 2), isMixed: true)
    for _ in 0..<2 {
      level.set(left: 1, right: 1, isHeard: false)
      var output: [Float] = []
      for start in stride(from: 0, to: input.count, by: 1024) {
        var piece = Array(input[start..<min(input.count, start + 1024)])
        let made = level.process(&piece, frames: piece.count / 2)
        output += piece[..<(2 * made)]
      }
      var rest = [Float](repeating: 0, count: 2 * PeakLimiter.latency)
      let held = level.finish(into: &rest)
      output += rest[..<(2 * held)]
      #expect(output.count == input.count)
      #expect((output.map(abs).max() ?? 0) <= PeakLimiter.ceiling)
      level.reset()
    }
  }
}
