import Foundation
import Hardware
import TestSupport
import Testing

/// What the filter lets through, and what it lets through although it should not: by sweeps of tones, one bin at a time.
@Suite struct RateFilterTests {
  static let pairs = [
    (48_000, 8000), (8000, 48_000), (44_100, 48_000), (48_000, 44_100), (16_000, 48_000), (44_100, 8000),
  ]

  /// Runs interleaved mono through the filter in uneven pieces.
  static func convert(_ input: [Float], from: Int, to: Int) throws -> [Float] {
    guard var filter = RateFilter(from: from, to: to, channels: 1, frames: 4096) else {
      throw CocoaError(.featureUnsupported)
    }
    var output: [Float] = []
    var block = [Float](repeating: 0, count: 60_000)
    var place = 0
    var random = SeededGenerator(seed: 7)
    while place < input.count {
      let count = min(input.count - place, filter.room, Int.random(in: 1...2048, using: &random))
      input[place..<(place + count)].withUnsafeBufferPointer {
        if let base = $0.baseAddress { filter.write(base, frames: count) }
      }
      place += count
      let made = block.withUnsafeMutableBufferPointer {
        $0.baseAddress.map { filter.read(into: $0, frames: 60_000) } ?? 0
      }
      output += block[0..<made]
    }
    return output
  }

  private static func decibels(_ factor: Double) -> Double { 20 * log10(max(factor, 1e-12)) }

  private static func tone(_ hertz: Double, rate: Int, seconds: Double) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { Float(sin(2 * Double.pi * hertz * Double($0) / Double(rate))) }
  }

  @Test(arguments: pairs) func `A sweep passes flat to 0.1 dB up to 0.9 of the lower Nyquist frequency`(
    from: Int, to: Int
  ) throws {
    let nyquist = Double(min(from, to)) / 2
    for step in 1...18 {
      let hertz = nyquist * 0.05 * Double(step)
      let output = try Self.convert(Self.tone(hertz, rate: from, seconds: 0.4), from: from, to: to)
      let level = Self.decibels(Tone.amplitude(output.dropFirst(to / 20).prefix(to / 4), hertz, to))
      #expect(abs(level) < 0.1, "\(hertz) Hz: \(level) dB")
    }
  }

  @Test(arguments: pairs) func `What would be mirrored at the new rate is 100 dB down`(from: Int, to: Int) throws {
    let inputNyquist = Double(from) / 2
    // Down: tones above the new Nyquist frequency, which fold. Up: tones of the pass band, whose images are above the old one.
    let above = inputNyquist - Double(to) / 2
    let folding = (0...12).map { (step: Int) -> Double in Double(to) / 2 + above * (0.002 + 0.99 * Double(step) / 12) }
    let passing = (1...12).map { (step: Int) -> Double in inputNyquist * 0.9 * Double(step) / 12 }
    let tones = from > to ? folding : passing
    for hertz in tones {
      let output = try Self.convert(Self.tone(hertz, rate: from, seconds: 0.4), from: from, to: to)
      let heard = output.dropFirst(to / 20).prefix(to / 4)
      let images = from > to ? [hertz] : [Double(from) - hertz, Double(from) + hertz]
      for image in images {
        let folded = abs(image - Double(to) * (image / Double(to)).rounded())
        // Up: an image above the new Nyquist frequency is nobody's.
        guard from > to || image < Double(to) / 2 else { continue }
        let level = Self.decibels(Tone.amplitude(heard, folded, to))
        #expect(level < -100, "\(hertz) Hz at \(folded) Hz: \(level) dB")
      }
    }
  }

  @Test(arguments: pairs) func `Many tones at once leave nothing between them`(from: Int, to: Int) throws {
    let nyquist = Double(min(from, to)) / 2
    let tones = (1...9).map { nyquist * 0.097 * Double($0) }
    let input = (0..<(from / 2)).map { frame in
      Float(tones.reduce(0) { $0 + sin(2 * Double.pi * $1 * Double(frame) / Double(from)) } / 10)
    }
    let output = try Self.convert(input, from: from, to: to)
    let heard = output.dropFirst(to / 20).prefix(to / 4)
    for (one, next) in zip(tones, tones.dropFirst()) {
      let level = Self.decibels(Tone.amplitude(heard, (one + next) / 2, to) * 10)
      #expect(level < -95, "between \(one) and \(next) Hz: \(level) dB")
    }
  }

  @Test(arguments: pairs) func `What comes out lies where it went in, however it was cut, and a constant stays`(
    from: Int, to: Int
  ) throws {
    let input = Self.tone(440, rate: from, seconds: 0.3)
    let output = try Self.convert(input, from: from, to: to)
    for frame in (to / 20)..<(output.count - to / 20) {
      let expected = Float(sin(2 * Double.pi * 440 * Double(frame) / Double(to)))
      // A pass band that is flat to 0.01 dB; a fiftieth of a frame would be as much.
      try #require(abs(output[frame] - expected) < 1.3e-3, "frame \(frame)")
    }
    let flat = try Self.convert([Float](repeating: 0.5, count: from / 4), from: from, to: to)
    // Sums of 72 to 800 floats.
    #expect(flat.dropFirst(to / 20).allSatisfy { abs($0 - 0.5) < 3e-6 })
    // All that went in came out, but for what the filter still holds.
    #expect(abs(Double(output.count) - 0.3 * Double(to)) < 80 * Double(to) / Double(min(from, to)))
  }

  @Test(arguments: pairs) func `How much is missing is exactly what is missing`(from: Int, to: Int) throws {
    guard var filter = RateFilter(from: from, to: to, channels: 2, frames: 4096) else {
      throw CocoaError(.featureUnsupported)
    }
    var random = SeededGenerator(seed: 3)
    var block = [Float](repeating: 0.25, count: 8192)
    for _ in 0..<500 {
      let wanted = Int.random(in: 1...500, using: &random)
      let missing = filter.missing(for: wanted)
      block.withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        if missing > 0 {
          filter.write(base, frames: missing - 1)
          #expect(filter.missing(for: wanted) == 1)
          filter.write(base, frames: 1)
        }
        #expect(filter.read(into: base, frames: wanted) == wanted)
      }
    }
  }

  @Test func `Rates that have no filter are refused`() {
    #expect(!RateFilter.canConvert(from: 47_999, to: 48_001))
    #expect(!RateFilter.canConvert(from: 0, to: 48_000))
    #expect(!RateFilter.canConvert(from: 8000, to: 1 << 21))
    #expect(RateFilter.canConvert(from: 11_025, to: 48_000))
  }
}
