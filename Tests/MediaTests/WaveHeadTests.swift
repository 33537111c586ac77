import Foundation
import Hardware
import Media
import TestSupport
import Testing

/// Heads of WAV takes with wrong bytes: what they say several times is known all the same.
struct WaveHeadTests {
  private struct Kind {
    var pcm: PCMFormat
    var codec = SoundCodec.pcm
  }

  private static let kinds = [
    Kind(pcm: PCMFormat(sampleRate: 48_000, channels: 2, bits: 24)),
    Kind(pcm: PCMFormat(sampleRate: 8_000, channels: 1, bits: 16)),
    Kind(pcm: PCMFormat(sampleRate: 44_100, channels: 1, bits: 32)),
    Kind(pcm: PCMFormat(sampleRate: 8_000, channels: 1, bits: 8), codec: .mulaw),
    Kind(pcm: PCMFormat(sampleRate: 96_000, channels: 2, bits: 16)),
    Kind(pcm: PCMFormat(sampleRate: 32_000, channels: 1, bits: 24)),
    Kind(pcm: PCMFormat(sampleRate: 22_050, channels: 2, bits: 16)),
  ]

  private func take(_ kind: Kind, finish: Bool) throws -> (bytes: [UInt8], head: Int) {
    let file = MemoryFile()
    let samples = glide(frames: 1_000, channels: kind.pcm.channels, sampleRate: kind.pcm.sampleRate)
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 100, label: "here")]
    let flushed = try writeWave(
      samples, pcm: kind.pcm, to: file, flushEvery: 250, finish: finish, summary: summary, codec: kind.codec)
    return (file.bytes, flushed[0].bytes)
  }

  /// What is said of the sound: all of the head but sizes, texts and loudness.
  private func places(_ head: Int, of kind: Kind) -> [Int] {
    let isPlain = kind.codec == .pcm && kind.pcm.bits < 32
    let frames = isPlain ? head..<head : head - 12..<head - 8
    return (Array(0..<4) + Array(8..<20) + Array(48..<56) + Array(658..<head - 4)).filter { !frames.contains($0) }
  }

  @Test(arguments: [true, false], 0..<7)
  func `a wrong bit in the head of a WAV take is put right, and nothing else is changed`(finish: Bool, kind: Int) throws
  {
    let kind = Self.kinds[kind]
    let (bytes, head) = try take(kind, finish: finish)
    let whole = MemoryFile(bytes)
    let expected = try MediaRepair.repair(whole)
    // Whether it is A-law or µ-law says one bit only.
    let law = kind.codec == .pcm ? nil : try #require(bytes.firstRange(of: Array("fmt ".utf8))).upperBound + 4
    for place in places(head, of: kind) {
      let file = MemoryFile(bytes)
      file.bytes[place] ^= place == law ? 0x40 : 1 << UInt8(place % 8)
      if finish { #expect(try MediaRepair.inspect(file).condition != .finished, "\(place)") }
      let found = try MediaRepair.repair(file)
      #expect(found.condition == .finished && found.frames == expected.frames && found.pcm == expected.pcm)
      #expect(file.bytes == whole.bytes, "\(place)")
    }
  }

  @Test func `a take that claims 32,767 channels plays as it was recorded`() throws {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 48_000, channels: 2, bits: 16)
    let file = MemoryFile()
    let samples = glide(frames: 4_800, channels: 2, sampleRate: 48_000)
    try writeWave(samples, pcm: pcm, to: file)
    let bytes = file.bytes
    let format = try #require(bytes.firstRange(of: Array("fmt ".utf8))).upperBound + 4
    let original = try decodeWithFFmpeg(folder.put(bytes, "a.wav"))
    for number in [0, 2, 4, 8, 12, 14] {
      file.bytes = bytes
      file.bytes.replaceSubrange(format + number..<format + number + 2, with: [0xFF, 0x7F])
      #expect(try MediaRepair.repair(file).condition == .finished)
      let path = folder.put(file.bytes, "b.wav")
      #expect(try probe(path, "stream=sample_rate,channels") == "48000\n2")
      #expect(try decodeWithFFmpeg(path) == original)
    }
  }

  @Test func `the head of another program's file is not taken for a damaged one of ours`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("a.wav")
    let options = ["-write_bext", "1", "-metadata", "originator=Recorder", "-rf64", "auto"]
    try Tool.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=d=1"] + options + [path])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let file = MemoryFile(bytes)
    let found = try MediaRepair.repair(file)
    if case .unfinished = found.condition { Issue.record("\(found)") }
    #expect(file.bytes == bytes)
  }
}
