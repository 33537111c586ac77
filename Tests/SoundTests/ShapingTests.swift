import Foundation
import Hardware
import Sound
import Testing

@Suite struct ShapingTests {
  static let format = PCMFormat(sampleRate: 48_000, channels: 2)

  /// Interleaved frames of a tone, the same left and right.
  private static func tone(_ hertz: Double, decibels: Double, seconds: Double) -> [Float] {
    let level = pow(10, decibels / 20)
    return (0..<Int(seconds * 48_000)).flatMap { frame in
      let value = Float(level * sin(2 * .pi * hertz * Double(frame) / 48_000))
      return [value, value]
    }
  }

  private static func peak(_ samples: ArraySlice<Float>) -> Double {
    20 * log10(Double(samples.map(\.magnitude).max() ?? 0))
  }

  /// Runs samples through, in pieces of all sizes.
  private static func shape(
    _ samples: [Float], _ settings: ShapingSettings, format: PCMFormat = format, gain: Float = 1
  ) -> [Float] {
    var samples = samples
    let automatic = AutomaticGain(format: format, seconds: 5)
    let shaper = SoundShaper(format: format, settings: settings, automatic: automatic, gain: gain)
    samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var (frame, piece) = (0, 1)
      while frame < buffer.count / format.channels {
        let count = min(piece, buffer.count / format.channels - frame)
        shaper.process(base + frame * format.channels, frames: count, at: frame, isHeard: true)
        frame += count
        piece = piece * 7 % 2039 + 1
      }
    }
    return samples
  }

  @Test func `with nothing set samples are not touched`() {
    let samples = Self.tone(1000, decibels: 3, seconds: 0.2)
    #expect(Self.shape(samples, ShapingSettings()) == samples)
    #expect(SoundShaper(format: Self.format, settings: ShapingSettings(), automatic: nil).latency == 0)
  }

  @Test(arguments: [80, 120, 160])
  func `the low-cut takes 3 dB at its frequency, and 24 dB an octave below`(hertz: Int) {
    func loss(_ factor: Double) -> Double {
      let heard = Self.shape(
        Self.tone(Double(hertz) * factor, decibels: -6, seconds: 2), ShapingSettings(lowCutHz: hertz))
      return Self.peak(heard.suffix(96_000)) + 6
    }
    #expect(abs(loss(1) + 3) < 0.1)
    #expect(abs(loss(8)) < 0.01)
    #expect(loss(0.5) < -24)
    #expect(loss(0.25) < loss(0.5) - 23)
  }

  @Test func `what is not a number does not stay in the filter`() {
    var samples = Self.tone(1000, decibels: -6, seconds: 1)
    samples[100] = .nan
    samples[201] = .infinity
    let heard = Self.shape(samples, ShapingSettings(lowCutHz: 120, hasAutomaticGain: true))
    #expect(heard.allSatisfy { $0.isFinite })
    #expect(Self.peak(heard.suffix(4800)) > -12)
  }

  @Test(arguments: [1, 2])
  func `the limiter holds gain below the ceiling, and delays what needs nothing`(channels: Int) {
    let format = PCMFormat(sampleRate: 48_000, channels: channels)
    let stereo = Self.tone(997, decibels: -3, seconds: 1)
    let samples = channels == 2 ? stereo : stride(from: 0, to: stereo.count, by: 2).map { stereo[$0] }
    let settings = ShapingSettings(hasLimiter: true)
    let loud = Self.shape(samples, settings, format: format, gain: 8)
    #expect(Self.peak(loud[...]) <= -0.9 && Self.peak(loud.suffix(9600)) > -1.6)
    let quiet = samples.map { $0 / 4 }
    let latency = SoundShaper(format: format, settings: settings, automatic: nil).latency * channels
    let passed = Self.shape(quiet, settings, format: format)
    #expect(Array(passed[latency...]) == Array(quiet[..<(quiet.count - latency)]))
  }

  @Test func `the automatic gain brings voices to one level, and leaves silence alone`() {
    let settings = ShapingSettings(hasAutomaticGain: true)
    let far = Self.tone(440, decibels: -30, seconds: 12)
    let near = Self.tone(440, decibels: -2, seconds: 3)
    let silence = Self.tone(440, decibels: -70, seconds: 5)
    let heard = Self.shape(far + near + silence + far, settings)
    let second = 96_000
    #expect(abs(Self.peak(heard[(10 * second)..<(11 * second)]) + 8) < 0.5)
    // Never above the ceiling, and down within a second.
    #expect(Self.peak(heard[...]) <= -0.9)
    #expect(abs(Self.peak(heard[(13 * second)..<(14 * second)]) + 8) < 0.5)
    #expect(Self.peak(heard[(16 * second)..<(20 * second)]) < -70)
    #expect(Self.peak(heard[(29 * second)...]) > -12)
  }

  @Test func `what is encoded later gets the gain that was measured when it was heard`() {
    let samples = Self.tone(300, decibels: -25, seconds: 4)
    let automatic = AutomaticGain(format: Self.format, seconds: 5)
    var heard = samples
    heard.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for frame in stride(from: 0, to: 192_000, by: 480) {
        automatic.listen(to: base + 2 * frame, frames: 480, at: frame)
        automatic.apply(to: base + 2 * frame, frames: 480, at: frame)
      }
    }
    var later = samples
    later.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for frame in stride(from: 0, to: 192_000, by: 1111) {
        automatic.apply(to: base + 2 * frame, frames: min(1111, 192_000 - frame), at: frame)
      }
    }
    #expect(later == heard)
  }
}
