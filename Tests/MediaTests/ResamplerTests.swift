import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media

/// What decoded sound is at another rate: of tones in files that sox has made.
@Suite struct ResamplerTests {
  /// What a tone of a file has become, dB, where it is looked for at the other rate.
  private static func level(of hertz: Double, at place: Double, from: Int, to: Int) throws -> Double {
    let folder = TemporaryFolder()
    let path = folder.file("tone.wav")
    let tone = (0..<from * 2 / 5).map { Float(0.5 * sin(2 * Double.pi * hertz * Double($0) / Double(from))) }
    try tone.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: folder.file("tone.raw")))
    let kind = ["-r", "\(from)", "-c", "1", "-e", "floating-point", "-b", "32"]
    try Tool.succeed("sox", ["-t", "raw"] + kind + [folder.file("tone.raw"), path])
    let sound = try SoundFile(path: path, output: PCMFormat(sampleRate: to, channels: 1))
    var samples = [Float](repeating: 0, count: to)
    let count = try samples.withUnsafeMutableBufferPointer { buffer in
      try buffer.baseAddress.map { try sound.read(into: $0, frames: to) } ?? 0
    }
    let middle = samples[..<count].dropFirst(to / 20).prefix(to / 4)
    return 20 * log10(max(2 * Tone.amplitude(middle, place, to), 1e-8))
  }

  @Test(arguments: [(48_000, 8000), (8000, 48_000), (44_100, 48_000), (48_000, 44_100)])
  func `It is flat up to 0.9 of the lower Nyquist frequency, and nothing is mirrored`(from: Int, to: Int) throws {
    let low = Double(min(from, to)) / 2
    for share in [0.1, 0.5, 0.8, 0.9] {
      let level = try Self.level(of: low * share, at: low * share, from: from, to: to)
      #expect(abs(level) < 0.01, "\(low * share) Hz: \(level) dB")
      // Its image about the old rate, where the new one has room for it.
      let image = Double(from) - low * share
      guard to > from, image < Double(to) / 2 else { continue }
      #expect(try Self.level(of: low * share, at: image, from: from, to: to) < -105, "\(image) Hz")
    }
    for share in [1.01, 1.05, 1.1, 1.3, 2.1] where to < from && low * share < Double(from) / 2 {
      let hertz = low * share
      let folded = abs(hertz - Double(to) * (hertz / Double(to)).rounded())
      #expect(try Self.level(of: hertz, at: folded, from: from, to: to) < -105, "\(hertz) Hz at \(folded) Hz")
    }
  }

  @Test(
    arguments: [
      ("3.0", "wav", [[1, 0, 0.707], [0, 1, 0.707]]), ("3.0", "flac", [[1, 0, 0.707], [0, 1, 0.707]]),
      ("quad", "wav", [[1, 0, 0.707, 0], [0, 1, 0, 0.707]]), ("FL+FR+BL", "wav", [[1, 0, 0], [0, 1, 0]]),
    ] as [(String, String, [[Double]])])
  func `Channels are mixed by what they are`(layout: String, form: String, meant: [[Double]]) throws {
    let folder = TemporaryFolder()
    let path = folder.file("sound.\(form)")
    let tones = meant[0].indices.map { "0.3*sin(2*PI*\(300 + 100 * $0)*t)" }.joined(separator: "|")
    try Tool.succeed("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "aevalsrc=\(tones):c=\(layout):s=48000:d=1", path])
    let sound = try SoundFile(path: path, output: PCMFormat(sampleRate: 48_000, channels: 2))
    let samples = try readAll(sound)
    for side in 0..<2 {
      let one = stride(from: side, to: samples.count, by: 2).map { samples[$0] }
      for (channel, level) in meant[side].enumerated() {
        let found = Tone.amplitude(one[...], Double(300 + 100 * channel), 48_000) / 0.3
        #expect(layout == "FL+FR+BL" || abs(found - level) < 0.01, "\(channel)")
      }
    }
    #expect(samples.count == 96_000)
    // As it is, nothing is mixed.
    let plain = try readAll(try SoundFile(path: path))
    #expect(try zip(plain, decodeWithFFmpeg(path)).allSatisfy { abs($0 - $1) < 1e-6 })
  }
}
