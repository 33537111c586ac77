import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Sound sources")
struct SoundSourceTests {
  private let format = PCMFormat(sampleRate: 48_000, channels: 2, bits: 16)

  private func samples(_ source: any SoundSource, from position: Int, frames: Int, _ format: PCMFormat) -> [Float] {
    var samples = [Float](repeating: .nan, count: frames * format.channels)
    source.prepare(format)
    source.fill(&samples, frames: frames, from: position, format: format)
    return samples
  }

  @Test("A tone is the sine of its frequency, even after a day")
  func tone() {
    let source = ToneSource(frequencies: [997, 440])
    for position in [0, 86_400 * 48_000 + 17] {
      let got = samples(source, from: position, frames: 4800, format)
      for frame in 0..<4800 {
        for (channel, frequency) in [997.0, 440.0].enumerated() {
          let turns = (frequency * Double(position + frame)).truncatingRemainder(dividingBy: 48_000) / 48_000
          #expect(abs(Double(got[frame * 2 + channel]) - 0.25 * sin(2 * .pi * turns)) < 1e-7)
        }
      }
    }
  }

  @Test("Noise and babble depend on the position and the seed only", arguments: [0, 1, 2])
  func positional(kind: Int) {
    let make: (UInt64) -> any SoundSource = { seed in
      switch kind {
      case 0: NoiseSource(seed: seed)
      case 1: SpeechSource(seed: seed)
      default: ToneSource(frequencies: [Double(seed) * 100])
      }
    }
    let whole = samples(make(5), from: 20_000, frames: 2000, format)
    let parts =
      samples(make(5), from: 20_000, frames: 700, format) + samples(make(5), from: 20_700, frames: 1300, format)
    #expect(whole == parts)
    #expect(whole != samples(make(6), from: 20_000, frames: 2000, format))
    #expect(whole.allSatisfy { $0.isFinite && abs($0) <= 1 })
  }

  @Test("The built-in speech is loud where it speaks, quiet in its pauses, and the same for ever")
  func speech() {
    let got = samples(SpeechSource(), from: 0, frames: 12 * 48_000, format)
    let left = stride(from: 0, to: got.count, by: 2).map { got[$0] }
    #expect(left.reduce(0) { max($0, abs($1)) } == 0.5)
    let blocks = stride(from: 0, to: left.count, by: 4800).map { start in
      (left[start..<(start + 4800)].reduce(0) { $0 + $1 * $1 } / 4800).squareRoot()
    }
    #expect(blocks.filter { $0 > 0.03 }.count > 40)
    #expect(blocks.filter { $0 < 0.001 }.count > 8)
    // The bits of one second, as made on the first machine that ran this.
    let hash = got[48_000..<144_000].reduce(UInt64(14_695_981_039_346_656_037)) { hash, sample in
      (hash ^ UInt64(UInt16(bitPattern: Int16((sample * 32_767).rounded())))) &* 1_099_511_628_211
    }
    #expect(hash == 427_150_607_284_016_138)
  }

  @Test("A WAV file is heard bit by bit from the origin, and silence after its end", arguments: [16, 24])
  func file(bits: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.file("noise.wav")
    try Tool.run(
      "sox",
      ["-R", "-n", "-r", "44100", "-c", "2", "-b", "\(bits)", path, "synth", "1", "whitenoise", "vol", "0.9"])
    let source = try WAVFileSource(path: path)
    #expect(source.header.format == PCMFormat(sampleRate: 44_100, channels: 2, bits: bits))
    #expect(source.header.frames == 44_100)
    let raw = folder.file("noise.raw")
    try Tool.run("sox", [path, "-t", "f32", raw])
    let expected = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
      Array($0.bindMemory(to: Float.self))
    }
    let got = samples(source, from: 0, frames: 45_000, source.header.format)
    let isSame = Array(got[0..<88_200]) == expected
    #expect(isSame)
    #expect(got[88_200...].allSatisfy { $0 == 0 })
    #expect(samples(source, from: 99_999_999_999, frames: 10, source.header.format).allSatisfy { $0 == 0 })
  }

  @Test(
    "Other sample types of WAV are read by their value",
    arguments: ["unsigned-integer", "signed-integer", "floating-point"])
  func otherTypes(encoding: String) throws {
    let folder = TemporaryFolder()
    let path = folder.file("tone.wav")
    let bits = encoding == "unsigned-integer" ? "8" : "32"
    try Tool.run(
      "sox",
      [
        "-D", "-n", "-r", "8000", "-c", "1", "-b", bits, "-e", encoding, path, "synth", "0.5", "sine", "440", "vol",
        "0.5",
      ])
    let source = try WAVFileSource(path: path)
    let raw = folder.file("tone.raw")
    try Tool.run("sox", [path, "-t", "f32", raw])
    let expected = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
      Array($0.bindMemory(to: Float.self))
    }
    let got = samples(source, from: 0, frames: 4000, source.header.format)
    // sox computes with 32-bit integers, so the last place of a float may differ.
    let worst = zip(got, expected).map { abs($0 - $1) }.max()
    #expect(expected.count == 4000)
    #expect((worst ?? 1) < 1e-6)
  }

  @Test("What is not a readable WAV file is refused by name and reason")
  func badFiles() throws {
    let folder = TemporaryFolder()
    #expect(deviceError { _ = try WAVFileSource(path: folder.file("none.wav")) }?.kind == .missing)
    let path = folder.file("text.wav")
    try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
    let error = deviceError { _ = try WAVFileSource(path: path) }
    #expect(error?.kind == .unsupported)
    #expect(error?.hint == "the file is not a WAV file")
    let surround = folder.file("surround.wav")
    try Tool.run("sox", ["-n", "-r", "48000", "-c", "6", surround, "synth", "0.1", "sine", "440"])
    #expect(deviceError { _ = try WAVFileSource(path: surround) }?.hint == "the file has 6 channels; 1 or 2 are read")
  }

  @Test("No header, however damaged, traps or gives an impossible place")
  func fuzz() {
    let good: [UInt8] =
      Array("RIFF".utf8) + [0, 1, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0xBB, 0, 0]
      + [0, 0xEE, 2, 0, 4, 0, 16, 0] + Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0] + Array("data".utf8)
      + [0, 1, 0, 0] + [UInt8](repeating: 7, count: 256)
    var random = SeededGenerator(seed: 11)
    var readable = 0
    for round in 0..<30_000 {
      var bytes = good
      if round % 3 == 0 { bytes[0...3] = ArraySlice("RF64".utf8) }
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        bytes[Int.random(in: 0..<90, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      let size = bytes.count
      guard
        let header = try? WAVHeader(
          size: size,
          read: { offset, count in
            guard offset >= 0, offset < size else { return [] }
            return Array(bytes[offset..<min(size, offset + count)])
          })
      else { continue }
      readable += 1
      let frameBytes = header.sampleType.bytes * header.format.channels
      #expect(header.frames >= 0 && header.dataOffset + header.frames * frameBytes <= size)
    }
    #expect(readable > 3000)
  }
}
