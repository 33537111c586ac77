import Hardware
import Media
import TestSupport
import Testing

struct RepairFuzzTests {
  @Test(arguments: [true, false], TakeFormat.allCases)
  func `no damage makes repair trap, hang or claim more sound than there is`(finished: Bool, format: TakeFormat) throws
  {
    let pcm = PCMFormat(sampleRate: 8_000, channels: 1)
    let original = MemoryFile()
    let samples = glide(frames: 6_000, channels: 1, sampleRate: 8_000)
    switch format {
    case .aac: try writeM4A(samples, pcm: pcm, to: original, bitrate: 16, flushEvery: 1_600, finish: finished)
    case .alac, .flac:
      try writeLossless(
        format == .alac ? .alac : .flac, samples, pcm: pcm, to: original, flushEvery: 1_600, finish: finished)
    case .opus:
      try OpusTests.write(samples, channels: 1, kbps: 24, to: original, flushEvery: 1_600, finish: finished)
    case .wav: try writeWave(Array(samples.prefix(800)), pcm: pcm, to: original, flushEvery: 200, finish: finished)
    case .alaw, .mulaw:
      try writeWave(
        Array(samples.prefix(1600)), pcm: PCMFormat(sampleRate: 8000, channels: 1, bits: 8), to: original,
        flushEvery: 400, finish: finished, codec: format == .alaw ? .alaw : .mulaw)
    }
    var dice = SeededGenerator(seed: finished ? 11 : 12)
    for round in 0..<(format == .flac || format == .opus ? 1_000 : 4_000) {
      var bytes = original.bytes
      for _ in 0...Int.random(in: 0...6, using: &dice) {
        // Mostly in the heads, where it hurts.
        let place = Int.random(in: 0..<(Bool.random(using: &dice) ? min(900, bytes.count) : bytes.count), using: &dice)
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &dice)
      }
      if round % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &dice)) }
      let file = MemoryFile(bytes)
      let before = try MediaRepair.inspect(file)
      let after = try MediaRepair.repair(file, scratch: MemoryFile())
      if case .unfinished = before.condition {
        if case .unfinished = after.condition { Issue.record("still unfinished in round \(round)") }
        if after.condition == .finished {
          let again = try MediaRepair.inspect(file)
          #expect(again.condition == .finished || again.condition == .foreign, "round \(round)")
        }
      } else {
        #expect(file.bytes == bytes, "round \(round)")
      }
    }
  }

  @Test func `garbage is called damaged`() throws {
    var dice = SeededGenerator(seed: 99)
    for round in 0..<4_000 {
      var bytes = (0..<Int.random(in: 0...2_000, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
      // Some begin like a sound file.
      let starts = ["", "RIFF....WAVE", "RF64....WAVEds64", "....ftyp", "RIFF....WAVEfmt ....data", "fLaC"]
      let start = Array(starts[round % starts.count].utf8)
      bytes.replaceSubrange(0..<min(start.count, bytes.count), with: start.prefix(bytes.count))
      let inspection = try MediaRepair.repair(MemoryFile(bytes), scratch: MemoryFile())
      guard case .damaged(let reason) = inspection.condition else {
        Issue.record("round \(round): \(inspection)")
        continue
      }
      #expect(reason.hasSuffix("."))
    }
  }
}
